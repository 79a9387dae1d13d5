// Sums and maxima that vectorise although their order is fixed.
#pragma once

#include <algorithm>
#include <cmath>
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

// The same for a plain sum, and for the largest magnitude.
inline double sum(const double* a, std::size_t n) {
    constexpr std::size_t width = 8;
    double sums[width] = {};
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += a[i + lane];
    }
    double total = 0.0;
    for (; i < n; ++i) total += a[i];
    for (const double lane_sum : sums) total += lane_sum;
    return total;
}

inline double largest_magnitude(const double* a, std::size_t n) {
    constexpr std::size_t width = 8;
    double largest[width] = {};
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        for (std::size_t lane = 0; lane < width; ++lane) {
            const double magnitude = std::abs(a[i + lane]);
            largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
        }
    }
    double maximum = 0.0;
    for (; i < n; ++i) maximum = std::max(maximum, std::abs(a[i]));
    for (const double lane_maximum : largest) maximum = std::max(maximum, lane_maximum);
    return maximum;
}

}  // namespace silvan
