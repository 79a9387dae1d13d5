// Chooses layouts, and finds what holds whole numbers only.
#include "core/columns/feature_layouts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/stopping.hpp"

namespace silvan {

namespace {

constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kCacheBytes = 1 << 20;  // a usual second-level cache

std::int64_t row_bytes(const FeatureMatrix& matrix) {
    const std::int64_t bytes = matrix.n_features * bytes_of(matrix.type);
    return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// Groups of a direction's features that lie within a cache line of each other.
std::int64_t count_lines(const Direction& direction, std::int64_t features_per_line) {
    std::int64_t lines = 1;
    std::int64_t first = direction.indices[0];
    for (std::int64_t k = 1; k < direction.n_nonzeros; ++k) {
        if (direction.indices[k] - first < features_per_line) continue;
        first = direction.indices[k];
        ++lines;
    }
    return lines;
}

}  // namespace

const FeatureMatrix& FeatureLayouts::layout_for(const Direction& direction, std::int64_t n_rows) const {
    if (rows.data == nullptr || columns.n_samples * row_bytes(columns) <= kCacheBytes) return columns;
    if (n_rows * row_bytes(rows) <= kCacheBytes) return rows;
    const std::int64_t column_lines = columns.n_samples * bytes_of(columns.type) / kLineBytes + 1;
    const std::int64_t by_columns = direction.n_nonzeros * std::min(n_rows, column_lines);
    const std::int64_t by_rows = n_rows * count_lines(direction, kLineBytes / bytes_of(rows.type));
    return 2 * by_rows < by_columns ? rows : columns;
}

std::vector<std::uint8_t> find_integral_features(const FeatureMatrix& columns) {
    std::vector<std::uint8_t> integral(static_cast<std::size_t>(columns.n_features), 1);
    if (columns.type == FeatureType::uint8) return integral;
    constexpr float kLimit = 1 << 20;
    for (std::int64_t j = 0; j < columns.n_features; ++j) {
        throw_if_stopped(columns.n_samples);
        const float* column = columns.as<float>() + j * columns.column_stride;
        for (std::int64_t i = 0; i < columns.n_samples; ++i) {
            const float v = column[i * columns.row_stride];
            if (v == std::trunc(v) && std::abs(v) < kLimit) continue;
            integral[static_cast<std::size_t>(j)] = 0;
            break;
        }
    }
    return integral;
}

}  // namespace silvan
