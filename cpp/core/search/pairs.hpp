// The engine of small nodes: a kernel compares all pairs of samples, without sorting.
#pragma once

#include "core/criteria/node_search.hpp"

namespace silvan {

// The direction has no missing or infinite values.
template <NodeCriterion C>
    requires HasKernels<C>
Split search_pairs(const C& criterion, const SearchSettings& settings) {
    return criterion.search_pairs(settings.kernels, settings.scratch.values.current(), settings.min_samples_leaf);
}

}  // namespace silvan
