// Joins separately grown trees into one forest.
#include "core/forest.hpp"

#include <cstddef>

namespace silvan {
namespace {

template <typename T>
void join(std::vector<TreeArrays>& trees, std::vector<T> TreeArrays::* field, std::vector<T>& to) {
    std::size_t size = 0;
    for (const TreeArrays& tree : trees) size += (tree.*field).size();
    to.reserve(size);
    for (TreeArrays& tree : trees) {
        to.insert(to.end(), (tree.*field).begin(), (tree.*field).end());
        std::vector<T>().swap(tree.*field);
    }
}

std::vector<std::int64_t> join_lengths(std::vector<TreeArrays>& trees,
                                       std::vector<std::int32_t> TreeArrays::* field) {
    std::size_t size = 1;
    for (const TreeArrays& tree : trees) size += (tree.*field).size();
    std::vector<std::int64_t> offsets;
    offsets.reserve(size);
    offsets.push_back(0);
    for (TreeArrays& tree : trees) {
        for (const std::int32_t length : tree.*field) offsets.push_back(offsets.back() + length);
        std::vector<std::int32_t>().swap(tree.*field);
    }
    return offsets;
}

}  // namespace

ForestArrays join_trees(std::vector<TreeArrays>&& trees) {
    ForestArrays forest;
    forest.tree_offsets.push_back(0);
    forest.leaf_offsets.push_back(0);
    for (const TreeArrays& tree : trees) {
        forest.tree_offsets.push_back(forest.tree_offsets.back() + static_cast<std::int64_t>(tree.left.size()));
        forest.leaf_offsets.push_back(forest.leaf_offsets.back() +
                                      static_cast<std::int64_t>(tree.n_values.size()));
    }
    join(trees, &TreeArrays::left, forest.left);
    join(trees, &TreeArrays::threshold, forest.threshold);
    join(trees, &TreeArrays::missing_left, forest.missing_left);
    forest.direction_indptr = join_lengths(trees, &TreeArrays::n_nonzeros);
    join(trees, &TreeArrays::direction_indices, forest.direction_indices);
    join(trees, &TreeArrays::direction_weights, forest.direction_weights);
    join(trees, &TreeArrays::n_samples, forest.n_samples);
    join(trees, &TreeArrays::weight, forest.weight);
    join(trees, &TreeArrays::impurity, forest.impurity);
    forest.value_indptr = join_lengths(trees, &TreeArrays::n_values);
    join(trees, &TreeArrays::value_outputs, forest.value_outputs);
    join(trees, &TreeArrays::values, forest.values);
    forest.member_indptr = join_lengths(trees, &TreeArrays::n_members);
    join(trees, &TreeArrays::members, forest.members);
    return forest;
}

}  // namespace silvan
