// Grows subtrees of few samples: nodes are sets of samples, and what a feature says of all samples of the subtree is
// found once for all its nodes. Directions are single features, or any over features where thresholds are drawn.
//
// The nodes are those that TreeGrower would grow, bit for bit. Half of a tree's nodes have a handful of samples, so
// that reading features, dividing samples and calling engines costs more there than the search itself.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/forest.hpp"
#include "core/grow_options.hpp"
#include "core/random.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/split_kernels.hpp"
#include "core/training_targets.hpp"

namespace silvan {

// The root of a subtree; what is drawn and written below it follows from this.
struct SubtreeRoot {
    std::uint32_t* samples;      // ascending; leaf by leaf in the end
    const std::int32_t* counts;  // how often each was drawn
    std::int64_t n_samples;
    std::int32_t node;
    std::int64_t depth;
    std::uint64_t key;
    double tree_weight;
};

class SmallSubtree {
public:
    SmallSubtree(const GrowOptions& options, const TrainingTargets& targets, NodeColumns& columns);

    // Whether it may grow subtrees of a tree whose directions come from `sampler`, from now on.
    bool serve(ProjectionSampler& sampler);

    // Grows the subtree and returns true; or does nothing, where that would not pay or has no room.
    bool grow(const SubtreeRoot& root, TreeArrays& arrays);

private:
    struct OpenSet {
        std::uint64_t samples;
        std::int32_t node;
        std::int64_t depth;
        std::uint64_t key;
    };
    struct Found {
        SetSplit split;
        std::int32_t feature = 0;  // or the number of the direction among those drawn
        float threshold = 0.0F;
    };

    // How long the arrays of a tree were.
    struct Mark {
        std::size_t nodes, leaves, directions, values;
    };

    bool read_classes(const SubtreeRoot& root);
    void start(const SubtreeRoot& root);
    void take_back(const Mark& mark, TreeArrays& arrays) const;
    void grow_node(const OpenSet& open, TreeArrays& arrays);
    bool may_split(const OpenSet& open) const;
    Found find_split(const OpenSet& open);
    Found search(std::int64_t n_features, std::uint64_t key);
    Found search_directions(std::uint64_t key);
    void read_features(const Direction& direction);
    SetSplit search_drawn(std::int32_t feature, Random& thresholds, float& threshold);
    const ValueSets& sets_of(std::int32_t feature);
    void read_feature(std::int32_t feature, ValueSets& sets);
    float threshold_of(const Found& found);
    bool samples_are_identical() const;
    void add_split(const OpenSet& open, const Found& found, TreeArrays& arrays);
    void add_leaf(const OpenSet& open, TreeArrays& arrays);

    const GrowOptions& options_;
    const TrainingTargets& targets_;
    NodeColumns& columns_;
    const SplitKernels& kernels_;
    const bool serves_;
    const bool orders_;  // whether single features are worth ordering

    // Of the tree: what draws single features, or directions.
    PartialShuffle* features_ = nullptr;
    ProjectionSampler* sampler_ = nullptr;

    // Of the subtree.
    SubtreeRoot root_{};
    std::uint32_t samples_[kSetSamples];
    ClassSets classes_;
    std::int32_t class_codes_[kMaxSetClasses];
    std::int64_t n_written_ = 0;  // samples of leaves so far
    std::vector<OpenSet> open_;
    std::uint64_t number_ = 0;             // of the subtree, counted by this object
    std::vector<std::uint64_t> made_for_;  // per feature: the subtree that its sets or values are of
    std::vector<ValueSets> sets_;          // per feature, where these are the directions
    std::vector<float> values_;            // else kSetSamples values per feature
    bool overflows_ = false;               // whether a sum of them is no number
    std::int64_t offsets_[kSetSamples];    // of the samples' codes
    std::uint64_t offsets_for_ = 0;        // the subtree that they are of

    // Of a node.
    NodeSets node_;
    ProjectionBatch batch_;
    std::vector<std::int32_t> drawn_;
};

}  // namespace silvan
