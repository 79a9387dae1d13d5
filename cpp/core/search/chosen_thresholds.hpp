// The engine of criteria whose scores are costly: rows are sorted, and only chosen thresholds are scored.
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
    const std::int64_t n = criterion.n_rows();
    sort_rows(values, n, memory);
    const std::uint64_t* keys = memory.keys.data();
    const auto value_at = [keys, values](std::int64_t i) { return values[row_of(keys[i])]; };
    const std::int64_t least = std::max<std::int64_t>(1, settings.min_samples_leaf);
    memory.borders.clear();
    for (std::int64_t rows_left = least; rows_left <= n - least; ++rows_left) {
        if (value_at(rows_left - 1) < value_at(rows_left)) memory.borders.push_back(rows_left);
    }
    criterion.choose_thresholds(static_cast<std::int64_t>(memory.borders.size()), memory.chosen);
    typename C::Accumulator accumulator{criterion};
    accumulator.clear();
    Split best;
    std::int64_t next = 0;
    for (const std::int64_t choice : memory.chosen) {
        const std::int64_t rows_left = memory.borders[static_cast<std::size_t>(choice)];
        for (; next < rows_left; ++next) accumulator.add(row_of(keys[next]));
        const double score = accumulator.score();
        if (best.found && !(score > best.score)) continue;
        best = {score, value_at(rows_left - 1), true};
    }
    return best;
}

}  // namespace silvan
