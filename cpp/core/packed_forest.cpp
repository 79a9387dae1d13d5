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
    features_ = fit_feature_nodes();
    const auto n_slots = static_cast<std::size_t>(n_nodes + view_.n_trees);
    if (features_) {
        feature_nodes_.allocate(n_slots);
    } else {
        nodes_.allocate(n_slots);
    }
    leaves_.allocate(static_cast<std::size_t>(view_.leaf_offsets[view_.n_trees]));
    team.for_blocks(view_.n_trees, 1, [&](std::int64_t tree, std::int64_t) {
        features_ ? pack_features(tree) : pack_tree(tree);
        for (std::int64_t leaf = view_.leaf_offsets[tree]; leaf < view_.leaf_offsets[tree + 1]; ++leaf) pack_leaf(leaf);
    });
}

bool PackedForest::fit_feature_nodes() const {
    if (!single_terms_ || view_.n_features > (1 << FeatureNode::kFeatureBits)) return false;
    const std::int64_t n_terms = view_.direction_indptr[view_.tree_offsets[view_.n_trees]];
    if (!std::all_of(view_.direction_coefficients, view_.direction_coefficients + n_terms,
                     [](float coefficient) { return coefficient == 1.0F; })) {
        return false;
    }
    for (std::int64_t tree = 0; tree < view_.n_trees; ++tree) {
        if (view_.tree_offsets[tree + 1] - view_.tree_offsets[tree] > FeatureNode::kNextMask) return false;
    }
    return true;
}

// As pack_tree; there are fewer leaves than nodes, so that their numbers have room, too.
void PackedForest::pack_features(std::int64_t tree) {
    const TreeView nodes(view_, tree);
    const auto n_nodes = static_cast<std::int32_t>(view_.tree_offsets[tree + 1] - view_.tree_offsets[tree]);
    throw_if_stopped(4 * n_nodes);
    FeatureNode* slots = feature_nodes_.data() + view_.tree_offsets[tree] + tree;
    slots[0] = {};
    for (std::int32_t node = 0; node < n_nodes; ++node) {
        const std::int32_t left = nodes.left[node];
        if (left < 0) {
            const auto leaf = static_cast<std::uint32_t>(-1 - left);
            slots[node + 1] = {std::bit_cast<float>(FeatureNode::kNoNumber | leaf), FeatureNode::kMissingLeft};
            continue;
        }
        const auto feature = static_cast<std::uint32_t>(nodes.direction(node).indices[0]);
        std::uint32_t fields = feature | (static_cast<std::uint32_t>(left - node) << FeatureNode::kFeatureBits);
        if (nodes.missing_left[node] != 0) fields |= FeatureNode::kMissingLeft;
        slots[node + 1] = {nodes.threshold[node], fields};
    }
}

std::int64_t PackedForest::bytes() const {
    return static_cast<std::int64_t>(nodes_.size() * sizeof(PackedNode) + feature_nodes_.size() * sizeof(FeatureNode) +
                                     leaves_.size() * sizeof(PackedLeaf));
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
