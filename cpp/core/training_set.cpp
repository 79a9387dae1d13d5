// Finds the columns of a training set, and makes them.
#include "core/training_set.hpp"

#include "core/columns/sparse_features.hpp"
#include "core/columns/window_pool.hpp"
#include "core/require.hpp"
#include "core/samplers/windows.hpp"

#include <stdexcept>
#include <utility>

namespace silvan {
namespace {

// Categories have no running sums: with them directions are over features alone.
ColumnDescription describe_columns(const TrainingArrays& arrays, const ProjectionDistribution& distribution) {
    if (arrays.n_categories.empty()) return distribution.columns();
    const bool has_targets = arrays.targets.label != nullptr || arrays.targets.value != nullptr;
    require(has_targets, "categories need targets");
    require(distribution.columns().windows.empty(),
            "windows need numbers, but X has categorical features; encode these as numbers, or draw from other "
            "projections.");
    return {{}, {}, arrays.n_categories, {}};
}

}  // namespace

TrainingSet::TrainingSet(const TrainingArrays& arrays, const ProjectionDistribution& distribution,
                         const SplitKernels& kernels, PoolPlan pools)
    : targets(arrays.targets),
      samples(arrays.samples),
      layouts_(arrays.layouts),
      windows_(distribution.windows()),
      kernels_(kernels),
      plan_(pools) {
    const FeatureMatrix& features = arrays.layouts.columns;
    require(samples.n_samples == features.n_samples, "draws need one entry per sample");
    require(samples.n_draws >= 1, "at least one sample must be drawn");
    require(distribution.n_features() == features.n_features,
            "the distribution was made for another number of features");
    space = make_column_space(features.n_features, describe_columns(arrays, distribution));
    space->check(features);
    space->place_samples(samples.ranks);
    if (features.sparse != nullptr) {
        require(space->describe() == ColumnDescription{},
                "X must be dense where directions are over large patches, windows or categories, but it is sparse; "
                "pass X.toarray().");
        columns = std::make_unique<SparseNodeColumns>(*features.sparse);
        return;
    }
    if (plan_.size > 0 && windows_ != nullptr) {
        pool_ = std::make_shared<WindowPool>(layouts_.rows_or_columns());
    } else {
        columns = space->read_training(layouts_, samples.order, kernels);
    }
}

void TrainingSet::draw_pool(std::int64_t number, bool ahead, const ThreadTeam& team) {
    columns.reset();
    team.run(1, [&] {
        pool_->refill(windows_->draw_pool(plan_.size, plan_.seed, static_cast<std::uint64_t>(number)));
        if (!ahead) columns = space->read_pool(layouts_, pool_, kernels_, nullptr);
    });
    if (ahead) columns = space->read_pool(layouts_, pool_, kernels_, &team);
}

}  // namespace silvan
