// Which training samples a tree sees: bootstrap or subsample, as whole multiplicities of distinct samples.
#pragma once

#include <cstdint>
#include <vector>

#include "core/thread_team.hpp"
#include "core/views.hpp"

namespace silvan {

struct SampleDraws {
    // Canonical order of the samples (see canonical_order): draws are positions in it, so they depend on what
    // the samples hold and not on the order in which they were given.
    const std::uint32_t* order = nullptr;
    // Running sums, in canonical order, of the weights that draw probabilities are proportional to;
    // nullptr: all equal.
    const double* cumulative = nullptr;
    std::int64_t n_samples = 0;
    std::int64_t n_draws = 0;
    bool replace = true;
    // Share of its distinct samples that an honest tree fills its leaves from; 0: trees are not honest.
    double estimation_share = 0.0;
    // For each position in canonical order 1 if the sample there equals the one before; nullptr: none does.
    const std::uint8_t* repeats = nullptr;
    // How often each sample was drawn, for one tree whose draws were made elsewhere, from a larger set; nullptr: draws
    // are made here.
    const std::int32_t* given = nullptr;
    // The places of the samples in the canonical order of that larger set; nullptr: this set is all there is.
    const std::uint32_t* ranks = nullptr;
    // Where groups of samples end in canonical order; every tree draws the same number from a group with replacement,
    // in proportion to its weight and up to one draw. nullptr: there is one group.
    const std::int64_t* strata = nullptr;
    std::int64_t n_strata = 0;
    // The number that tree 0 has in the forest that it was grown in.
    std::int64_t first_tree = 0;
};

inline bool is_honest(const SampleDraws& draws) { return draws.estimation_share > 0.0; }

// Fills `multiplicity` (n_samples entries) with how often tree number `tree` draws each sample. Without
// replacement n_draws distinct samples are drawn uniformly. Takes time in proportion to n_samples, whatever n_draws is.
void draw_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree, std::int32_t* multiplicity);

// Samples that a tree drew, ascending, and how often it drew each.
struct DrawnSamples {
    std::vector<std::uint32_t> samples;
    std::vector<std::int32_t> counts;
};

// The same draws as a list: where n_draws is below n_samples, in memory and time that grow with n_draws, besides a bit
// for each sample without replacement.
DrawnSamples list_drawn_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree);

// Divides the samples that an honest tree drew: 1 for those that fill its leaves, 0 for those that decide its
// splits. All subsets of the right size are equally likely; equal samples stay together, and there is at least one
// distinct sample on either side. Empty if the tree drew one distinct sample only: it has nothing to split.
std::vector<std::uint8_t> choose_estimation_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree,
                                                    const std::int32_t* multiplicity);

// The samples that fill the leaves of an honest tree, ascending; none if trees are not honest.
std::vector<std::uint32_t> list_estimation_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree);

// A hash of the features (times factors, see below) and targets of each sample, by which canonical_order sorts.
template <typename Target>
std::vector<std::uint64_t> hash_samples(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                        const float* factors, const ThreadTeam& team);

// Sorts samples by a hash of their features and targets, equal ones by weight (nullptr: all equal), stably: equal
// samples end up side by side, and any permutation of the training set gives the same sequence of samples and weights.
// `targets` is n_samples x n_targets, of std::int32_t or double. With factors, one per feature, the hash is of the
// features times their factors: in other units with other factors the order is the same.
template <typename Target>
std::vector<std::uint32_t> canonical_order(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                           const double* weights, const float* factors, const ThreadTeam& team);

// For each position in `order`, the canonical one with the same factors, 1 if the sample there equals the one before.
template <typename Target>
std::vector<std::uint8_t> mark_repeats(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                       const std::uint32_t* order, const float* factors, const ThreadTeam& team);

}  // namespace silvan
