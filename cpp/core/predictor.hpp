// Sends samples down the trees of a forest.
#pragma once

#include <cstdint>

#include "core/packed_forest.hpp"
#include "core/sample_draws.hpp"
#include "core/thread_team.hpp"
#include "core/views.hpp"

namespace silvan {

// nodes[i * n_trees + t] = the node of tree t, counted from the tree's first, where sample i ends.
void apply_forest(const PackedForest& forest, const FeatureMatrix& features, const ThreadTeam& team,
                  std::int32_t* nodes);

enum class Voting : std::uint8_t { soft, hard };

// Adds the trees' leaf values (hard: one vote for the largest value, which equal ones share) to sums,
// n_samples x n_outputs, in the order of the trees.
void sum_votes(const PackedForest& forest, const FeatureMatrix& features, Voting voting, TreeRange trees,
               const ThreadTeam& team, double* sums);

// How the trees of a forest drew their samples.
struct TreeDraws {
    const SampleDraws& samples;
    std::uint64_t seed;
};

struct OutOfBagVotes {
    double* sums;          // n_samples x n_outputs
    std::int32_t* counts;  // trees that did not draw the sample
};

// The same over the trees that did not draw the sample.
void sum_out_of_bag_votes(const PackedForest& forest, const FeatureMatrix& features, Voting voting,
                          const TreeDraws& draws, const ThreadTeam& team, const OutOfBagVotes& votes);

}  // namespace silvan
