// The one check that sparse directions from outside the core obey the contract of ProjectionBatch.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace silvan {

// Directions as the rows of a sparse matrix that somebody else holds.
struct DirectionsView {
    std::span<const std::int64_t> indptr;
    std::span<const std::int32_t> indices;
    std::span<const float> coefficients;
};

// What is wrong with `directions` as a phrase ("direction 3 is empty"), or nothing if all is well: at least
// one direction, none empty, features in range and ascending, coefficients finite and not zero.
std::string find_fault(const DirectionsView& directions, std::int64_t n_features);

}  // namespace silvan
