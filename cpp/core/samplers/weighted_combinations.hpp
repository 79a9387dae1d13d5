// Combinations of features that are drawn by weights: guided search (Tomita 2018, section 2.5).
#pragma once

#include <utility>
#include <vector>

#include "core/samplers/alias_table.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/samplers/random_coefficients.hpp"

namespace silvan {

// At each node a number of features is drawn uniformly from {min_size, ..., max_size}. Each direction of the node has
// so many distinct features, drawn one after the other with probability proportional to their weights, with independent
// coefficients; fewer where fewer weights are positive.
class WeightedCombinations final : public ProjectionDistribution {
public:
    // The weights are not negative, at least one is positive. 1 <= min_size <= max_size.
    WeightedCombinations(std::vector<double> weights, std::pair<std::int64_t, std::int64_t> sizes,
                         CoefficientKind coefficients);

    std::int64_t n_features() const override { return static_cast<std::int64_t>(weights_.size()); }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::vector<double> weights_;
    AliasTable table_;
    std::int64_t min_size_, max_size_;
    CoefficientKind coefficients_;
};

}  // namespace silvan
