// Packs the nodes of a forest.
#include "core/packed_forest.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace silvan {

PackedForest::PackedForest(const ForestView& forest, const ThreadTeam& team) : view_(forest) {
    const std::int64_t n_nodes = view_.tree_offsets[view_.n_trees];
    const std::int64_t n_terms = view_.direction_indptr[n_nodes];
    const std::int64_t n_splits = n_nodes - view_.leaf_offsets[view_.n_trees];
    single_terms_ = n_terms == n_splits &&
                    std::all_of(view_.direction_indices, view_.direction_indices + n_terms,
                                [&](std::int32_t column) { return column < view_.n_features; });
    nodes_.allocate(static_cast<std::size_t>(n_nodes + view_.n_trees));
    leaves_.allocate(static_cast<std::size_t>(view_.leaf_offsets[view_.n_trees]));
    std::vector<Count> counts(static_cast<std::size_t>(view_.n_trees));
    if (!single_terms_) {
        team.for_blocks(view_.n_trees, 1, [&](std::int64_t tree, std::int64_t) {
            counts[static_cast<std::size_t>(tree)] = count(tree);
        });
        allocate_chunks(counts, n_splits);
    }
    team.for_blocks(view_.n_trees, 1, [&](std::int64_t tree, std::int64_t) {
        pack_tree(tree, counts[static_cast<std::size_t>(tree)].chunks);
    });
}

void PackedForest::allocate_chunks(std::vector<Count>& counts, std::int64_t n_splits) {
    Count total;
    for (Count& tree : counts) {
        total.packed += tree.packed;
        total.chunks += std::exchange(tree.chunks, total.chunks);
    }
    if (total.chunks >= PackedNode::kMissingLeft) {
        throw std::length_error("the directions of the forest are too many to be numbered in 31 bits");
    }
    mostly_packed_ = 2 * total.packed >= n_splits;
    chunks_.allocate(static_cast<std::size_t>(std::max<std::int64_t>(total.chunks, 1)));
    chunks_[0] = {};
}

std::int64_t PackedForest::bytes() const {
    return static_cast<std::int64_t>(nodes_.size() * sizeof(PackedNode) + chunks_.size() * sizeof(TermChunk) +
                                     leaves_.size() * sizeof(PackedLeaf));
}

// Indices rise.
bool PackedForest::is_packed(const Direction& direction) const {
    return direction.n_nonzeros <= kMaxTerms && direction.indices[direction.n_nonzeros - 1] < view_.n_features;
}

PackedForest::Count PackedForest::count(std::int64_t tree) const {
    const TreeView nodes(view_, tree);
    const auto n_nodes = static_cast<std::int32_t>(view_.tree_offsets[tree + 1] - view_.tree_offsets[tree]);
    throw_if_stopped(n_nodes);
    Count count;
    for (std::int32_t node = 0; node < n_nodes; ++node) {
        if (nodes.left[node] < 0) continue;
        const Direction direction = nodes.direction(node);
        if (!is_packed(direction)) continue;
        ++count.packed;
        constexpr std::int64_t width = TermChunk::kTerms;
        count.chunks += (direction.n_nonzeros + width - 1) / width;
    }
    return count;
}

void PackedForest::pack_tree(std::int64_t tree, std::int64_t chunk) {
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
        pack_direction(nodes.direction(node), chunk, packed);
        if (nodes.missing_left[node] != 0) packed.where |= PackedNode::kMissingLeft;
    }
}

void PackedForest::pack_direction(const Direction& direction, std::int64_t& chunk, PackedNode& packed) {
    if (single_terms_) {
        packed.where = static_cast<std::uint32_t>(direction.indices[0]);
        packed.weight = direction.weights[0];
        return;
    }
    packed.where = static_cast<std::uint32_t>(chunk);
    packed.n_chunks = 0;
    if (!is_packed(direction)) return;
    const auto n_terms = static_cast<std::size_t>(direction.n_nonzeros);
    for (std::size_t k = 0; k < n_terms; k += TermChunk::kTerms) {
        TermChunk& terms = chunks_[static_cast<std::size_t>(chunk++)];
        ++packed.n_chunks;
        for (std::size_t i = 0; i < TermChunk::kTerms; ++i) {
            const bool is_term = k + i < n_terms;
            terms.columns[i] = direction.indices[is_term ? k + i : n_terms - 1];
            terms.weights[i] = is_term ? direction.weights[k + i] : 0.0F;
        }
    }
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
