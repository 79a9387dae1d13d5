// The value of a leaf and what it gains, from sums of gradients and hessians (Chen & Guestrin 2016, equations 5 to 7).
#pragma once

#include <algorithm>

#include "core/boosting/options.hpp"
#include "core/value_bounds.hpp"

namespace silvan {

inline double shrink(double sum, double l1) {
    if (sum > l1) return sum - l1;
    return sum < -l1 ? sum + l1 : 0.0;
}

// Bounds are those before the learning rate.
inline double newton_value(double gradient, double hessian, const BoostOptions& options, const ValueBounds& bounds) {
    const double curvature = hessian + options.l2;
    const double value = curvature > 0.0 ? -shrink(gradient, options.l1) / curvature : 0.0;
    return std::clamp(value, bounds.low, bounds.high);
}

// By how much that value lowers the second-order expansion of the loss, twice; without bounds T(G)^2 / (H + l2).
inline double newton_score(double gradient, double hessian, const BoostOptions& options, const ValueBounds& bounds) {
    const double value = newton_value(gradient, hessian, options, bounds);
    return -value * (2.0 * shrink(gradient, options.l1) + (hessian + options.l2) * value);
}

}  // namespace silvan
