// The search for a node's best split by some criterion, as the grower sees it: a few calls a node.
#pragma once

#include <cstdint>
#include <memory>

#include "core/buffer.hpp"
#include "core/criteria/criterion.hpp"
#include "core/criteria/gaussian_space.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/search/scratch.hpp"
#include "core/value_bounds.hpp"

namespace silvan {

struct CriterionOptions {
    Criterion criterion = Criterion::gini;
    GaussianOptions gaussian;  // where that is the criterion
};

// What search needs besides the node. Kernels and scratch must outlive it.
struct SearchSettings {
    const SplitKernels& kernels;
    SearchScratch& scratch;
    std::int64_t min_samples_leaf;
    double min_weight_leaf;  // of either side of a split
    bool random_thresholds;  // one threshold is drawn along each direction, instead of the best one found
    const std::int8_t* monotone = nullptr;  // per feature -1, 0 or 1, where directions are single features; or none
    const ValueBounds* bounds = nullptr;    // of the node that is searched, where there are constraints
};

struct NodeSummary {
    bool pure = false;
    double weight = 0.0;
    double impurity = 0.0;
};

class NodeSearch {
public:
    virtual ~NodeSearch() = default;

    // Makes room for nodes of so many samples.
    virtual void reserve_samples(std::int64_t max_samples) = 0;

    // Each side of a split has at least this weight, from now on.
    virtual void set_min_weight_leaf(double weight) = 0;

    // Reads the node's targets. `sampler` draws directions for criteria that measure a node by its columns.
    virtual NodeSummary load(const NodeContext& node, ProjectionSampler& sampler) = 0;

    // Best split of the loaded node over the directions of `batch`. The winner's values are then in
    // scratch.values.best().
    virtual Split find(const NodeContext& node, const ProjectionBatch& batch) = 0;

    // Between the means of both sides of the split that was found last, where there are monotone constraints.
    virtual double middle() const = 0;

    // By how much a split decreases the impurity, as a share of the tree's weight.
    virtual double impurity_decrease(const Split& split, double tree_weight) const = 0;

    // Appends the leaf value of the loaded node, or of one that is read for that alone.
    virtual void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const = 0;
    virtual void append_value_of(const NodeContext& node, Buffer<std::int32_t>& outputs, Buffer<double>& values) = 0;
};

// Throws std::invalid_argument where the criterion needs other targets.
void check_targets(Criterion criterion, const TrainingTargets& targets);

std::unique_ptr<NodeSearch> make_node_search(const CriterionOptions& options, const TrainingTargets& targets,
                                             const SearchSettings& settings);

}  // namespace silvan
