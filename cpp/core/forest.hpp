// A grown forest as plain arrays: what growing returns and everything else reads.
//
// Nodes and leaves are numbered tree by tree. A node's children are `left` and `left + 1`, counted from the
// tree's first node; a leaf has left = -1 - (its number among the tree's leaves).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/buffer.hpp"
#include "core/categories.hpp"
#include "core/grid.hpp"
#include "core/views.hpp"

namespace silvan {

// One tree while and after it grows; members and values are those of its leaves, in the leaves' order. Its
// memory serves one tree after the other.
struct TreeArrays {
    Buffer<std::int32_t> left;
    Buffer<float> threshold;
    Buffer<std::uint8_t> missing_left;
    Buffer<std::int32_t> n_nonzeros;  // of each node's direction
    Buffer<std::int64_t> direction_start;  // directions are in the order in which nodes were split
    Buffer<std::int32_t> direction_indices;
    Buffer<float> direction_weights;
    Buffer<std::int32_t> n_samples;
    Buffer<double> weight;
    Buffer<float> impurity;
    Buffer<std::int32_t> n_values;  // of each leaf
    Buffer<std::int32_t> value_outputs;
    Buffer<double> values;
    Buffer<std::int32_t> n_members;  // of each leaf
    Buffer<std::uint32_t> members;

    void clear();
    void add_nodes(std::size_t n);
};

struct ForestArrays {
    Buffer<std::int64_t> tree_offsets;
    Buffer<std::int64_t> leaf_offsets;
    Buffer<std::int32_t> left;
    Buffer<float> threshold;
    Buffer<std::uint8_t> missing_left;
    Buffer<std::int64_t> direction_indptr;
    Buffer<std::int32_t> direction_indices;
    Buffer<float> direction_weights;
    Buffer<std::int32_t> n_samples;
    Buffer<double> weight;
    Buffer<float> impurity;
    Buffer<std::int64_t> value_indptr;
    Buffer<std::int32_t> value_outputs;
    Buffer<double> values;
    Buffer<std::int64_t> member_indptr;
    Buffer<std::int32_t> members;

    ForestArrays();

    void append(const TreeArrays& tree);
};

// Growing and predicting both route rows through this: left keeps values up to the threshold, and missing
// values if the node says so.
inline bool goes_left(float value, float threshold, bool missing_left) {
    return value <= threshold || (missing_left && value != value);
}

// A forest as a reader sees it.
struct ForestView {
    std::int64_t n_trees = 0;
    std::int64_t n_features = 0;
    std::int64_t n_outputs = 0;
    const std::int64_t* tree_offsets = nullptr;
    const std::int64_t* leaf_offsets = nullptr;
    const std::int32_t* left = nullptr;
    const float* threshold = nullptr;
    const std::uint8_t* missing_left = nullptr;
    const std::int64_t* direction_indptr = nullptr;
    const std::int32_t* direction_indices = nullptr;
    const float* direction_weights = nullptr;
    const std::int64_t* value_indptr = nullptr;
    const std::int32_t* value_outputs = nullptr;
    const double* values = nullptr;
    const Grid* grid = nullptr;  // where directions may be over its running sums
    const Categories* categories = nullptr;  // where directions may be over indicators of categories
};

}  // namespace silvan
