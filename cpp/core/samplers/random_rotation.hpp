// Directions of one random rotation per tree: the distribution of random rotation forests (Blaser & Fryzlewicz 2016).
#pragma once

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Each tree has a rotation of its own, uniform (Haar) over the matrices with orthonormal columns and
// determinant +1. A node gets min(n_directions, n_features) distinct columns, uniform without replacement
// and in random order. A sampler holds n_features^2 floats and takes about (4/3) n_features^3 operations to
// make.
class RandomRotation final : public ProjectionDistribution {
public:
    explicit RandomRotation(std::int64_t n_features) : n_features_(n_features) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
};

// A Haar rotation of `n` dimensions, column after column.
std::vector<float> draw_rotation(std::int64_t n, Random& random);

}  // namespace silvan
