// The search for a node's best split by some criterion, as the grower sees it: a few calls a node.
#pragma once

#include <algorithm>
#include <cmath>
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
    std::int64_t min_samples_leaf;  // of either side of a split, at the node that is searched
    double min_weight_leaf;         // of either side of a split
    bool random_thresholds;         // one threshold is drawn along each direction, instead of the best one found
    const std::int8_t* monotone = nullptr;  // per feature -1, 0 or 1, where directions are single features; or none
    const ValueBounds* bounds = nullptr;    // of the node that is searched, where there are constraints
    double min_balance = 0.0;               // share of a node's samples that either side of its split needs
    bool agnostic = false;                  // the first split that is allowed is taken, whatever its score
};

// Samples that either side of a split needs at a node of so many: the share rounded up, unless that is more than half.
inline std::int64_t least_samples_of_side(std::int64_t min_samples_leaf, double min_balance, std::int64_t n_samples) {
    constexpr double kRounding = 1e-9;  // 0.1 * 30 must not be more than 3
    const auto share = static_cast<std::int64_t>(std::ceil(min_balance * static_cast<double>(n_samples) - kRounding));
    return std::max(min_samples_leaf, std::min(share, n_samples / 2));
}

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

    // Best split of the loaded node over some directions of `batch`. The winner's values are then in
    // scratch.values.best().
    virtual Split find(const NodeContext& node, const ProjectionBatch& batch, DirectionRange directions) = 0;

    // Whether the best split over all directions is the best of those over some of them, whoever finds these.
    virtual bool may_be_shared() const = 0;

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
