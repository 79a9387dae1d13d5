// Directions of ridge regressions on random features: the distribution of oblique random forests (Menze et al. 2011).
#pragma once

#include "core/lapack.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Each direction draws `n_drawn` distinct features and fits the node's samples (thinned to `max_samples`, see
// NodeSample) on them, each divided by its standard deviation, with an intercept.
//
// Classification: ridge logistic regression, which minimises the sum of weight * log-loss plus
// alpha / 2 |coefficients|^2. Of more than two classes, each but the first goes to the side of the first or to the
// other one by a fair coin, all again until some are on the other. Regression: ridge linear regression, the
// sum of weight * squared error plus alpha |coefficients|^2, on one uniformly drawn output.
//
// Where there is nothing to fit (one class, constant features or targets) the direction is the first feature drawn.
class RidgeDirections final : public ProjectionDistribution {
public:
    struct Options {
        std::int64_t n_drawn;
        double alpha;
        std::int64_t max_samples;
    };

    RidgeDirections(std::int64_t n_features, Options options, const Lapack& lapack)
        : n_features_(n_features), options_(options), lapack_(lapack) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    Options options_;
    const Lapack& lapack_;
};

}  // namespace silvan
