// Packs the nodes of a forest.
#include "core/packed_forest.hpp"

#include <algorithm>
#include <limits>

namespace silvan {

PackedForest::PackedForest(const ForestView& forest, const ThreadTeam& team) : view_(forest) {
    const std::int64_t n_nodes = view_.tree_offsets[view_.n_trees];
    const std::int64_t n_terms = view_.direction_indptr[n_nodes];
    const std::int64_t n_splits = n_nodes - view_.leaf_offsets[view_.n_trees];
    single_terms_ = n_terms == n_splits && std::all_of(view_.direction_indices, view_.direction_indices + n_terms,
                                                       [&](std::int32_t column) { return column < view_.n_features; });
    nodes_.allocate(static_cast<std::size_t>(n_nodes + view_.n_trees));
    leaves_.allocate(static_cast<std::size_t>(view_.leaf_offsets[view_.n_trees]));
    team.for_blocks(view_.n_trees, 1, [&](std::int64_t tree, std::int64_t) { pack_tree(tree); });
}

std::int64_t PackedForest::bytes() const {
    return static_cast<std::int64_t>(nodes_.size() * sizeof(PackedNode) + leaves_.size() * sizeof(PackedLeaf));
}

void PackedForest::pack_tree(std::int64_t tree) {
    const TreeView nodes(view_, tree);
    const auto n_nodes = static_cast<std::int32_t>(view_.tree_offsets[tree + 1] - view_.tree_offsets[tree]);
    throw_if_stopped(4 * n_nodes);
    PackedNode* slots = nodes_.data() + view_.tree_offsets[tree] + tree;
    slots[0] = {};
    for (std::int32_t node = 0; node < n_nodes; ++node) {
        PackedNode& packed = slots[node + 1];
        const std::int32_t left = nodes.left[node];
        if (left < 0) {
            const std::int32_t leaf = -1 - left;
            packed = {0, PackedNode::kMissingLeft, std::numeric_limits<float>::infinity(), {}};
            packed.leaf = PackedNode::kLeafBase + static_cast<std::uint32_t>(leaf);
            pack_leaf(view_.leaf_offsets[tree] + leaf);
            continue;
        }
        packed.next = left - node;
        packed.threshold = nodes.threshold[node];
        pack_direction(nodes.direction(node), nodes.indptr[node] - nodes.indptr[0], packed);
        if (nodes.missing_left[node] != 0) packed.where |= PackedNode::kMissingLeft;
    }
}

// Indices rise.
void PackedForest::pack_direction(const Direction& direction, std::int64_t first, PackedNode& packed) const {
    if (single_terms_) {
        packed.where = static_cast<std::uint32_t>(direction.indices[0]);
        packed.coefficient = direction.coefficients[0];
        return;
    }
    const bool over_features = direction.indices[direction.n_nonzeros - 1] < view_.n_features;
    const bool numbered = over_features && first < PackedNode::kMissingLeft;
    packed.where = numbered ? static_cast<std::uint32_t>(first) : 0;
    packed.n_terms = numbered ? static_cast<std::uint32_t>(direction.n_nonzeros) : 0;
}

void PackedForest::pack_leaf(std::int64_t leaf) {
    const std::int64_t begin = view_.value_indptr[leaf];
    PackedLeaf& packed = leaves_[static_cast<std::size_t>(leaf)];
    packed.n_values = static_cast<std::int32_t>(view_.value_indptr[leaf + 1] - begin);
    packed.output = 0;
    if (packed.n_values == 1) {
        packed.output = view_.value_outputs[begin];
        packed.value = view_.values[begin];
    } else {
        packed.values = begin;
    }
}

}  // namespace silvan
