// What makes a split good, as functions of exact sums over the two sides.
//
// Gini impurity is the squared error of one-hot labels, so one score serves both criteria: with S_k the
// weighted sum of target k and W the total weight of a side, maximise
//     sum_k S_k(left)^2 / W(left) + sum_k S_k(right)^2 / W(right),
// which exceeds the unsplit node's sum_k S_k^2 / W by exactly the impurity decrease times W.
// Entropy maximises sum_k xlogx(S_k) - xlogx(W) over both sides instead. The Gaussian criterion has no targets:
// it maximises -W log|C| over both sides, C the covariance of their rows (see gaussian_space.hpp).
//
// All sums are exact (integers, or fixed-point numbers prepared by the caller), so a score does not depend
// on the order of summation and every search engine finds the same maximum.
#pragma once

#include <cmath>
#include <cstdint>

namespace silvan {

enum class Criterion : std::uint8_t { gini, entropy, squared_error, gaussian };

inline double moment_score(double squares_left, double weight_left, double squares_right,
                           double weight_right) {
    return squares_left / weight_left + squares_right / weight_right;
}

inline double x_log_x(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

// A power of two that makes x_log_x(x) * scale at most about 2^51 for all x up to `weight`.
inline double entropy_scale(double weight) {
    const double largest = weight * std::abs(std::log2(weight)) + weight + 1.0;
    return std::ldexp(1.0, 50 - std::ilogb(largest));
}

}  // namespace silvan
