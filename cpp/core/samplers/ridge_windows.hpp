// Combinations of windows that ridge regressions find: windows are drawn, screened and combined at each node.
#pragma once

#include <memory>

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Each direction draws `n_drawn` directions over windows, keeps up to `n_terms` whose values correlate most with a
// target (of equal ones the first), and is what a ridge regression of the target on these gives. A node of n distinct
// samples keeps at most terms_per_root sqrt(n), but 5 in any case: a fit to few samples would learn their noise. All
// are divided by their standard deviations, which windows keep as their scale, so that coefficients have no units. The
// regression minimises the mean squared error plus alpha |coefficients|^2; it sees the node's samples, thinned to
// `max_samples`.
//
// Classes: the target is 0 or 1, the groups that classes are put into at random (see draw_groups). Regression: one
// uniformly drawn output. A window that is missing, constant or uncorrelated with the target among these samples takes
// no part, nor one that varies by less than a millionth of what the cells of its channel do in the tree's samples.
// Where there is nothing to fit, the direction is the first one drawn.
//
// Nothing here depends on LAPACK, so that forests are the same on all processors.
class RidgeWindows final : public ProjectionDistribution {
public:
    struct Options {
        std::int64_t n_drawn;
        std::int64_t n_terms;
        double terms_per_root;  // infinity: n_terms at every node
        double alpha;
        std::int64_t max_samples;
    };

    RidgeWindows(std::shared_ptr<const ProjectionDistribution> windows, Options options)
        : windows_(std::move(windows)), options_(options) {}

    std::int64_t n_features() const override { return windows_->n_features(); }
    ColumnDescription columns() const override { return windows_->columns(); }
    const Windows* windows() const override { return windows_->windows(); }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::shared_ptr<const ProjectionDistribution> windows_;
    Options options_;
};

}  // namespace silvan
