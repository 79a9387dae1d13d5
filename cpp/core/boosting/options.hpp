// How boosted trees grow.
#pragma once

#include <cstdint>
#include <vector>

#include "core/split_kernels.hpp"

namespace silvan {

struct BoostOptions {
    std::uint64_t seed = 0;

    // The pool of columns: single features, and directions that are drawn anew every `redraw_every` rounds.
    bool use_features = true;
    std::int64_t n_directions = 0;
    std::int64_t redraw_every = 1;
    std::int64_t max_bins = 255;  // besides the bin of missing values

    // Trees. Without a limit on leaves (0) every node that may be split is.
    std::int64_t max_leaf_nodes = 31;
    std::int64_t max_depth = std::int64_t{1} << 30;
    std::int64_t min_samples_leaf = 20;
    double min_child_weight = 1e-3;  // sum of hessians
    double min_gain = 0.0;
    double l1 = 0.0;
    double l2 = 0.0;
    double learning_rate = 0.1;
    double subsample = 1.0;          // share of the samples that a round's trees grow on
    double colsample = 1.0;          // share of the columns that a tree may split
    bool random_thresholds = false;  // one random edge for each column and node
    bool vector_leaves = false;      // one tree a round, with a value for each output in its leaves

    // Where columns are single features only.
    std::vector<std::int8_t> monotone;                          // per feature -1, 0 or 1; empty: no constraint
    std::vector<std::vector<std::int32_t>> interaction_groups;  // features that may be split on one path; empty: all

    const SplitKernels* kernels = nullptr;
};

}  // namespace silvan
