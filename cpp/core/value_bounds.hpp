// Between which numbers the values of a node's leaves must lie: what monotone constraints further up left.
#pragma once

#include <limits>

namespace silvan {

struct ValueBounds {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    // Those of the sides of a split along a feature that values rise (sign 1) or fall (-1) with. Whatever is split
    // further down, all values of one side stay on the same side of `middle`.
    ValueBounds of_left(int sign, double middle) const { return {sign < 0 ? middle : low, sign > 0 ? middle : high}; }
    ValueBounds of_right(int sign, double middle) const { return of_left(-sign, middle); }
};

}  // namespace silvan
