// Takes a block of samples down the trees of a packed forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/packed_forest.hpp"
#include "core/views.hpp"

namespace silvan {

// A sample on its way down a tree.
struct Walker {
    std::uint32_t node;    // of its tree
    std::uint32_t sample;  // counted from the block's first
    std::uint32_t tree;
    std::uint32_t leaf;  // the number of the leaf in its tree, in the end
};

// Holds the scratch memory of one thread.
class Descent {
public:
    Descent(const FeatureMatrix& block, const PackedForest& forest, const SplitKernels& kernels);

    // All samples, in any order, at the leaves where they end. `samples` is reordered. Holds until the next call.
    const std::vector<Walker>& run(std::int64_t tree, std::vector<std::uint32_t>& samples);

    // The same for one sample and trees [first, last).
    const std::vector<Walker>& run_sample(std::uint32_t sample, std::int64_t first, std::int64_t last);

private:
    struct Group {
        std::int32_t node;
        std::int64_t begin, end;
    };

    void set_out(std::int64_t tree, std::int32_t node, const std::uint32_t* samples, std::int64_t n);
    void divide(std::int64_t tree, std::vector<std::uint32_t>& samples);
    void divide_group(const TreeView& tree, const Group& group, std::uint32_t* samples, std::int64_t n);
    // Takes all walkers to their leaves.
    void walk();
    template <typename T>
    void walk_typed();
    template <typename Steps, typename T>
    void walk_strided();
    template <typename Steps, typename T, bool kUnitStride, bool kMissing>
    void walk_together();
    // The same one by one, of walkers from number `begin` on.
    void walk_alone(std::size_t begin);
    template <typename T>
    void walk_alone(Walker& walker);
    Direction direction_of(const Walker& walker) const;

    const FeatureMatrix block_;
    const PackedForest& forest_;
    const std::unique_ptr<BlockColumns> columns_;
    const bool missing_;  // whether the block has missing values
    std::vector<float> values_;
    std::vector<std::uint32_t> right_;
    std::vector<Group> open_;
    std::vector<Walker> walkers_;
};

}  // namespace silvan
