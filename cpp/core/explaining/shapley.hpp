// Interventional Shapley values of the features of samples, with respect to background samples.
#pragma once

#include <cstdint>

#include "core/forest.hpp"
#include "core/thread_team.hpp"
#include "core/views.hpp"

namespace silvan {

struct ShapleyOptions {
    // Values of a tree are exact where its directions are single features, or where hybrids of the sample and a
    // background sample ask for at most so many features; else they are sampled.
    std::int64_t max_exact_features = 12;
    // Random orders of the features for each tree and background sample. Orders are taken forwards and backwards in
    // turns: by the same background sample where it has several, else by the next.
    std::int64_t n_permutations = 1;
    std::uint64_t seed = 0;
};

// n_samples x n_features x n_outputs each.
struct ShapleySums {
    double* values;
    double* variances;
};

// Values summed over the trees and averaged over the background samples, and the estimated variances of these sums.
// For a sample and an output they add up to the tree sums of the sample less the mean of those of the background
// samples. The same for any number of threads. Throws std::invalid_argument where directions are not over features and
// categories alone.
void sum_shapley_values(const ForestView& forest, const FeatureMatrix& samples, const FeatureMatrix& background,
                        const ShapleyOptions& options, const ThreadTeam& team, const ShapleySums& sums);

}  // namespace silvan
