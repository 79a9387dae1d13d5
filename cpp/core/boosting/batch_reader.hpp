// Reads the values of many directions for the same samples: block after block of samples, all directions of each.
//
// What a block's samples are read from stays in the cache until all directions have read it. One direction after the
// other would fetch all samples from memory for each: with windows on channels that takes four times as long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/shared_loops.hpp"
#include "core/stopping.hpp"
#include "core/training_set.hpp"

namespace silvan {

class BatchReader {
public:
    static constexpr std::int64_t kMaxBlock = 4'096;

    // `at` is the node that directions are read at; without samples nothing is learnt there. All of them must outlive
    // the reader.
    BatchReader(const TrainingSet& training, const ProjectionBatch& batch, const NodeContext& at, SharedLoops& loops);

    std::int64_t size() const { return batch_.size(); }

    // Columns and scratch of a thread: kMaxBlock values, and as many codes of a group.
    struct Reader {
        std::unique_ptr<NodeColumns> columns;
        std::vector<float> values;
        std::vector<std::uint8_t> codes;
    };
    Reader& reader_of(std::int64_t thread);

    // Calls use(first, n, read, reader) for one block after the other, shared among the threads. read(j) gives the
    // values of direction j for the samples numbers[first .. first + n).
    template <typename Use>
    void for_blocks(const std::uint32_t* numbers, std::int64_t n_samples, const Use& use) {
        loops_.for_each((n_samples + block_ - 1) / block_, [&](std::int64_t block, std::int64_t thread) {
            Reader& reader = reader_of(thread);
            const std::int64_t first = block * block_;
            const std::int64_t n = std::min(block_, n_samples - first);
            const auto read = [&](std::int64_t j) {
                throw_if_stopped(4 * n);
                reader.columns->project(batch_.direction(j), numbers + first, n, reader.values.data());
                return static_cast<const float*>(reader.values.data());
            };
            use(first, n, read, reader);
        });
    }

private:
    const TrainingSet& training_;
    const ProjectionBatch& batch_;
    const NodeContext& at_;
    SharedLoops& loops_;
    std::int64_t block_;
    std::vector<Reader> readers_;
};

}  // namespace silvan
