// Grows subtrees of few samples on single features: nodes are sets of samples, and what a feature says of all samples
// of the subtree is found once for all its nodes.
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
#include "core/samplers/partial_shuffle.hpp"
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

    // Whether it may grow subtrees of a forest with such options at all.
    bool serves() const { return serves_; }

    // Grows the subtree and returns true; or does nothing, where that would not pay or has no room.
    bool grow(const SubtreeRoot& root, PartialShuffle& features, TreeArrays& arrays);

private:
    struct OpenSet {
        std::uint64_t samples;
        std::int32_t node;
        std::int64_t depth;
        std::uint64_t key;
    };
    struct Found {
        SetSplit split;
        std::int32_t feature = 0;
        float threshold = 0.0F;
    };

    bool read_classes(const SubtreeRoot& root);
    void grow_node(const OpenSet& open, PartialShuffle& features, TreeArrays& arrays);
    bool may_split(const OpenSet& open) const;
    Found find_split(const OpenSet& open, PartialShuffle& features);
    Found search(std::int64_t n_features, std::uint64_t key);
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

    // Of the subtree.
    SubtreeRoot root_{};
    std::uint32_t samples_[kSetSamples];
    ClassSets classes_;
    std::int32_t class_codes_[kMaxSetClasses];
    std::int64_t n_written_ = 0;  // samples of leaves so far
    std::vector<OpenSet> open_;
    std::uint64_t number_ = 0;             // of the subtree, counted by this object
    std::vector<std::uint64_t> made_for_;  // per feature: the subtree that its sets or values are of
    std::vector<ValueSets> sets_;          // per feature
    std::int64_t offsets_[kSetSamples];    // of the samples' codes
    std::uint64_t offsets_for_ = 0;        // the subtree that they are of

    // Of a node.
    NodeSets node_;
    std::vector<std::int32_t> drawn_;
};

}  // namespace silvan
