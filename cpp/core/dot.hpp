// Sums of products that vectorise although their order is fixed.
#pragma once

#include <cstddef>

namespace silvan {

// Eight partial sums: the compiler may not reorder a single one, and without vectors the product is slower.
inline double dot(const double* a, const double* b, std::size_t n) {
    constexpr std::size_t width = 8;
    double sums[width] = {};
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    }
    double sum = 0.0;
    for (; i < n; ++i) sum += a[i] * b[i];
    for (const double lane_sum : sums) sum += lane_sum;
    return sum;
}

}  // namespace silvan
