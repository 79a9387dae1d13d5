// The engine that serves every criterion: rows in the order of their values join the left side one by one.
#pragma once

#include "core/criteria/node_search.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// Missing values are tried on either side; they prefer the right one.
template <NodeCriterion C>
Split search_sorted(C& criterion, const SearchSettings& settings) {
    const float* values = settings.scratch.values.current();
    SortMemory& memory = settings.scratch.sort;
    const std::int64_t n = criterion.n_rows();
    sort_rows(values, n, memory);
    const std::uint64_t* keys = memory.keys.data();
    const auto n_keys = static_cast<std::int64_t>(memory.keys.size());
    const auto value_at = [keys, values](std::int64_t i) { return values[row_of(keys[i])]; };
    typename C::Accumulator accumulator{criterion};
    Split best;
    for (const bool missing_left : {false, true}) {
        if (missing_left && memory.missing_rows.empty()) break;
        accumulator.clear();
        std::int64_t rows_left = 0;
        if (missing_left) {
            for (const std::uint32_t row : memory.missing_rows) accumulator.add(row);
            rows_left = static_cast<std::int64_t>(memory.missing_rows.size());
        }
        for (std::int64_t i = 0; i < n_keys; ++i) {
            accumulator.add(row_of(keys[i]));
            ++rows_left;
            const bool last = i + 1 == n_keys;
            if (last ? rows_left == n : !(value_at(i) < value_at(i + 1))) continue;
            if (rows_left < settings.min_samples_leaf || n - rows_left < settings.min_samples_leaf) continue;
            const double score = accumulator.score();
            if (best.found && !(score > best.score)) continue;
            best = {score, value_at(i), true, missing_left, last};
        }
    }
    return best;
}

}  // namespace silvan
