// The nodes of a forest as prediction reads them: all that a step needs of a node, in one record.
//
// A forest's arrays hold a node in six places, and so a step would wait for six cache lines. Here the two children of
// a node share a line. Where directions are single features, eight bytes do: a tree of 32,000 nodes fits into a
// second-level cache. Terms of longer directions lie in blocks of four, filled up with terms of coefficient zero, so
// that most directions are one block, which is half a cache line, and no branch depends on how many terms there are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/forest.hpp"
#include "core/thread_team.hpp"

namespace silvan {

struct PackedTerm {
    float coefficient;
    std::uint32_t column;
};

constexpr std::int64_t kTermsOfBlock = 4;

// Leaves can be read as splits that lead to themselves, so that a walk needs no branch for samples that have arrived.
struct PackedNode {
    static constexpr std::uint32_t kMissingLeft = 0x80000000;

    std::int32_t next;    // steps to the left child; 0 for a leaf
    std::uint32_t where;  // the column of the one term, or the first block of several; with kMissingLeft, or without
    float threshold;      // infinite for a leaf
    union {
        float coefficient;      // of the one term, where all directions of the forest have one
        std::int32_t n_blocks;  // else; 0 where terms are not over features alone, or cannot be numbered
        std::int32_t leaf;      // -1 - the number of a leaf in its tree: no number of blocks, nor a slow coefficient
    };

    bool is_leaf() const { return next == 0; }
    bool missing_left() const { return (where & kMissingLeft) != 0; }
    std::uint32_t place() const { return where & ~kMissingLeft; }
    std::uint32_t leaf_number() const { return static_cast<std::uint32_t>(-1 - leaf); }

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
    static constexpr unsigned kNextShift = kFeatureBits + 1;
    static constexpr std::uint32_t kMissingLeft = 1U << kFeatureBits;
    static constexpr std::uint32_t kNoNumber = 0x7FC00000;

    float threshold;
    std::uint32_t fields;  // the feature, where missing values go, and steps to the left child (0 for a leaf)

    bool is_leaf() const { return fields >> kNextShift == 0; }
    std::uint32_t leaf_number() const { return std::bit_cast<std::uint32_t>(threshold) & ((1U << kLeafBits) - 1); }
    std::uint32_t feature() const { return fields & ((1U << kFeatureBits) - 1); }

    template <bool kMissing>
    const FeatureNode* step(float value) const {
        auto right = static_cast<std::uint32_t>(value > threshold);
        if constexpr (kMissing) right |= static_cast<std::uint32_t>(value != value) & (~fields >> kFeatureBits & 1U);
        return this + ((fields >> kNextShift) + right);
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

    // What all directions of the forest are, and so how its nodes are read. Of features nodes are FeatureNodes, else
    // PackedNodes.
    enum class Kind : std::uint8_t {
        features,      // single ones, with coefficient one
        single_terms,  // single ones
        terms,         // sums of features
        columns        // over other columns, too
    };

    const ForestView& view() const { return view_; }
    Kind kind() const { return kind_; }
    bool has_single_terms() const { return kind_ == Kind::features || kind_ == Kind::single_terms; }
    const PackedTerm* terms() const { return terms_.data(); }
    const PackedLeaf& leaf(std::uint32_t number, std::int64_t tree) const {
        return leaves_[static_cast<std::size_t>(view_.leaf_offsets[tree] + number)];
    }
    std::int64_t bytes() const;

    // Asks for the memory of a tree before many samples walk through it: in a row it comes several times as fast as
    // line by line, by those that get there first.
    void fetch(std::int64_t tree, std::int64_t n_samples) const;

    // A slot before each root is not used, so that the children of all nodes are aligned pairs.
    template <typename Node>
    const Node* root(std::int64_t tree) const {
        const std::int64_t first = view_.tree_offsets[tree] + tree + 1;
        if constexpr (sizeof(Node) == sizeof(FeatureNode)) {
            return feature_nodes_.data() + first;
        } else {
            return nodes_.data() + first;
        }
    }

private:
    Kind find_kind() const;
    bool fit_feature_nodes() const;
    std::vector<std::int64_t> number_blocks() const;
    std::int64_t count_blocks(const Direction& direction) const;
    void pack_tree(std::int64_t tree, std::int64_t first_block);
    void pack_features(std::int64_t tree);
    std::int64_t pack_direction(const Direction& direction, std::int64_t first_block, PackedNode& packed);
    void pack_leaf(std::int64_t leaf);

    const ForestView view_;
    Kind kind_ = Kind::features;
    Buffer<PackedNode> nodes_;
    Buffer<FeatureNode> feature_nodes_;
    std::vector<std::int64_t> first_block_;  // of each tree's terms, and the end of the last
    Buffer<PackedTerm> terms_;               // the first block has coefficients of zero only, for leaves
    Buffer<PackedLeaf> leaves_;
};

}  // namespace silvan
