// Canonical directions between random features and the targets: the distribution of canonical correlation forests
// (Rainforth & Wood 2015).
#pragma once

#include "core/lapack.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// A fit draws `n_drawn` distinct features and gives the directions along which the node's samples (thinned to
// `max_samples`, see NodeSample) correlate most with their targets: indicators of the classes, or the regression
// outputs. With `bootstrap` the fit sees as many samples drawn with replacement, or the samples themselves where that
// draw admits no fit. It gives at most as many directions as there are features drawn, classes but one, or outputs;
// fits go on until there are n_directions or `max_fits` were made, of the last one the best are taken. A fit without
// any (one class, constant features) gives the first feature drawn.
class CanonicalDirections final : public ProjectionDistribution {
public:
    struct Options {
        std::int64_t n_drawn;
        bool bootstrap;
        std::int64_t max_samples;
        std::int64_t max_fits;
    };

    CanonicalDirections(std::int64_t n_features, Options options, const Lapack& lapack)
        : n_features_(n_features), options_(options), lapack_(lapack) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    Options options_;
    const Lapack& lapack_;
};

}  // namespace silvan
