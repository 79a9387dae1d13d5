// The engine that serves every criterion: samples in the order of their values join the left side one by one.
#pragma once

#include "core/criteria/node_search.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// Missing values are tried on either side; they prefer the right one.
template <NodeCriterion C>
Split search_sorted(C& criterion, const SearchSettings& settings) {
    const float* values = settings.scratch.values.current();
    SortMemory& memory = settings.scratch.sort;
    const std::int64_t n = criterion.n_samples();
    sort_samples(values, n, memory);
    const std::uint64_t* keys = memory.keys.data();
    const auto n_keys = static_cast<std::int64_t>(memory.keys.size());
    const auto value_at = [keys, values](std::int64_t i) { return values[sample_of(keys[i])]; };
    typename C::Accumulator accumulator{criterion};
    Split best;
    for (const bool missing_left : {false, true}) {
        if (missing_left && memory.missing_samples.empty()) break;
        accumulator.clear();
        std::int64_t samples_left = 0;
        if (missing_left) {
            for (const std::uint32_t sample : memory.missing_samples) accumulator.add(sample);
            samples_left = static_cast<std::int64_t>(memory.missing_samples.size());
        }
        for (std::int64_t i = 0; i < n_keys; ++i) {
            accumulator.add(sample_of(keys[i]));
            ++samples_left;
            const bool last = i + 1 == n_keys;
            if (last ? samples_left == n : !(value_at(i) < value_at(i + 1))) continue;
            if (samples_left < settings.min_samples_leaf || n - samples_left < settings.min_samples_leaf) continue;
            if (!has_weight(criterion, accumulator, settings.min_weight_leaf)) continue;
            const double score = accumulator.score();
            if (best.found && !(score > best.score)) continue;
            best = {score, value_at(i), true, missing_left, last};
        }
    }
    return best;
}

}  // namespace silvan
