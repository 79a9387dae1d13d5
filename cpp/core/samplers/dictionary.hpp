// Directions drawn from a given list of atoms: any dictionary a user can write down (Perry 2020, 3.1).
#pragma once

#include <vector>

#include "core/samplers/alias_table.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Each direction is an atom (a sample of `atoms`), drawn independently and with replacement; cumulative[i] is the
// probability of an atom up to and including i. Throws std::invalid_argument if the atoms break the contract of
// ProjectionBatch.
class Dictionary final : public ProjectionDistribution {
public:
    Dictionary(std::int64_t n_features, ProjectionBatch atoms, const std::vector<double>& cumulative);

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    ProjectionBatch atoms_;
    AliasTable chances_;
};

}  // namespace silvan
