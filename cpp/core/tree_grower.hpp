// Grows one tree (Tomita 2018, algorithm 1): draw samples, then split node after node along the best direction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/criteria/node_search.hpp"
#include "core/estimation_samples.hpp"
#include "core/forest.hpp"
#include "core/sample_draws.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/search/scratch.hpp"
#include "core/split_kernels.hpp"
#include "core/training_set.hpp"

namespace silvan {

struct GrowOptions {
    CriterionOptions criterion;
    std::int64_t n_directions = 1;
    std::int64_t max_depth = 0;
    std::int64_t min_samples_split = 2;
    std::int64_t min_samples_leaf = 1;
    double min_impurity_decrease = 0.0;
    bool random_thresholds = false;
    std::uint64_t seed = 0;
    const SplitKernels* kernels = nullptr;
};

class TreeGrower {
public:
    TreeGrower(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options);

    // Fills `arrays` anew.
    void grow(std::int64_t tree, TreeArrays& arrays);

private:
    struct OpenNode {
        std::int64_t begin, end;
        std::int32_t node;
        std::int64_t depth;
        std::uint64_t key;
        EstimationRange estimates;
    };

    void reserve_samples(std::int64_t n_samples, std::int64_t n_leaf_samples);
    void draw_tree_samples(Buffer<std::uint32_t>& samples);
    void grow_node(const OpenNode& open, ProjectionSampler& sampler, TreeArrays& arrays);
    bool may_split(const OpenNode& open, const NodeSummary& summary) const;
    NodeContext context_of(const OpenNode& open);
    Split find_split(const OpenNode& open, ProjectionSampler& sampler);
    bool samples_are_identical(const OpenNode& open) const;
    std::int64_t partition(const OpenNode& open, const Split& split);
    void add_split(const OpenNode& open, const Split& split, TreeArrays& arrays);
    void add_leaf(const OpenNode& open, TreeArrays& arrays);

    const TrainingSet& training_;
    const ProjectionDistribution& distribution_;
    GrowOptions options_;
    std::int64_t tree_ = 0;
    double root_weight_ = 0.0;
    std::uint32_t* samples_ = nullptr;  // the samples that decide splits, node by node
    Buffer<std::int32_t> counts_;       // how often each of them was drawn
    Buffer<std::uint32_t> structure_;   // those samples of an honest tree; another's are its members in the end
    EstimationSamples estimation_;
    std::vector<OpenNode> open_;
    ProjectionBatch batch_;
    std::unique_ptr<NodeColumns> columns_;
    SearchScratch scratch_;
    std::unique_ptr<NodeSearch> search_;
};

}  // namespace silvan
