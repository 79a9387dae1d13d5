// The engine of thresholds that are drawn along sums of features with few values: samples are counted by the codes of
// all features of a direction together, so that a pass over them tells range and classes, and nothing is projected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/node_context.hpp"
#include "core/random.hpp"
#include "core/search/coded.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

// Memory and counts of one node at a time. A direction has a cell for each combination of its features' codes.
class JointCounts {
public:
    // The node's samples and targets must stay while it is searched; `counts` was started there.
    void start(const NodeContext& node, const ClassTargets& targets, const CodeCounts& counts,
               std::int64_t min_samples_leaf);

    // Notes a direction to be counted. Returns false where it is not over few features of few values, has more cells
    // than the node has samples for, or is a feature by itself, which CodeCounts counts faster.
    bool add(const Direction& direction);

    std::int64_t size() const { return static_cast<std::int64_t>(columns_.size()); }

    // Counts the samples along all directions that were added.
    void count();

    // The split along direction `i` of those that were added, at a threshold that is drawn; once.
    CountedSplit draw(std::int64_t i, Random& random);

private:
    static constexpr std::size_t kMaxTerms = 5;
    static constexpr std::int64_t kMaxCells = 256;          // of a direction
    static constexpr std::size_t kMaxAllCells = 1U << 14U;  // of all: they stay in a second-level cache

    struct Column {
        std::array<const std::uint8_t*, kMaxTerms> codes;  // of sample 0
        std::array<std::int64_t, kMaxTerms> n_codes;
        std::size_t first_cell;
        std::size_t n_cells;
    };

    // Samples that are counted along all directions before the next ones.
    struct Block {
        const std::uint32_t* samples;
        const std::uint64_t* words;
        std::int64_t n_samples;
    };

    bool add_values(const Direction& direction, const std::array<CodedColumn, kMaxTerms>& terms);
    template <std::size_t kTerms, std::size_t kTogether>
    void count_together(const Block& block, const std::uint32_t* columns);
    template <std::size_t kTerms, std::size_t kTogether>
    void count_terms(const Block& block);

    NodeContext node_;
    ClassTargets targets_;
    std::int64_t min_samples_leaf_ = 1;
    const std::uint64_t* words_ = nullptr;  // what each sample adds to a cell
    std::int32_t bits_ = 0;                 // of a field in a word
    std::int64_t stride_ = 0;               // bytes between the codes of a sample and of the next
    std::vector<Column> columns_;
    std::array<std::vector<std::uint32_t>, kMaxTerms> by_terms_;  // those of one, two, ... features
    std::vector<float> values_;                                   // per cell, of the direction
    std::vector<std::uint64_t> cells_;                            // zero between searches
};

}  // namespace silvan
