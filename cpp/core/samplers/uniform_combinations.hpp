// Combinations of a fixed number of features with uniform coefficients: the distribution of Forest-RC (Breiman 2001).
#pragma once

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Each direction has min(n_nonzeros, n_features) distinct features, a uniformly random subset, with
// independent coefficients uniform over (-1, 1).
class UniformCombinations final : public ProjectionDistribution {
public:
    UniformCombinations(std::int64_t n_features, std::int64_t n_nonzeros);

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    std::int64_t n_nonzeros_;
};

}  // namespace silvan
