// The trees of a forest as random orders walk them: all that a step needs of a node in one record, and the features of
// each tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/explaining/sample_pair.hpp"
#include "core/forest.hpp"

namespace silvan {

struct WalkNode {
    float threshold;
    std::int32_t left;      // as in a forest
    std::uint32_t n_terms;  // 0 where categories are among them; these are read from the forest
    bool missing_left;
    std::int64_t first_term;  // of all trees

    bool is_leaf() const { return left < 0; }
};

struct WalkTerm {
    std::int32_t feature;
    float coefficient;
};

// What all threads share. The forest must outlive it.
class WalkForest {
public:
    // The reader tells which features directions read; of which samples does not matter.
    WalkForest(const ForestView& forest, PairReader& reader);

    const ForestView& view() const { return forest_; }
    const WalkNode* nodes(std::int64_t tree) const { return nodes_.data() + forest_.tree_offsets[tree]; }
    const WalkTerm* terms() const { return terms_.data(); }
    // Ascending.
    const std::vector<std::int32_t>& features(std::int64_t tree) const {
        return features_[static_cast<std::size_t>(tree)];
    }
    // Whether all directions of the tree are single features.
    bool has_single_features(std::int64_t tree) const { return single_[static_cast<std::size_t>(tree)]; }

private:
    void add_tree(std::int64_t tree, PairReader& reader);

    const ForestView& forest_;
    std::vector<WalkNode> nodes_;
    std::vector<WalkTerm> terms_;
    std::vector<std::vector<std::int32_t>> features_;
    std::vector<bool> single_;
};

}  // namespace silvan
