// Hyperplanes that are perturbed until they split well: the trees of Heath, Kasif and Salzberg (1993).
#pragma once

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Each direction draws `n_drawn` distinct features and looks at the node's samples (thinned to `max_samples`, see
// NodeSample) along them, each divided by its standard deviation. It starts with standard normal coefficients. A
// perturbation adds a number uniform over (-1/2, 1/2) to one of them, uniformly drawn, and is kept unless the best
// split of those samples becomes worse by the Gini impurity of their classes or the variance of one uniformly drawn
// output. There are `n_perturbations` of them.
//
// Where there is nothing to split (one class, constant features) the direction is the first feature drawn.
class PerturbedHyperplanes final : public ProjectionDistribution {
public:
    struct Options {
        std::int64_t n_drawn;
        std::int64_t n_perturbations;
        std::int64_t max_samples;
    };

    PerturbedHyperplanes(std::int64_t n_features, Options options) : n_features_(n_features), options_(options) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    Options options_;
};

}  // namespace silvan
