// The histograms of a tree's open nodes: adds samples up, and takes a child's from its parent.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/boosting/column_pool.hpp"
#include "core/boosting/gradients.hpp"
#include "core/boosting/split_search.hpp"
#include "core/buffer.hpp"
#include "core/shared_loops.hpp"

namespace silvan {

// Samples of a node: `samples` from `begin` to `end`, which are all samples in order where `all` says so.
struct NodeSamples {
    const std::uint32_t* samples = nullptr;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool all = false;

    std::int64_t size() const { return end - begin; }
};

// Histograms have numbers; their memory serves one tree after the other.
class NodeHistograms {
public:
    // Called before a tree, for columns that have 1 in `columns`. The arguments must outlive the tree.
    void start(const ColumnPool& pool, const std::vector<const WholeGradients*>& outputs, const SplitSearch& search,
               const std::vector<std::uint8_t>& columns, const SplitKernels& kernels);

    std::int32_t acquire();
    void release(std::int32_t histogram) { free_.push_back(histogram); }
    const std::int64_t* words(std::int32_t histogram) const {
        return memory_[static_cast<std::size_t>(histogram)].data();
    }

    // Makes the samples of a node ready to be added up. Returns what a bin with all of them has, two words per output.
    std::vector<std::int64_t> order(const NodeSamples& node, SharedLoops& loops);

    // Fills the histogram with the samples of the node that was ordered last, and subtracts it from `parent` unless
    // that is negative. Calls ready(group, thread) when both are complete for a group of columns, while they are in
    // cache.
    void fill(const NodeSamples& node, std::int32_t histogram, std::int32_t parent,
              const std::function<void(std::int64_t, std::int64_t)>& ready, SharedLoops& loops);

private:
    bool is_asked_for(const PoolByte& byte) const;
    std::int64_t count_parts(std::int64_t n_samples, std::int64_t n_threads) const;
    void add_group(const NodeSamples& node, std::int64_t group, std::int64_t* histogram) const;
    void read_shared_bytes(std::int64_t group, std::int64_t* histogram) const;
    static void read_column(const PoolColumn& column, std::int64_t n_words, const std::int64_t* total,
                            const std::int64_t* from, std::int64_t* bins);
    template <typename Change>
    void change_group(std::int64_t group, std::int64_t* to, const std::int64_t* from, const Change& change) const;

    const ColumnPool* pool_ = nullptr;
    const std::vector<const WholeGradients*>* outputs_ = nullptr;
    const SplitSearch* search_ = nullptr;
    const std::vector<std::uint8_t>* columns_ = nullptr;
    const SplitKernels* kernels_ = nullptr;
    std::vector<Buffer<std::int64_t>> memory_;
    std::vector<std::int32_t> free_;
    std::vector<Buffer<std::int32_t>> ordered_;  // per output the pairs of a node's samples
};

}  // namespace silvan
