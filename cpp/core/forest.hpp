// A grown forest as plain arrays: what growing returns and everything else reads.
//
// Nodes and leaves are numbered tree by tree. A node's children are `left` and `left + 1`, counted from the
// tree's first node; a leaf has left = -1 - (its number among the tree's leaves).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/columns/column_space.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

// Trees [first, last) of a forest.
struct TreeRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

struct TreeNode {
    std::int32_t left;
    float threshold;
    std::int64_t direction_start;  // directions are in the order in which nodes were split
    std::int32_t n_nonzeros;       // of the node's direction
    std::int32_t n_samples;
    double weight;
    float impurity;
    std::uint8_t missing_left;
};

struct TreeLeaf {
    std::int32_t n_values;
    std::int32_t n_members;
};

// One tree while and after it grows; members and values are those of its leaves, in the leaves' order. Its
// memory serves one tree after the other.
struct TreeArrays {
    Buffer<TreeNode> nodes;
    Buffer<TreeLeaf> leaves;
    Buffer<std::int32_t> direction_indices;
    Buffer<float> direction_coefficients;
    Buffer<std::int32_t> value_outputs;
    Buffer<double> values;
    Buffer<std::uint32_t> members;
    Buffer<Window> windows;         // those that directions are over, direction after direction
    std::int32_t first_window = 0;  // the index of window 0 in directions: the number of features

    void clear();
    // Appends nodes that are all zero.
    void add_nodes(std::size_t n);
    // Appends the direction of a node, whose windows become the tree's.
    void add_direction(std::size_t node, const Direction& direction, std::int64_t n_features);
};

struct ForestArrays {
    Buffer<std::int64_t> tree_offsets;
    Buffer<std::int64_t> leaf_offsets;
    Buffer<std::int32_t> left;
    Buffer<float> threshold;
    Buffer<std::uint8_t> missing_left;
    Buffer<std::int64_t> direction_indptr;
    Buffer<std::int32_t> direction_indices;
    Buffer<float> direction_coefficients;
    Buffer<std::int32_t> n_samples;
    Buffer<double> weight;
    Buffer<float> impurity;
    Buffer<std::int64_t> value_indptr;
    Buffer<std::int32_t> value_outputs;
    Buffer<double> values;
    Buffer<std::int64_t> member_indptr;
    Buffer<std::int32_t> members;
    Buffer<std::int32_t> window_channel;
    Buffer<std::int32_t> window_box;  // start and end along each axis
    Buffer<std::uint8_t> window_statistic;
    Buffer<std::int8_t> window_shift;
    Buffer<float> window_scale;

    ForestArrays();

    void append(const TreeArrays& tree);

private:
    void append_directions(const TreeArrays& tree);
    void append_windows(const TreeArrays& tree, std::size_t first_term);
};

// The arrays of a forest that have its windows.
struct WindowArrays {
    const std::int32_t* channel = nullptr;
    const std::int32_t* box = nullptr;
    const std::uint8_t* statistic = nullptr;
    const std::int8_t* shift = nullptr;
    const float* scale = nullptr;
};

// Their n windows, whose boxes have so many axes.
std::vector<Window> join_windows(const WindowArrays& arrays, std::size_t n, std::size_t n_axes);

// Growing and predicting both route samples through this: left keeps values up to the threshold, and missing
// values if the node says so.
inline bool goes_left(float value, float threshold, bool missing_left) {
    return value <= threshold || (missing_left && value != value);
}

// Without a branch that depends on the values: half of them would be guessed wrong. !(value > threshold) and
// value <= threshold differ in missing values alone.
template <bool kMissingLeft, typename T>
std::int64_t partition_branchless(T* entries, T* spare, const float* values, std::int64_t n, float threshold) {
    std::int64_t n_left = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const T entry = entries[i];
        const bool left = kMissingLeft ? !(values[i] > threshold) : values[i] <= threshold;
        entries[n_left] = entry;
        spare[i - n_left] = entry;
        n_left += static_cast<std::int64_t>(left);
    }
    std::copy_n(spare, n - n_left, entries + n_left);
    return n_left;
}

// Moves the entries (numbers of samples, counts) whose values go left to the front; returns how many. Stable, so that
// samples stay in ascending order within every node and gathers stream through memory. `spare` has room for n entries.
template <typename T>
std::int64_t partition_samples(T* entries, T* spare, const float* values, std::int64_t n, float threshold,
                               bool missing_left) {
    return missing_left ? partition_branchless<true>(entries, spare, values, n, threshold)
                        : partition_branchless<false>(entries, spare, values, n, threshold);
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
    const float* direction_coefficients = nullptr;
    const std::int64_t* value_indptr = nullptr;
    const std::int32_t* value_outputs = nullptr;
    const double* values = nullptr;
    const Window* windows = nullptr;       // those that directions are over
    const ColumnSpace* columns = nullptr;  // what directions are over
};

// One tree of it.
struct TreeView {
    const std::int32_t* left;
    const float* threshold;
    const std::uint8_t* missing_left;
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const float* coefficients;
    const Window* windows;

    TreeView(const ForestView& forest, std::int64_t tree)
        : left(forest.left + forest.tree_offsets[tree]),
          threshold(forest.threshold + forest.tree_offsets[tree]),
          missing_left(forest.missing_left + forest.tree_offsets[tree]),
          indptr(forest.direction_indptr + forest.tree_offsets[tree]),
          indices(forest.direction_indices),
          coefficients(forest.direction_coefficients),
          windows(forest.windows) {}

    Direction direction(std::int32_t node) const {
        return {indices + indptr[node], coefficients + indptr[node], indptr[node + 1] - indptr[node], windows};
    }
};

}  // namespace silvan
