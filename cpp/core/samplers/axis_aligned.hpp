// Axis-aligned directions: the distribution of Breiman's random forests (Forest-RI).
#pragma once

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// A node gets min(n_directions, n_features) distinct features, uniform without replacement and in random
// order, each with coefficient 1.
class AxisAligned final : public ProjectionDistribution {
public:
    explicit AxisAligned(std::int64_t n_features) : n_features_(n_features) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
};

}  // namespace silvan
