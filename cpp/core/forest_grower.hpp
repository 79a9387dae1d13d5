// Grows the trees of a forest over threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/forest.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/tree_grower.hpp"

namespace silvan {

struct TreeRange {
    std::int64_t first = 0;
    std::int64_t last = 0;  // one past the last tree
};

// Grows trees [first, last). The calling thread only waits: about ten times a second it calls `on_wait` with
// the number of finished trees, which may throw to stop the growth. An exception thrown by a sampler stops
// the growth too and is thrown again here. The forest does not depend on n_threads.
ForestArrays grow_forest(const TrainingSet& training, const ProjectionDistribution& distribution,
                         const GrowOptions& options, TreeRange trees, std::int64_t n_threads,
                         const std::function<void(std::int64_t)>& on_wait);

}  // namespace silvan
