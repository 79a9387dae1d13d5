// The engine of extremely randomised trees (Geurts, Ernst & Wehenkel 2006): nothing is searched. A direction has one
// threshold, drawn uniformly between its smallest and its largest value at the node. Data-agnostic trees (Tomita 2018,
// definition 1) do not even compare: they take the first direction that they may.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "core/criteria/node_search.hpp"
#include "core/forest.hpp"
#include "core/random.hpp"

namespace silvan {

// At least the smallest value and below the largest, so that both sides have samples. Infinite where all values that
// are not missing are equal: then missing ones are parted from them.
inline float draw_threshold(const ValueRange& range, Random& random) {
    if (range.minimum == range.maximum) return std::numeric_limits<float>::infinity();
    constexpr double kLargest = std::numeric_limits<float>::max();
    const double low = std::clamp<double>(range.minimum, -kLargest, kLargest);
    const double high = std::clamp<double>(range.maximum, -kLargest, kLargest);
    const auto threshold = static_cast<float>(low + random.uniform() * (high - low));
    return threshold < range.maximum ? std::max(threshold, range.minimum) : range.minimum;
}

// The range of thresholds that leave so many of the values that are not missing on either side; a single number if
// there is none.
inline ValueRange middle_range(const float* values, std::int64_t n, std::int64_t min_side, std::vector<float>& memory) {
    memory.clear();
    std::copy_if(values, values + n, std::back_inserter(memory), [](float value) { return value == value; });
    const auto n_values = static_cast<std::int64_t>(memory.size());
    const std::int64_t below = std::min(min_side, std::max<std::int64_t>(1, n_values / 2)) - 1;
    const auto low = memory.begin() + below;
    std::nth_element(memory.begin(), low, memory.end());
    const float minimum = *low;
    const auto high = memory.end() - 1 - below;
    std::nth_element(memory.begin(), high, memory.end());
    return {minimum, *high, n_values < n};
}

// Where splits must be balanced, the threshold is drawn among those that are, instead of hoping for one.
inline float draw_allowed_threshold(const SearchSettings& settings, const ValueRange& range, std::int64_t n,
                                    Random& random) {
    if (settings.min_balance <= 0.0) return draw_threshold(range, random);
    SearchScratch& scratch = settings.scratch;
    return draw_threshold(middle_range(scratch.values.current(), n, settings.min_samples_leaf, scratch.sort.middle),
                          random);
}

// Missing values are tried on either side; they prefer the right one.
template <NodeCriterion C>
Split search_random_threshold(C& criterion, const SearchSettings& settings, const ValueRange& range, Random& random) {
    const float threshold = draw_allowed_threshold(settings, range, criterion.n_samples(), random);
    const float* values = settings.scratch.values.current();
    if constexpr (ScoresThresholds<C>) {
        if (!range.any_missing && criterion.has_threshold_kernel() && settings.min_weight_leaf == 0.0) {
            return criterion.score_threshold(settings.kernels, values, threshold, settings.min_samples_leaf);
        }
    }
    const std::int64_t n = criterion.n_samples();
    const std::int64_t min_side = std::max<std::int64_t>(1, settings.min_samples_leaf);
    SideMemory& sides = settings.scratch.sides;
    sides.reserve(n);
    typename C::Accumulator accumulator{criterion};
    Split best;
    for (const bool missing_left : {false, true}) {
        if (missing_left && !range.any_missing) break;
        const std::int64_t n_left = sides.divide(values, n, threshold, missing_left);
        if (n_left < min_side || n - n_left < min_side) continue;
        // A score is the same whichever side is called left, and the smaller one takes less time.
        const bool left_is_smaller = 2 * n_left <= n;
        const std::uint32_t* smaller = left_is_smaller ? sides.left() : sides.right();
        accumulator.clear();
        for (std::int64_t i = 0; i < std::min(n_left, n - n_left); ++i) accumulator.add(smaller[i]);
        if (!has_weight(criterion, accumulator, settings.min_weight_leaf)) continue;
        const double score = accumulator.score();
        if (best.found && (settings.agnostic || !(score > best.score))) continue;
        best = {score, threshold, true, missing_left, threshold == std::numeric_limits<float>::infinity()};
    }
    return best;
}

}  // namespace silvan
