// Appends trees to a forest.
#include "core/forest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace silvan {
namespace {

// Appends a field of each record.
template <typename Record, typename Field, typename T>
void append_field(const Buffer<Record>& records, Field Record::* field, Buffer<T>& values) {
    T* to = values.extend(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) to[i] = records[i].*field;
}

// The same of lengths, as ends of what they are the lengths of.
template <typename Record>
void append_lengths(const Buffer<Record>& records, std::int32_t Record::* length, Buffer<std::int64_t>& offsets) {
    std::int64_t end = offsets.back();
    std::int64_t* to = offsets.extend(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) to[i] = end += records[i].*length;
}

}  // namespace

void TreeArrays::clear() {
    nodes.clear();
    leaves.clear();
    direction_indices.clear();
    direction_coefficients.clear();
    value_outputs.clear();
    values.clear();
    members.clear();
    windows.clear();
}

void TreeArrays::add_nodes(std::size_t n) { std::fill_n(nodes.extend(n), n, TreeNode{}); }

void TreeArrays::add_direction(std::size_t node, const Direction& direction, std::int64_t n_features) {
    const auto length = static_cast<std::size_t>(direction.n_nonzeros);
    const std::size_t first = direction_indices.size();
    nodes[node].direction_start = static_cast<std::int64_t>(first);
    nodes[node].n_nonzeros = static_cast<std::int32_t>(length);
    direction_indices.append(direction.indices, length);
    direction_coefficients.append(direction.coefficients, length);
    if (direction.windows == nullptr) return;
    first_window = static_cast<std::int32_t>(n_features);
    for (std::size_t k = first; k < first + length; ++k) {
        std::int32_t& index = direction_indices[k];
        if (index < first_window) continue;
        windows.push_back(direction.windows[index - first_window]);
        index = first_window + static_cast<std::int32_t>(windows.size()) - 1;
    }
}

ForestArrays::ForestArrays() {
    for (auto* offsets : {&tree_offsets, &leaf_offsets, &direction_indptr, &value_indptr, &member_indptr}) {
        offsets->push_back(0);
    }
}

void ForestArrays::append(const TreeArrays& tree) {
    tree_offsets.push_back(tree_offsets.back() + static_cast<std::int64_t>(tree.nodes.size()));
    leaf_offsets.push_back(leaf_offsets.back() + static_cast<std::int64_t>(tree.leaves.size()));
    append_field(tree.nodes, &TreeNode::left, left);
    append_field(tree.nodes, &TreeNode::threshold, threshold);
    append_field(tree.nodes, &TreeNode::missing_left, missing_left);
    append_directions(tree);
    append_field(tree.nodes, &TreeNode::n_samples, n_samples);
    append_field(tree.nodes, &TreeNode::weight, weight);
    append_field(tree.nodes, &TreeNode::impurity, impurity);
    append_lengths(tree.leaves, &TreeLeaf::n_values, value_indptr);
    value_outputs.append(tree.value_outputs);
    values.append(tree.values);
    append_lengths(tree.leaves, &TreeLeaf::n_members, member_indptr);
    std::int32_t* to = members.extend(tree.members.size());
    for (std::size_t i = 0; i < tree.members.size(); ++i) to[i] = static_cast<std::int32_t>(tree.members[i]);
}

// Node by node.
void ForestArrays::append_directions(const TreeArrays& tree) {
    append_lengths(tree.nodes, &TreeNode::n_nonzeros, direction_indptr);
    const std::size_t first_term = direction_indices.size();
    std::int32_t* indices = direction_indices.extend(tree.direction_indices.size());
    float* coefficients = direction_coefficients.extend(tree.direction_coefficients.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const std::int64_t first = tree.nodes[i].direction_start;
        for (std::int64_t k = first; k < first + tree.nodes[i].n_nonzeros; ++k) {
            *indices++ = tree.direction_indices[static_cast<std::size_t>(k)];
            *coefficients++ = tree.direction_coefficients[static_cast<std::size_t>(k)];
        }
    }
    append_windows(tree, first_term);
}

// Windows follow each other as the terms over them do, node after node.
void ForestArrays::append_windows(const TreeArrays& tree, std::size_t first_term) {
    if (tree.windows.size() == 0) return;
    const auto room = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() - tree.first_window);
    if (window_channel.size() + tree.windows.size() > room) {
        throw std::length_error("the forest has more windows than 32 bits number; grow fewer trees");
    }
    for (std::size_t k = first_term; k < direction_indices.size(); ++k) {
        std::int32_t& index = direction_indices[k];
        if (index < tree.first_window) continue;
        const Window& window = tree.windows[static_cast<std::size_t>(index - tree.first_window)];
        index = tree.first_window + static_cast<std::int32_t>(window_channel.size());
        window_channel.push_back(window.channel);
        for (std::size_t a = 0; a < window.n_axes; ++a) {
            window_box.push_back(window.box.start[a]);
            window_box.push_back(window.box.end[a]);
        }
        window_statistic.push_back(static_cast<std::uint8_t>(window.statistic));
        window_shift.push_back(window.shift);
        window_scale.push_back(window.scale);
    }
}

std::vector<Window> join_windows(const WindowArrays& arrays, std::size_t n, std::size_t n_axes) {
    std::vector<Window> windows(n);
    for (std::size_t k = 0; k < n; ++k) {
        Window& window = windows[k];
        window.channel = arrays.channel[k];
        window.statistic = static_cast<WindowStatistic>(arrays.statistic[k]);
        window.shift = arrays.shift[k];
        window.scale = arrays.scale[k];
        window.n_axes = static_cast<std::uint8_t>(n_axes);
        for (std::size_t a = 0; a < n_axes; ++a) {
            window.box.start[a] = arrays.box[2 * (k * n_axes + a)];
            window.box.end[a] = arrays.box[2 * (k * n_axes + a) + 1];
        }
    }
    return windows;
}

}  // namespace silvan
