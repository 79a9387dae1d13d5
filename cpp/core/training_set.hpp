// What trees grow on: the samples' columns, targets and draws, checked against each other and made ready to read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/sample_draws.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/split_kernels.hpp"
#include "core/thread_team.hpp"
#include "core/training_targets.hpp"

namespace silvan {

class WindowPool;
class Windows;

// As the caller gives them.
struct TrainingArrays {
    FeatureLayouts layouts;
    TrainingTargets targets;
    SampleDraws samples;
    std::vector<std::int64_t> n_categories;  // of each feature, 0 for numbers; empty: all are numbers
};

// Pools of windows that the nodes of a forest choose from.
struct PoolPlan {
    std::int64_t size = 0;  // number of directions in a pool; 0: every node draws windows of its own
    std::uint64_t seed = 0;
};

class TrainingSet {
public:
    // The arrays and the distribution must outlive the set. Throws std::invalid_argument where they and the columns
    // that directions are drawn over do not belong together. Where there are pools, columns come with the first.
    TrainingSet(const TrainingArrays& arrays, const ProjectionDistribution& distribution, const SplitKernels& kernels,
                PoolPlan pools = {});

    // Whether nodes choose from pools.
    bool has_pools() const { return pool_ != nullptr; }

    // Draws the pool of this number, which takes the place of any other, and makes columns anew. The team reads its
    // windows `ahead` for all samples; else they are read when a node draws them, and trees are the same. All pools of
    // a set are read ahead, or none: sums to read windows off may take more memory than a pool.
    void draw_pool(std::int64_t number, bool ahead, const ThreadTeam& team);

    std::unique_ptr<ColumnSpace> space;
    std::unique_ptr<NodeColumns> columns;  // every thread has a reader made by for_thread
    const TrainingTargets& targets;
    const SampleDraws& samples;

private:
    const FeatureLayouts& layouts_;
    const Windows* windows_;
    const SplitKernels& kernels_;
    PoolPlan plan_;
    std::shared_ptr<WindowPool> pool_;
};

}  // namespace silvan
