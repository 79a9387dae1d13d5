// Grows the trees of a forest over threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/forest.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/tree_grower.hpp"

namespace silvan {

// Grows trees [first, last) over a team of n_threads (see thread_team.hpp), which calls `on_wait` with the number of
// finished trees. The forest does not depend on n_threads. Trees that share a pool of windows grow before the others,
// for which the training set draws other pools.
ForestArrays grow_forest(TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
                         TreeRange trees, std::int64_t n_threads, const std::function<void(std::int64_t)>& on_wait);

}  // namespace silvan
