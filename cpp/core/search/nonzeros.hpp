// The engine of directions that are zero for most samples of a node: only the others are sorted and moved.
//
// Scores are the same whichever side is called left. So samples with values below zero join the left side one by one,
// from the smallest, and those above zero the right side, from the largest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/columns/column_space.hpp"
#include "core/criteria/node_search.hpp"
#include "core/search/random_threshold.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// Drops entries that are zero after all, and gives the range of all values. Some samples have no entry.
inline ValueRange measure_nonzeros(NonzeroValues& nonzeros) {
    ValueRange range{nonzeros.zero, nonzeros.zero, false};
    std::size_t n_kept = 0;
    for (std::size_t k = 0; k < nonzeros.values.size(); ++k) {
        const float value = nonzeros.values[k];
        if (value == 0.0F) continue;
        nonzeros.values[n_kept] = value;
        nonzeros.places[n_kept++] = nonzeros.places[k];
        range.minimum = std::min(range.minimum, value);
        range.maximum = std::max(range.maximum, value);
    }
    nonzeros.values.resize(n_kept);
    nonzeros.places.resize(n_kept);
    return range;
}

template <NodeCriterion C>
Split search_nonzeros(C& criterion, const SearchSettings& settings, const NonzeroValues& nonzeros) {
    SortMemory& memory = settings.scratch.sort;
    const auto n_entries = static_cast<std::int64_t>(nonzeros.values.size());
    const std::int64_t n = criterion.n_samples();
    memory.keys.resize(nonzeros.values.size());
    for (std::size_t k = 0; k < nonzeros.values.size(); ++k) {
        memory.keys[k] = make_key(nonzeros.values[k], static_cast<std::int64_t>(k));
    }
    sort_keys(memory, 0, nonzeros.values.size());
    const auto entry = [&](std::int64_t i) {
        return static_cast<std::size_t>(sample_of(memory.keys[static_cast<std::size_t>(i)]));
    };
    const auto value_at = [&](std::int64_t i) { return nonzeros.values[entry(i)]; };
    const auto allowed = [&](std::int64_t n_moved, const typename C::Accumulator& accumulator) {
        return n_moved >= settings.min_samples_leaf && n - n_moved >= settings.min_samples_leaf &&
               has_weight(criterion, accumulator, settings.min_weight_leaf);
    };
    typename C::Accumulator accumulator{criterion};
    Split best;
    accumulator.clear();
    std::int64_t first_above = 0;
    for (; first_above < n_entries && value_at(first_above) < 0.0F; ++first_above) {
        const std::int64_t i = first_above;
        accumulator.add(nonzeros.places[entry(i)]);
        const bool last = i + 1 == n_entries || value_at(i + 1) > 0.0F;
        if ((!last && !(value_at(i) < value_at(i + 1))) || !allowed(i + 1, accumulator)) continue;
        const double score = accumulator.score();
        if (best.found && !(score > best.score)) continue;
        best = {score, value_at(i), true};
    }
    Split above;
    accumulator.clear();
    for (std::int64_t i = n_entries - 1; i >= first_above; --i) {
        accumulator.add(nonzeros.places[entry(i)]);
        const bool last = i == first_above;
        if ((!last && !(value_at(i - 1) < value_at(i))) || !allowed(n_entries - i, accumulator)) continue;
        const double score = accumulator.score();
        // Of equal scores the lowest threshold wins, and thresholds fall here.
        if (above.found && !(score >= above.score)) continue;
        above = {score, last ? nonzeros.zero : value_at(i - 1), true};
    }
    return above.found && (!best.found || above.score > best.score) ? above : best;
}

template <NodeCriterion C>
Split search_random_nonzeros(C& criterion, const SearchSettings& settings, const ValueRange& range,
                             const NonzeroValues& nonzeros, Random& random) {
    const float threshold = draw_threshold(range, random);
    const bool zero_goes_left = nonzeros.zero <= threshold;
    typename C::Accumulator accumulator{criterion};
    accumulator.clear();
    std::int64_t n_moved = 0;
    for (std::size_t k = 0; k < nonzeros.values.size(); ++k) {
        if ((nonzeros.values[k] <= threshold) == zero_goes_left) continue;
        accumulator.add(nonzeros.places[k]);
        ++n_moved;
    }
    const std::int64_t min_side = std::max<std::int64_t>(1, settings.min_samples_leaf);
    if (n_moved < min_side || criterion.n_samples() - n_moved < min_side) return {};
    if (!has_weight(criterion, accumulator, settings.min_weight_leaf)) return {};
    return {accumulator.score(), threshold, true};
}

}  // namespace silvan
