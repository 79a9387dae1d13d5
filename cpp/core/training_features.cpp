// Finds the features that hold whole numbers only.
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

}  // namespace silvan
