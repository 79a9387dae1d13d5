// The value of a direction for a single sample, as the projection kernels have it.
#pragma once

#include <cstdint>

#include "core/split_kernels.hpp"
#include "core/views.hpp"

namespace silvan {

// The same operations in the same order as the kernels: terms are rounded to Sum and added one after the other.
template <typename T, typename Sum>
Sum add_terms_of_sample(const FeatureMatrix& features, const Direction& direction, std::uint32_t sample) {
    const T* values = features.as<T>() + static_cast<std::int64_t>(sample) * features.row_stride;
    const auto term = [&](std::int64_t k) {
        const std::int64_t column = direction.indices[k] - features.first_column;
        return static_cast<Sum>(direction.coefficients[k]) * static_cast<Sum>(values[column * features.column_stride]);
    };
    Sum sum = term(0);
    for (std::int64_t k = 1; k < direction.n_nonzeros; ++k) sum += term(k);
    return sum;
}

}  // namespace silvan
