// How trees grow: what the caller of a forest may choose.
#pragma once

#include <cstdint>
#include <vector>

#include "core/criteria/node_search.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

// Trees that share a pool of windows.
inline constexpr std::int64_t kTreesOfPool = 25;
// Pools are read ahead for so many trees or more: fewer read fewer windows than a pool has.
inline constexpr std::int64_t kFewestAhead = 6;

struct GrowOptions {
    CriterionOptions criterion;
    std::int64_t n_directions = 1;
    std::int64_t max_depth = 0;
    std::int64_t min_samples_split = 2;
    std::int64_t min_samples_leaf = 1;
    double min_weight_fraction_leaf = 0.0;  // of the tree's weight
    double min_balance = 0.0;               // share of a node's samples that either side of its split needs
    double min_impurity_decrease = 0.0;
    std::int64_t max_leaf_nodes = 0;    // the leaf whose split gains most is split first; 0: no limit, depth first
    std::vector<std::int8_t> monotone;  // per feature -1, 0 or 1, where directions are single features; empty: none
    bool random_thresholds = false;
    std::int64_t pool_size = 0;  // of the windows that the nodes of some trees choose from; 0: each draws its own
    bool agnostic = false;       // besides, targets decide nothing but the values of leaves
    std::uint64_t seed = 0;
    const SplitKernels* kernels = nullptr;
};

}  // namespace silvan
