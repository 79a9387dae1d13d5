// Appends trees to a forest.
#include "core/forest.hpp"

#include <cstddef>

namespace silvan {
namespace {

void append_lengths(const std::vector<std::int32_t>& lengths, Buffer<std::int64_t>& offsets) {
    offsets.reserve(offsets.size() + lengths.size());
    for (const std::int32_t length : lengths) offsets.push_back(offsets.back() + length);
}

}  // namespace

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
    direction_indices.append(tree.direction_indices);
    direction_weights.append(tree.direction_weights);
    n_samples.append(tree.n_samples);
    weight.append(tree.weight);
    impurity.append(tree.impurity);
    append_lengths(tree.n_values, value_indptr);
    value_outputs.append(tree.value_outputs);
    values.append(tree.values);
    append_lengths(tree.n_members, member_indptr);
    members.append(tree.members);
}

}  // namespace silvan
