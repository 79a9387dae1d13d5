// The engine of monotone constraints: all positions along a feature but those that break one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/criteria/node_search.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// A split, and the number between the values of its sides.
struct ConstrainedSplit {
    Split split;
    double middle = 0.0;
};

// What both sides of the present division predict: their means.
template <typename C>
class SideValues {
public:
    explicit SideValues(const C& criterion) : criterion_(criterion) {}

    void clear() { criterion_.clear_side(left_); }
    void add(std::int64_t sample) { criterion_.add_to_side(sample, left_); }
    SidePair values(const typename C::Accumulator&) {
        right_ = {criterion_.total_weight() - left_.weight, criterion_.totals()};
        for (std::size_t k = 0; k < right_.sums.size(); ++k) right_.sums[k] -= left_.sums[k];
        return {criterion_.mean_of(left_), criterion_.mean_of(right_)};
    }

private:
    const C& criterion_;
    SideSums left_, right_;
};

// Their medians, which the accumulator finds.
template <HasMedians C>
class SideValues<C> {
public:
    explicit SideValues(const C&) {}

    void clear() {}
    void add(std::int64_t) {}
    SidePair values(const typename C::Accumulator& accumulator) { return accumulator.medians(); }
};

// The values of both sides must lie within the node's bounds, and that of the right side must not be below that of the
// left one where `sign` is 1, nor above it where it is -1. A node's own value then is within its bounds, and so are
// those of leaves. Where `threshold` is not nullptr it is the only one. Missing values prefer the right side.
template <typename C>
    requires HasMeans<C> || HasMedians<C>
ConstrainedSplit search_monotone(C& criterion, const SearchSettings& settings, int sign, const float* threshold) {
    const float* values = settings.scratch.values.current();
    SortMemory& memory = settings.scratch.sort;
    const std::int64_t n = criterion.n_samples();
    sort_samples(values, n, memory);
    const std::uint64_t* keys = memory.keys.data();
    const auto n_keys = static_cast<std::int64_t>(memory.keys.size());
    const auto value_at = [keys, values](std::int64_t i) { return values[sample_of(keys[i])]; };
    typename C::Accumulator accumulator{criterion};
    SideValues<C> sides(criterion);
    ConstrainedSplit found;
    Split& best = found.split;
    for (const bool missing_left : {false, true}) {
        if (missing_left && memory.missing_samples.empty()) break;
        accumulator.clear();
        sides.clear();
        const auto move_left = [&](std::int64_t sample) {
            accumulator.add(sample);
            sides.add(sample);
        };
        std::int64_t samples_left = 0;
        if (missing_left) {
            for (const std::uint32_t sample : memory.missing_samples) move_left(sample);
            samples_left = static_cast<std::int64_t>(memory.missing_samples.size());
        }
        for (std::int64_t i = 0; i < n_keys; ++i) {
            move_left(sample_of(keys[i]));
            ++samples_left;
            const bool last = i + 1 == n_keys;
            if (last ? samples_left == n : !(value_at(i) < value_at(i + 1))) continue;
            if (threshold != nullptr && (*threshold < value_at(i) || (!last && *threshold >= value_at(i + 1))))
                continue;
            if (samples_left < settings.min_samples_leaf || n - samples_left < settings.min_samples_leaf) continue;
            if (!has_weight(criterion, accumulator, settings.min_weight_leaf)) continue;
            const double score = accumulator.score();
            if (best.found && !(score > best.score)) continue;
            const auto [below, above] = sides.values(accumulator);
            const auto [low, high] = *settings.bounds;
            if (sign * (above - below) < 0.0) continue;
            if (std::min(below, above) < low || std::max(below, above) > high) continue;
            best = {score, threshold != nullptr ? *threshold : value_at(i), true, missing_left, last};
            found.middle = below / 2.0 + above / 2.0;
        }
    }
    return found;
}

}  // namespace silvan
