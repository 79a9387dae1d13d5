// The training features in the layouts that growing reads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/views.hpp"

namespace silvan {

struct TrainingFeatures {
    FeatureMatrix columns;  // column-major: large nodes stream through columns
    FeatureMatrix rows;     // the same values row-major, or without data where the caller has none
    std::vector<std::uint8_t> integral;  // per feature: whole numbers below 2^20 only

    // Trees grow depth first, so the rows of a small node stay in the second-level cache while its subtree
    // grows: reading them row by row beats columns, where each row of a small node is a cache miss for each
    // feature (sparse Trunk 100,000 x 50: 1.6 times faster).
    const FeatureMatrix& layout_for(std::int64_t n_rows) const {
        constexpr std::int64_t kCacheBytes = 1 << 20;
        const bool all_cached = columns.n_samples * row_bytes(columns) <= kCacheBytes;
        const bool node_cached = n_rows * row_bytes(rows) <= kCacheBytes;
        return rows.data != nullptr && node_cached && !all_cached ? rows : columns;
    }

    static std::int64_t row_bytes(const FeatureMatrix& matrix) {
        constexpr std::int64_t kLine = 64;
        const std::int64_t width = matrix.type == FeatureType::uint8     ? 1
                                   : matrix.type == FeatureType::float32 ? 4
                                                                         : 8;
        return (matrix.n_features * width + kLine - 1) / kLine * kLine;
    }
};

// Fills `integral` from the columns.
void find_integral_features(TrainingFeatures& features);

}  // namespace silvan
