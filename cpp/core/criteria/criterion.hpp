// What makes a split good: the criteria, and what the engines of split search ask of one.
//
// A criterion is a type that loads the targets of a node and knows its base score, impurity, leaf value and how to
// move samples from the right side of a split to the left; one that has kernels of its own says so by having the
// functions below. Engines are templates over it (see search/): a criterion that lacks what an engine needs does
// not compile. A new criterion is a type in this folder, a name in this file and a case in make_node_search.
//
// All sums are exact (integers, or fixed-point numbers prepared by the caller), so a score does not depend
// on the order of summation and every engine finds the same maximum.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/node_context.hpp"
#include "core/split.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

class ProjectionSampler;

enum class Criterion : std::uint8_t { gini, entropy, squared_error, absolute_error, poisson, gaussian };

// Throws std::invalid_argument where no criterion has this name.
Criterion criterion_named(const std::string& name);
const char* name_of(Criterion criterion);

// Sums over some samples on one side of a split, in float64.
struct SideSums {
    double weight = 0.0;
    std::vector<double> sums;
};

// A number for each side of a split.
struct SidePair {
    double left = 0.0;
    double right = 0.0;
};

inline double sum_weights_up_to(const double* weights, const float* values, std::int64_t n, float threshold) {
    double weight = 0.0;
    for (std::int64_t i = 0; i < n; ++i) weight += values[i] <= threshold ? weights[i] : 0.0;
    return weight;
}

// What every criterion has. `load` reads the targets of a node's samples; the node's counts must stay. Scores are such
// that score - base_score() is the decrease of the impurity times the node's weight and times n_averaged().
template <typename C>
concept NodeCriterion = requires(C criterion, const C& loaded, const NodeContext& node, std::int64_t sample,
                                 const float* sample_values, float threshold, Buffer<std::int32_t>& outputs,
                                 Buffer<double>& values, typename C::Accumulator& accumulator) {
    criterion.reserve_samples(sample);
    criterion.load(node);
    { loaded.n_samples() } -> std::same_as<std::int64_t>;
    { loaded.is_pure() } -> std::same_as<bool>;
    { loaded.total_weight() } -> std::same_as<double>;
    { loaded.impurity() } -> std::same_as<double>;
    { loaded.base_score() } -> std::same_as<double>;
    { loaded.n_averaged() } -> std::same_as<double>;
    { loaded.sample_weight(sample) } -> std::same_as<double>;
    { loaded.weight_up_to(sample_values, threshold) } -> std::same_as<double>;  // of the samples with values up to it
    loaded.append_value(outputs, values);
    // Samples join the left side one by one; `score` is that of the present division.
    accumulator.clear();
    accumulator.add(sample);
    { accumulator.score() } -> std::same_as<double>;
    static_cast<double>(accumulator.weight_left);
};

// Whether both sides of the present division have at least so much weight.
template <typename C>
bool has_weight(const C& criterion, const typename C::Accumulator& accumulator, double min_weight) {
    if (min_weight <= 0.0) return true;
    const auto left = static_cast<double>(accumulator.weight_left);
    return left >= min_weight && criterion.total_weight() - left >= min_weight;
}

// One that measures a node by its columns instead of targets; called after `load`.
template <typename C>
concept MeasuresColumns =
    requires(C criterion, const NodeContext& node, ProjectionSampler& sampler) { criterion.measure(node, sampler); };

// One that tries only some of the thresholds of a direction.
template <typename C>
concept ChoosesThresholds = requires(C criterion, std::int64_t n, std::vector<std::int64_t>& chosen) {
    criterion.choose_thresholds(n, chosen);
};

// One that can tell what a division of some of the node's samples gains.
template <typename C>
concept ConfirmsGains = requires(const C& loaded, std::int64_t sample, SideSums& side) {
    loaded.clear_side(side);
    loaded.add_to_side(sample, side);
    { loaded.gain(side, side) } -> std::same_as<double>;
};

// Those whose nodes predict a number, which monotone constraints order: the mean of a side's targets, or a median that
// the accumulator finds for both sides of the present division.
template <typename C>
concept HasMeans = ConfirmsGains<C> && requires(const C& loaded, const SideSums& side) {
    { loaded.totals() } -> std::same_as<const std::vector<double>&>;
    { loaded.mean_of(side) } -> std::same_as<double>;
};

template <typename C>
concept HasMedians = requires(const typename C::Accumulator& accumulator) {
    { accumulator.medians() } -> std::same_as<SidePair>;
};

// One with kernels that compare all pairs of samples, and that score bins and bound what is inside. Whether they serve
// the node that was loaded is asked first.
template <typename C>
concept HasKernels = requires(const C& loaded, const SplitKernels& kernels, const float* values, std::int64_t leaf,
                              const Binning& binning, const HistogramScratch& scratch, std::int32_t bin,
                              typename C::Accumulator& accumulator) {
    { loaded.has_kernels() } -> std::same_as<bool>;
    { loaded.prefers_pairs() } -> std::same_as<bool>;
    { loaded.search_pairs(kernels, values, leaf) } -> std::same_as<Split>;
    { loaded.n_bin_sums() } -> std::same_as<std::int64_t>;           // kept for each bin
    { loaded.n_bin_counts(binning) } -> std::same_as<std::int64_t>;  // entries of scratch.counts
    loaded.score_histogram(kernels, values, binning, leaf, scratch);
    { loaded.bin_samples_bound(scratch, bin) } -> std::same_as<double>;  // at least the number of samples in a bin
    accumulator.start_at(scratch, binning, bin);                         // the samples of earlier bins are on the left
};

// One with a kernel that scores a given threshold of a direction without missing values.
template <typename C>
concept ScoresThresholds =
    requires(const C& loaded, const SplitKernels& kernels, const float* values, float threshold, std::int64_t leaf) {
        { loaded.has_threshold_kernel() } -> std::same_as<bool>;
        { loaded.score_threshold(kernels, values, threshold, leaf) } -> std::same_as<Split>;
    };

// One of whole counts of classes.
template <typename C>
concept CountsClasses = requires(const C& loaded) {
    { loaded.counted() } -> std::same_as<ClassTargets>;
};

}  // namespace silvan
