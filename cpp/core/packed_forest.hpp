// The nodes of a forest as prediction reads them: all that a step needs of a node, in one record.
//
// A forest's arrays hold a node in six places, and so a step would wait for six cache lines. Here the two children of
// a node share a line. Where directions are single features, eight bytes do: a tree of 32,000 nodes fits into a
// second-level cache. Directions of several terms are read from the forest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/buffer.hpp"
#include "core/forest.hpp"
#include "core/thread_team.hpp"

namespace silvan {

// Leaves can be read as splits that lead to themselves, so that a walk needs no branch for samples that have arrived.
struct PackedNode {
    static constexpr std::uint32_t kMissingLeft = 0x80000000;
    // Added to the number of a leaf, which would be a denormal coefficient otherwise, and slow to multiply with.
    static constexpr std::uint32_t kLeafBase = 0x40000000;

    std::int32_t next;    // steps to the left child; 0 for a leaf
    std::uint32_t where;  // the column of the one term, or the first of several; with kMissingLeft, or without
    float threshold;      // infinite for a leaf
    union {
        float coefficient;      // of the one term, where all directions of the forest have one
        std::uint32_t n_terms;  // else; 0 where they are not over features alone, or cannot be numbered
        std::uint32_t leaf;     // the number of a leaf in its tree, plus kLeafBase
    };

    bool is_leaf() const { return next == 0; }
    bool missing_left() const { return (where & kMissingLeft) != 0; }
    std::uint32_t place() const { return where & ~kMissingLeft; }

    std::uint32_t leaf_number() const { return leaf - kLeafBase; }
    std::uint32_t going() const { return static_cast<std::uint32_t>(next); }
    // The value of the one term.
    template <typename T>
    float value(const T* features, std::int64_t stride) const {
        return coefficient * static_cast<float>(features[place() * stride]);
    }

    // Where a value of the node's direction goes; kMissing tells whether it may be missing.
    template <bool kMissing>
    const PackedNode* step(float value) const {
        auto right = static_cast<std::uint32_t>(value > threshold);
        if constexpr (kMissing) right |= static_cast<std::uint32_t>(value != value) & (~where >> 31U);
        return this + (static_cast<std::uint32_t>(next) + right);
    }
};
static_assert(sizeof(PackedNode) == 16);

// A node whose direction is a feature; leaves as above. The threshold of a leaf is no number, but holds the leaf's:
// no value is above it.
struct FeatureNode {
    static constexpr unsigned kFeatureBits = 10;
    static constexpr unsigned kNextBits = 21;
    static constexpr unsigned kLeafBits = 22;
    static constexpr std::uint32_t kNextMask = (1U << kNextBits) - 1;
    static constexpr std::uint32_t kMissingLeft = 0x80000000;
    static constexpr std::uint32_t kNoNumber = 0x7FC00000;

    float threshold;
    std::uint32_t fields;  // the feature, steps to the left child (0 for a leaf), and where missing values go

    bool is_leaf() const { return going() == 0; }
    std::uint32_t leaf_number() const { return std::bit_cast<std::uint32_t>(threshold) & ((1U << kLeafBits) - 1); }
    std::uint32_t going() const { return (fields >> kFeatureBits) & kNextMask; }
    template <typename T>
    float value(const T* features, std::int64_t stride) const {
        return static_cast<float>(features[(fields & ((1U << kFeatureBits) - 1)) * stride]);
    }
    template <bool kMissing>
    const FeatureNode* step(float value) const {
        auto right = static_cast<std::uint32_t>(value > threshold);
        if constexpr (kMissing) right |= static_cast<std::uint32_t>(value != value) & (~fields >> 31U);
        return this + (going() + right);
    }
};
static_assert(sizeof(FeatureNode) == 8);

struct PackedLeaf {
    union {
        double value;         // if there is one
        std::int64_t values;  // else their place in the forest
    };
    std::int32_t n_values;
    std::int32_t output;  // of the one value
};
static_assert(sizeof(PackedLeaf) == 16);

class PackedForest {
public:
    // What the view points to must outlive the packed forest.
    PackedForest(const ForestView& forest, const ThreadTeam& team);

    const ForestView& view() const { return view_; }
    // Whether every direction has one term, which is a feature, and whether its coefficient is one, too: then nodes are
    // FeatureNodes, else PackedNodes.
    bool has_single_terms() const { return single_terms_; }
    bool has_features() const { return features_; }
    const PackedLeaf& leaf(std::uint32_t number, std::int64_t tree) const {
        return leaves_[static_cast<std::size_t>(view_.leaf_offsets[tree] + number)];
    }
    std::int64_t bytes() const;

    // A slot before each root is not used, so that the children of all nodes are aligned pairs.
    template <typename Node>
    const Node* root(std::int64_t tree) const {
        const std::int64_t first = view_.tree_offsets[tree] + tree + 1;
        if constexpr (std::is_same_v<Node, FeatureNode>) {
            return feature_nodes_.data() + first;
        } else {
            return nodes_.data() + first;
        }
    }

private:
    bool fit_feature_nodes() const;
    void pack_tree(std::int64_t tree);
    void pack_features(std::int64_t tree);
    void pack_direction(const Direction& direction, std::int64_t first, PackedNode& packed) const;
    void pack_leaf(std::int64_t leaf);

    const ForestView view_;
    bool single_terms_ = false;
    bool features_ = false;
    Buffer<PackedNode> nodes_;
    Buffer<FeatureNode> feature_nodes_;
    Buffer<PackedLeaf> leaves_;
};

}  // namespace silvan
