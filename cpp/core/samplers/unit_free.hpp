// Directions of another distribution in a space where all features have about the same spread.
#pragma once

#include <memory>
#include <vector>

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// The other distribution sees feature j times 2^-exponents[j], and its coefficients of that feature are multiplied by
// the same in directions of two or more features, so that they are over the features as they are. A direction of one
// feature stays as it is: its unit changes no split. Powers of two round nothing, so features in units that differ by
// powers of two have the same values along such directions.
// Throws std::invalid_argument unless there is one exponent per feature, between -126 and 126, and the directions are
// over features alone.
class UnitFree final : public ProjectionDistribution {
public:
    UnitFree(std::shared_ptr<const ProjectionDistribution> distribution, const std::vector<std::int32_t>& exponents);

    std::int64_t n_features() const override { return distribution_->n_features(); }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::shared_ptr<const ProjectionDistribution> distribution_;
    std::vector<float> factors_;
};

}  // namespace silvan
