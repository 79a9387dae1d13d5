// Appends trees to a forest.
#include "core/forest.hpp"

#include <cstddef>
#include <limits>
#include <stdexcept>

namespace silvan {
namespace {

void append_lengths(const Buffer<std::int32_t>& lengths, Buffer<std::int64_t>& offsets) {
    offsets.reserve(offsets.size() + lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) offsets.push_back(offsets.back() + lengths[i]);
}

}  // namespace

void TreeArrays::clear() {
    left.clear();
    threshold.clear();
    missing_left.clear();
    n_nonzeros.clear();
    direction_start.clear();
    direction_indices.clear();
    direction_coefficients.clear();
    n_samples.clear();
    weight.clear();
    impurity.clear();
    n_values.clear();
    value_outputs.clear();
    values.clear();
    n_members.clear();
    members.clear();
    windows.clear();
}

void TreeArrays::add_nodes(std::size_t n) {
    const std::size_t size = left.size() + n;
    left.resize(size);
    threshold.resize(size);
    missing_left.resize(size);
    n_nonzeros.resize(size);
    direction_start.resize(size);
    n_samples.resize(size);
    weight.resize(size);
    impurity.resize(size);
}

void TreeArrays::add_direction(std::size_t node, const Direction& direction, std::int64_t n_features) {
    const auto length = static_cast<std::size_t>(direction.n_nonzeros);
    const std::size_t first = direction_indices.size();
    direction_start[node] = static_cast<std::int64_t>(first);
    n_nonzeros[node] = static_cast<std::int32_t>(length);
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
    tree_offsets.push_back(tree_offsets.back() + static_cast<std::int64_t>(tree.left.size()));
    leaf_offsets.push_back(leaf_offsets.back() + static_cast<std::int64_t>(tree.n_values.size()));
    left.append(tree.left);
    threshold.append(tree.threshold);
    missing_left.append(tree.missing_left);
    append_lengths(tree.n_nonzeros, direction_indptr);
    direction_indices.reserve(direction_indices.size() + tree.direction_indices.size());
    direction_coefficients.reserve(direction_coefficients.size() + tree.direction_coefficients.size());
    const std::size_t first_term = direction_indices.size();
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        const auto length = static_cast<std::size_t>(tree.n_nonzeros[node]);
        direction_indices.append(tree.direction_indices.data() + tree.direction_start[node], length);
        direction_coefficients.append(tree.direction_coefficients.data() + tree.direction_start[node], length);
    }
    append_windows(tree, first_term);
    n_samples.append(tree.n_samples);
    weight.append(tree.weight);
    impurity.append(tree.impurity);
    append_lengths(tree.n_values, value_indptr);
    value_outputs.append(tree.value_outputs);
    values.append(tree.values);
    append_lengths(tree.n_members, member_indptr);
    const std::size_t first_member = members.size();
    members.resize(first_member + tree.members.size());
    for (std::size_t i = 0; i < tree.members.size(); ++i) {
        members[first_member + i] = static_cast<std::int32_t>(tree.members[i]);
    }
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
    }
}

std::vector<Window> join_windows(const std::int32_t* channel, const std::int32_t* box, const std::uint8_t* statistic,
                                 const std::int8_t* shift, std::size_t n, std::size_t n_axes) {
    std::vector<Window> windows(n);
    for (std::size_t k = 0; k < n; ++k) {
        Window& window = windows[k];
        window.channel = channel[k];
        window.statistic = static_cast<WindowStatistic>(statistic[k]);
        window.shift = shift[k];
        window.n_axes = static_cast<std::uint8_t>(n_axes);
        for (std::size_t a = 0; a < n_axes; ++a) {
            window.box.start[a] = box[2 * (k * n_axes + a)];
            window.box.end[a] = box[2 * (k * n_axes + a) + 1];
        }
    }
    return windows;
}

}  // namespace silvan
