// The engine of monotone constraints: all positions along a feature but those that break one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/criteria/node_search.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// A split, and the number between the means of its sides.
struct ConstrainedSplit {
    Split split;
    double middle = 0.0;
};

// The means of both sides must lie within the node's bounds, and that of the right side must not be below that of the
// left one where `sign` is 1, nor above it where it is -1. A node's own mean then is within its bounds, and so are the
// values of leaves. Where `threshold` is not nullptr it is the only one. Missing values prefer the right side.
template <HasMeans C>
ConstrainedSplit search_monotone(C& criterion, const SearchSettings& settings, int sign, const float* threshold) {
    const float* values = settings.scratch.values.current();
    SortMemory& memory = settings.scratch.sort;
    const std::int64_t n = criterion.n_samples();
    sort_samples(values, n, memory);
    const std::uint64_t* keys = memory.keys.data();
    const auto n_keys = static_cast<std::int64_t>(memory.keys.size());
    const auto value_at = [keys, values](std::int64_t i) { return values[sample_of(keys[i])]; };
    typename C::Accumulator accumulator{criterion};
    SideSums left;
    SideSums right;
    ConstrainedSplit found;
    Split& best = found.split;
    for (const bool missing_left : {false, true}) {
        if (missing_left && memory.missing_samples.empty()) break;
        accumulator.clear();
        criterion.clear_side(left);
        right = {criterion.total_weight(), criterion.totals()};
        const auto move_left = [&](std::int64_t sample) {
            accumulator.add(sample);
            criterion.add_to_side(sample, left);
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
            right.weight = criterion.total_weight() - left.weight;
            for (std::size_t k = 0; k < right.sums.size(); ++k) right.sums[k] = criterion.totals()[k] - left.sums[k];
            const double below = criterion.mean_of(left);
            const double above = criterion.mean_of(right);
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
