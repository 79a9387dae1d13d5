// Packs the nodes of a forest.
#include "core/packed_forest.hpp"

#include <algorithm>
#include <limits>

namespace silvan {

PackedForest::PackedForest(const ForestView& forest, const ThreadTeam& team) : view_(forest), kind_(find_kind()) {
    const std::int64_t n_nodes = view_.tree_offsets[view_.n_trees];
    const auto n_slots = static_cast<std::size_t>(n_nodes + view_.n_trees);
    if (kind_ == Kind::features) {
        feature_nodes_.allocate(n_slots);
    } else {
        nodes_.allocate(n_slots);
        first_block_ = number_blocks();
        terms_.allocate(static_cast<std::size_t>(kTermsOfBlock * first_block_.back()));
        std::fill_n(terms_.data(), kTermsOfBlock * first_block_.front(), PackedTerm{0.0F, 0});
    }
    leaves_.allocate(static_cast<std::size_t>(view_.leaf_offsets[view_.n_trees]));
    team.for_blocks(view_.n_trees, 1, [&](std::int64_t tree, std::int64_t) {
        if (kind_ == Kind::features) {
            pack_features(tree);
        } else {
            pack_tree(tree, first_block_[static_cast<std::size_t>(tree)]);
        }
        for (std::int64_t leaf = view_.leaf_offsets[tree]; leaf < view_.leaf_offsets[tree + 1]; ++leaf) pack_leaf(leaf);
    });
}

PackedForest::Kind PackedForest::find_kind() const {
    const std::int64_t n_nodes = view_.tree_offsets[view_.n_trees];
    const std::int64_t n_terms = view_.direction_indptr[n_nodes];
    const std::int64_t n_splits = n_nodes - view_.leaf_offsets[view_.n_trees];
    const bool over_features = std::all_of(view_.direction_indices, view_.direction_indices + n_terms,
                                           [&](std::int32_t column) { return column < view_.n_features; });
    if (!over_features || n_terms >= PackedNode::kMissingLeft) return Kind::columns;
    if (n_terms != n_splits) return Kind::terms;
    return fit_feature_nodes() ? Kind::features : Kind::single_terms;
}

bool PackedForest::fit_feature_nodes() const {
    if (view_.n_features > (1 << FeatureNode::kFeatureBits)) return false;
    const std::int64_t n_terms = view_.direction_indptr[view_.tree_offsets[view_.n_trees]];
    if (!std::all_of(view_.direction_coefficients, view_.direction_coefficients + n_terms,
                     [](float coefficient) { return coefficient == 1.0F; })) {
        return false;
    }
    for (std::int64_t tree = 0; tree < view_.n_trees; ++tree) {
        if (view_.tree_offsets[tree + 1] - view_.tree_offsets[tree] >= 1 << FeatureNode::kNextBits) return false;
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
        std::uint32_t fields = feature | (static_cast<std::uint32_t>(left - node) << FeatureNode::kNextShift);
        if (nodes.missing_left[node] != 0) fields |= FeatureNode::kMissingLeft;
        slots[node + 1] = {nodes.threshold[node], fields};
    }
}

std::int64_t PackedForest::bytes() const {
    return static_cast<std::int64_t>(nodes_.size() * sizeof(PackedNode) + feature_nodes_.size() * sizeof(FeatureNode) +
                                     terms_.size() * sizeof(PackedTerm) + leaves_.size() * sizeof(PackedLeaf));
}

// Where the blocks of each tree begin, and the end of the last; one comes before all. Single terms need none.
std::vector<std::int64_t> PackedForest::number_blocks() const {
    if (kind_ == Kind::single_terms) return std::vector<std::int64_t>(static_cast<std::size_t>(view_.n_trees + 1));
    std::vector<std::int64_t> first{1};
    for (std::int64_t tree = 0; tree < view_.n_trees; ++tree) {
        const TreeView nodes(view_, tree);
        const auto n_nodes = static_cast<std::int32_t>(view_.tree_offsets[tree + 1] - view_.tree_offsets[tree]);
        throw_if_stopped(n_nodes);
        std::int64_t n_blocks = 0;
        for (std::int32_t node = 0; node < n_nodes; ++node) {
            if (nodes.left[node] >= 0) n_blocks += count_blocks(nodes.direction(node));
        }
        first.push_back(first.back() + n_blocks);
    }
    return first;
}

// Indices rise.
std::int64_t PackedForest::count_blocks(const Direction& direction) const {
    const bool over_features = direction.indices[direction.n_nonzeros - 1] < view_.n_features;
    return over_features ? (direction.n_nonzeros + kTermsOfBlock - 1) / kTermsOfBlock : 0;
}

void PackedForest::fetch(std::int64_t tree, std::int64_t n_samples) const {
    constexpr std::int64_t kLine = 64;
    const std::int64_t first = view_.tree_offsets[tree] + tree;
    const std::int64_t n_nodes = view_.tree_offsets[tree + 1] - view_.tree_offsets[tree];
    // Where samples are few, most nodes are not visited.
    if (n_nodes * 8 > kLine * n_samples) return;
    const auto fetch_items = [](const auto* items, std::int64_t n) {
        const auto* bytes = reinterpret_cast<const char*>(items);
        const std::int64_t end = n * static_cast<std::int64_t>(sizeof(*items));
        for (std::int64_t i = 0; i < end; i += kLine) __builtin_prefetch(bytes + i);
    };
    if (kind_ == Kind::features) {
        fetch_items(feature_nodes_.data() + first, n_nodes);
    } else {
        fetch_items(nodes_.data() + first, n_nodes);
        const std::int64_t block = first_block_[static_cast<std::size_t>(tree)];
        const std::int64_t n_blocks = first_block_[static_cast<std::size_t>(tree) + 1] - block;
        fetch_items(terms_.data() + kTermsOfBlock * block, kTermsOfBlock * n_blocks);
    }
    const std::int64_t first_leaf = view_.leaf_offsets[tree];
    fetch_items(leaves_.data() + first_leaf, view_.leaf_offsets[tree + 1] - first_leaf);
}

void PackedForest::pack_tree(std::int64_t tree, std::int64_t first_block) {
    const TreeView nodes(view_, tree);
    const auto n_nodes = static_cast<std::int32_t>(view_.tree_offsets[tree + 1] - view_.tree_offsets[tree]);
    throw_if_stopped(4 * n_nodes);
    PackedNode* slots = nodes_.data() + view_.tree_offsets[tree] + tree;
    slots[0] = {};
    for (std::int32_t node = 0; node < n_nodes; ++node) {
        PackedNode& packed = slots[node + 1];
        const std::int32_t left = nodes.left[node];
        if (left < 0) {
            packed = {0, PackedNode::kMissingLeft, std::numeric_limits<float>::infinity(), {}};
            packed.leaf = left;
            continue;
        }
        packed.next = left - node;
        packed.threshold = nodes.threshold[node];
        first_block += pack_direction(nodes.direction(node), first_block, packed);
        if (nodes.missing_left[node] != 0) packed.where |= PackedNode::kMissingLeft;
    }
}

// Returns the number of blocks. A block is filled up with its first feature, which is missing where the direction is.
std::int64_t PackedForest::pack_direction(const Direction& direction, std::int64_t first_block, PackedNode& packed) {
    if (kind_ == Kind::single_terms) {
        packed.where = static_cast<std::uint32_t>(direction.indices[0]);
        packed.coefficient = direction.coefficients[0];
        return 0;
    }
    std::int64_t n_blocks = count_blocks(direction);
    if (first_block + n_blocks > PackedNode::kMissingLeft) n_blocks = 0;
    packed.where = n_blocks > 0 ? static_cast<std::uint32_t>(first_block) : 0;
    packed.n_blocks = static_cast<std::int32_t>(n_blocks);
    PackedTerm* terms = terms_.data() + kTermsOfBlock * first_block;
    for (std::int64_t k = 0; k < kTermsOfBlock * n_blocks; ++k) {
        const bool filled_up = k >= direction.n_nonzeros;
        terms[k].coefficient = filled_up ? 0.0F : direction.coefficients[k];
        terms[k].column = static_cast<std::uint32_t>(direction.indices[filled_up ? 0 : k]);
    }
    return n_blocks;
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
