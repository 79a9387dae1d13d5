// The engine of criteria whose scores are costly: samples are sorted, and only chosen thresholds are scored.
#pragma once

#include <algorithm>

#include "core/criteria/node_search.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// The direction has no missing values. Thresholds are tried where both sides are large enough.
template <NodeCriterion C>
    requires ChoosesThresholds<C>
Split search_chosen_thresholds(C& criterion, const SearchSettings& settings) {
    const float* values = settings.scratch.values.current();
    SortMemory& memory = settings.scratch.sort;
    const std::int64_t n = criterion.n_samples();
    sort_samples(values, n, memory);
    const std::uint64_t* keys = memory.keys.data();
    const auto value_at = [keys, values](std::int64_t i) { return values[sample_of(keys[i])]; };
    const std::int64_t min_side = std::max<std::int64_t>(1, settings.min_samples_leaf);
    memory.borders.clear();
    for (std::int64_t samples_left = min_side; samples_left <= n - min_side; ++samples_left) {
        if (value_at(samples_left - 1) < value_at(samples_left)) memory.borders.push_back(samples_left);
    }
    criterion.choose_thresholds(static_cast<std::int64_t>(memory.borders.size()), memory.chosen);
    typename C::Accumulator accumulator{criterion};
    accumulator.clear();
    Split best;
    std::int64_t next = 0;
    for (const std::int64_t choice : memory.chosen) {
        const std::int64_t samples_left = memory.borders[static_cast<std::size_t>(choice)];
        for (; next < samples_left; ++next) accumulator.add(sample_of(keys[next]));
        const double score = accumulator.score();
        if (best.found && !(score > best.score)) continue;
        best = {score, value_at(samples_left - 1), true};
    }
    return best;
}

}  // namespace silvan
