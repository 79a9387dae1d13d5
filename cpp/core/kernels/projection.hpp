// Projects the rows of a node on a direction.
#pragma once

#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kProjectBlock = 64;

// Sum is the type that terms are rounded to and added in.
template <typename T, typename Sum, bool kFirst, bool kUnitStride>
inline void accumulate_feature(const T* column, std::int64_t row_stride, const std::uint32_t* rows,
                               std::int64_t n, float weight, Sum* values) {
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t offset =
            kUnitStride ? static_cast<std::int64_t>(rows[i]) : static_cast<std::int64_t>(rows[i]) * row_stride;
        const Sum term = static_cast<Sum>(weight) * static_cast<Sum>(column[offset]);
        values[i] = kFirst ? term : values[i] + term;
    }
}

template <typename T, typename Sum, bool kUnitStride>
inline void project_block(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n,
                          const Direction& direction, Sum* values) {
    const auto column = [&](std::int64_t k) {
        return features.as<T>() + (direction.indices[k] - features.first_column) * features.column_stride;
    };
    accumulate_feature<T, Sum, true, kUnitStride>(column(0), features.row_stride, rows, n, direction.weights[0],
                                                  values);
    for (std::int64_t k = 1; k < direction.n_nonzeros; ++k) {
        accumulate_feature<T, Sum, false, kUnitStride>(column(k), features.row_stride, rows, n,
                                                       direction.weights[k], values);
    }
}

// Pads the values with +infinity to a multiple of kLane, too.
ValueRange measure_range(float* values, std::int64_t n) {
    for (std::int64_t k = n; k % kLane != 0; ++k) values[k] = kInfinity;
    ValueRange range{kInfinity, -kInfinity, false};
    std::int64_t i = 0;
    if (n >= kFloats) {
        Floats low = Floats{} + kInfinity;
        Floats high = Floats{} - kInfinity;
        Ints missing = Ints{};
        for (; i + kFloats <= n; i += kFloats) {
            const Floats v = load<Floats>(values + i);
            low = v < low ? v : low;
            high = v > high ? v : high;
            missing |= v != v;
        }
        for (std::int64_t l = 0; l < kFloats; ++l) {
            if (low[l] < range.minimum) range.minimum = low[l];
            if (high[l] > range.maximum) range.maximum = high[l];
            range.any_missing |= missing[l] != 0;
        }
    }
    for (; i < n; ++i) {
        const float v = values[i];
        if (v < range.minimum) range.minimum = v;
        if (v > range.maximum) range.maximum = v;
        range.any_missing |= v != v;
    }
    return range;
}

template <typename T>
void project_typed(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n_rows,
                   const Direction& direction, float* values) {
    for (std::int64_t start = 0; start < n_rows; start += kProjectBlock) {
        const std::int64_t n = n_rows - start < kProjectBlock ? n_rows - start : kProjectBlock;
        if (features.row_stride == 1) {
            project_block<T, float, true>(features, rows + start, n, direction, values + start);
        } else {
            project_block<T, float, false>(features, rows + start, n, direction, values + start);
        }
    }
}

template <typename T>
void project_sums(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n_rows,
                  const Direction& direction, float* values) {
    double sums[kProjectBlock];
    for (std::int64_t start = 0; start < n_rows; start += kProjectBlock) {
        const std::int64_t n = n_rows - start < kProjectBlock ? n_rows - start : kProjectBlock;
        project_block<T, double, false>(features, rows + start, n, direction, sums);
        for (std::int64_t i = 0; i < n; ++i) values[start + i] = static_cast<float>(sums[i]);
    }
}

ValueRange project(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n_rows,
                   const Direction& direction, float* values) {
    switch (features.type) {
        case FeatureType::float32: project_typed<float>(features, rows, n_rows, direction, values); break;
        case FeatureType::float64: project_typed<double>(features, rows, n_rows, direction, values); break;
        case FeatureType::uint8: project_typed<std::uint8_t>(features, rows, n_rows, direction, values); break;
        case FeatureType::sums_int32: project_sums<std::int32_t>(features, rows, n_rows, direction, values); break;
        case FeatureType::sums_float64: project_sums<double>(features, rows, n_rows, direction, values); break;
    }
    return measure_range(values, n_rows);
}

}  // namespace
}  // namespace silvan
