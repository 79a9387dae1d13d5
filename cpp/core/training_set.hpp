// What trees grow on: the samples' columns, targets and draws, checked against each other and made ready to read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/sample_draws.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/split_kernels.hpp"
#include "core/training_targets.hpp"

namespace silvan {

// As the caller gives them.
struct TrainingArrays {
    FeatureLayouts layouts;
    TrainingTargets targets;
    SampleDraws samples;
    std::vector<std::int64_t> n_categories;  // of each feature, 0 for numbers; empty: all are numbers
};

struct TrainingSet {
    // The arrays must outlive the set. Throws std::invalid_argument where they, the distribution and the columns
    // that it draws directions over do not belong together.
    TrainingSet(const TrainingArrays& arrays, const ProjectionDistribution& distribution, const SplitKernels& kernels);

    std::unique_ptr<ColumnSpace> space;
    std::unique_ptr<NodeColumns> columns;  // every thread has a reader made by for_thread
    const TrainingTargets& targets;
    const SampleDraws& samples;
};

}  // namespace silvan
