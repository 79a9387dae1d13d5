// The training features in the layouts that growing reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/categories.hpp"
#include "core/grid.hpp"
#include "core/split_kernels.hpp"
#include "core/views.hpp"

namespace silvan {

struct TrainingFeatures {
    FeatureMatrix columns;  // column-major: large nodes stream through columns
    FeatureMatrix rows;     // the same values row-major, or without data where the caller has none
    std::vector<std::uint8_t> integral;  // per feature: whole numbers below 2^20 only
    std::unique_ptr<RunningSums> sums;   // where directions are drawn over running sums, too
    Categories categories;

    bool is_over_sums(const Direction& direction) const { return direction.indices[0] >= columns.n_features; }

    // Values of the rows along a direction, whatever it is drawn over. `codes` are those of the node where some
    // features are categorical.
    ValueRange project(const SplitKernels& kernels, const std::uint32_t* node_rows, std::int64_t n_rows,
                       const Direction& direction, NodeCodes* codes, float* values) const {
        if (codes != nullptr && codes->touches(direction)) {
            const Direction numbers = codes->numbers_of(direction);
            if (numbers.n_nonzeros > 0) {
                kernels.project(layout_for(numbers, n_rows), node_rows, n_rows, numbers, values);
            } else {
                std::fill_n(values, n_rows, 0.0F);
            }
            codes->add(columns, direction, node_rows, n_rows, values);
            return kernels.measure_range(values, n_rows);
        }
        if (!is_over_sums(direction)) {
            return kernels.project(layout_for(direction, n_rows), node_rows, n_rows, direction, values);
        }
        const ValueRange range = kernels.project(sums->view(), node_rows, n_rows, direction, values);
        if (!sums->has_missing()) return range;
        sums->mark_missing(direction, node_rows, n_rows, values);
        return kernels.measure_range(values, n_rows);
    }

    // Whether all values along the direction are whole numbers.
    bool is_integral(const Direction& direction) const;

private:
    // The layout that touches fewer cache lines. Trees grow depth first, so the rows of a small node stay in
    // the second-level cache while its subtree grows: reading them row by row beats columns, where each row of
    // a small node is a miss for each feature. Features that lie side by side, as in a patch, share the lines of
    // a row in larger nodes, too.
    const FeatureMatrix& layout_for(const Direction& direction, std::int64_t n_rows) const;
};

// Fills `integral` from the columns; the codes of categories are no whole numbers.
void find_integral_features(TrainingFeatures& features);

}  // namespace silvan
