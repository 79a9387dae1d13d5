// Windows on channels: statistics of boxes of any size on arrays that are made of each sample.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/window.hpp"
#include "core/columns/window_pool.hpp"
#include "core/samplers/alias_table.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/samplers/spans.hpp"

namespace silvan {

struct WindowOptions {
    std::vector<std::vector<PatchAxis>> channels;  // the axes of each; an axis wraps on all channels or on none
    std::vector<double> weights;                   // of each channel, not all zero
    std::vector<WindowStatistic> statistics;       // ascending
    std::int64_t n_patches = 1;
    std::int64_t max_shift = 0;  // at most 127
    double shift_probability = 0.0;
    double whole_probability = 0.0;
};

// A direction draws a channel by its weight, a statistic, and a box as patches do. Further boxes have the first one's
// size and lie near it on the same channel; they are subtracted and added in turn, and where all cancel out the first
// stands alone. A mean is shifted with the given probability: by r ~ U{1, max_shift} to its largest or its smallest
// value, all boxes of a direction alike. With the given probability a direction is a channel's whole instead, one box
// that is not shifted: what it says does not depend on where things lie.
class Windows final : public ProjectionDistribution {
public:
    explicit Windows(WindowOptions options);

    std::int64_t n_features() const override { return n_features_; }
    ColumnDescription columns() const override;
    const Windows* windows() const override { return this; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

    // Directions for nodes to choose from, the same for each seed and number of a pool: where their columns have a
    // pool, each of them draws from it without replacement.
    WindowDirections draw_pool(std::int64_t size, std::uint64_t seed, std::uint64_t number) const;

private:
    WindowOptions options_;
    AliasTable channels_;
    std::int64_t n_features_ = 0;
};

}  // namespace silvan
