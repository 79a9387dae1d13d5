// Finds what holds whole numbers only.
#include "core/training_features.hpp"

#include <cmath>
#include <cstddef>

namespace silvan {

void find_integral_features(TrainingFeatures& features) {
    const FeatureMatrix& columns = features.columns;
    features.integral.assign(static_cast<std::size_t>(columns.n_features), 1);
    if (columns.type == FeatureType::uint8) return;
    constexpr float kLimit = 1 << 20;
    for (std::int64_t j = 0; j < columns.n_features; ++j) {
        const float* column = columns.as<float>() + j * columns.column_stride;
        for (std::int64_t i = 0; i < columns.n_samples; ++i) {
            const float v = column[i * columns.row_stride];
            if (v == std::trunc(v) && std::abs(v) < kLimit) continue;
            features.integral[static_cast<std::size_t>(j)] = 0;
            break;
        }
    }
}

bool TrainingFeatures::is_integral(const Direction& direction) const {
    const bool over_sums = is_over_sums(direction);
    if (over_sums && columns.type != FeatureType::uint8) return false;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if (!over_sums && integral[static_cast<std::size_t>(direction.indices[k])] == 0) return false;
        if (direction.weights[k] != std::trunc(direction.weights[k])) return false;
    }
    return true;
}

}  // namespace silvan
