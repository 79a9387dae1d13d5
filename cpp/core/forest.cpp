// Appends trees to a forest.
#include "core/forest.hpp"

#include <cstddef>

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
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        const auto length = static_cast<std::size_t>(tree.n_nonzeros[node]);
        direction_indices.append(tree.direction_indices.data() + tree.direction_start[node], length);
        direction_coefficients.append(tree.direction_coefficients.data() + tree.direction_start[node], length);
    }
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

}  // namespace silvan
