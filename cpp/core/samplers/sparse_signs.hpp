// Sparse directions with coefficients +1 and -1: the distributions of RerF (Tomita 2018) and SPORF (MORF paper, 2.3).
#pragma once

#include <vector>

#include "core/samplers/alias_table.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// RerF: max(1, round(mean_nonzeros * d)) nonzeros, at most p * d of them, are placed uniformly without
// replacement in the p x d matrix of a node's d directions, so that only the mean number of features of a
// direction is fixed. A direction that came out empty gets one uniformly drawn feature: d directions are
// asked for and d are given. With `drop_empty` it is left out instead, as the R package rerf does.
class MatrixSigns final : public ProjectionDistribution {
public:
    MatrixSigns(std::int64_t n_features, double mean_nonzeros, bool drop_empty);

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    double mean_nonzeros_;
    bool drop_empty_;
};

// SPORF: each direction has min(p, max(1, Poisson(mean_nonzeros))) features, a uniformly random subset.
class PoissonSigns final : public ProjectionDistribution {
public:
    PoissonSigns(std::int64_t n_features, double mean_nonzeros);

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    // probabilities[i], which need not sum to one, belongs to a direction of smallest + i features.
    struct SizeTable {
        std::int32_t smallest;
        std::vector<double> probabilities;
    };

    PoissonSigns(std::int64_t n_features, const SizeTable& table);

    static SizeTable tabulate_sizes(std::int64_t n_features, double mean);

    std::int64_t n_features_;
    std::int32_t smallest_;
    AliasTable sizes_;
};

}  // namespace silvan
