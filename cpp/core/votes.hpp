// The vote of a leaf under hard voting: everything that counts hard votes reads them here.
#pragma once

#include <algorithm>
#include <cstdint>

namespace silvan {

// Calls visit(k, share) for each of the n values that is the largest: a leaf has one vote, and classes that
// are equally probable share it, so that no class gains by its place among the others.
template <typename Visit>
void cast_vote(const double* values, std::int64_t n, const Visit& visit) {
    const double largest = *std::max_element(values, values + n);
    const double share = 1.0 / static_cast<double>(std::count(values, values + n, largest));
    for (std::int64_t k = 0; k < n; ++k) {
        if (values[k] == largest) visit(k, share);
    }
}

}  // namespace silvan
