// Projects the samples of a node on a direction.
#pragma once

#include <cstddef>

#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kProjectBlock = 64;

// Adds kTerms terms to each value, or sets the values to them if they are the first. Samples are looked up once
// for all terms, so that the loads of several columns are under way at a time. Sum is the type that terms are
// rounded to and added in.
template <typename T, typename Sum, bool kUnitStride, bool kFirst, std::size_t kTerms>
inline void add_terms(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n,
                      const std::int32_t* indices, const float* coefficients, Sum* values) {
    const T* column[kTerms];
    Sum coefficient[kTerms];
    for (std::size_t k = 0; k < kTerms; ++k) {
        column[k] = features.as<T>() + (indices[k] - features.first_column) * features.column_stride;
        coefficient[k] = static_cast<Sum>(coefficients[k]);
    }
    const std::int64_t stride = kUnitStride ? 1 : features.row_stride;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t offset = static_cast<std::int64_t>(samples[i]) * stride;
        Sum sum = kFirst ? coefficient[0] * static_cast<Sum>(column[0][offset]) : values[i];
        for (std::size_t k = kFirst ? 1 : 0; k < kTerms; ++k) {
            sum += coefficient[k] * static_cast<Sum>(column[k][offset]);
        }
        values[i] = sum;
    }
}

template <typename T, typename Sum, bool kUnitStride>
inline void project_block(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n,
                          const Direction& direction, Sum* values) {
    const std::int32_t* indices = direction.indices;
    const float* coefficients = direction.coefficients;
    switch (direction.n_nonzeros) {
        case 1:
            add_terms<T, Sum, kUnitStride, true, 1>(features, samples, n, indices, coefficients, values);
            return;
        case 2:
            add_terms<T, Sum, kUnitStride, true, 2>(features, samples, n, indices, coefficients, values);
            return;
        case 3:
            add_terms<T, Sum, kUnitStride, true, 3>(features, samples, n, indices, coefficients, values);
            return;
        default:
            add_terms<T, Sum, kUnitStride, true, 4>(features, samples, n, indices, coefficients, values);
    }
    std::int64_t k = 4;
    for (; k + 4 <= direction.n_nonzeros; k += 4)
        add_terms<T, Sum, kUnitStride, false, 4>(features, samples, n, indices + k, coefficients + k, values);
    for (; k < direction.n_nonzeros; ++k)
        add_terms<T, Sum, kUnitStride, false, 1>(features, samples, n, indices + k, coefficients + k, values);
}

// Smallest and largest of the values that come, and whether any is missing.
struct RangeOfVectors {
    Floats low = Floats{} + kInfinity;
    Floats high = Floats{} - kInfinity;
    Ints missing = Ints{};

    void add(const Floats& v) {
        low = v < low ? v : low;
        high = v > high ? v : high;
        missing |= v != v;
    }
    ValueRange range() const { return {smallest_entry(low), largest_entry(high), any_entry(missing)}; }
};

// From the last whole vector on: what is behind the n values becomes +infinity, to a multiple of kLane.
inline void store_padded(float* values, std::int64_t n, std::int64_t start, const Floats& last) {
    if (start < n) {
        const Ints inside = entry_numbers() < static_cast<std::int32_t>(n - start);
        store(values + start, inside ? last : Floats{} + kInfinity);
        start += kFloats;
    }
    for (; start % kLane != 0; start += kFloats) store(values + start, Floats{} + kInfinity);
}

// Pads the values with +infinity to a multiple of kLane, too.
ValueRange measure_range(float* values, std::int64_t n) {
    RangeOfVectors range;
    const std::int64_t whole = n - n % kFloats;
    for (std::int64_t i = 0; i < whole; i += kFloats) range.add(load<Floats>(values + i));
    Floats last = Floats{};
    if (whole < n) {
        const Ints inside = entry_numbers() < static_cast<std::int32_t>(n - whole);
        last = inside ? load<Floats>(values + whole) : Floats{} + values[n - 1];
        range.add(last);
    }
    store_padded(values, n, whole, last);
    return range.range();
}

template <typename Read>
inline Floats read_vector(const std::uint32_t* samples, const Read& read) {
#if defined(__AVX512F__)
    return Floats{read(samples[0]),  read(samples[1]),  read(samples[2]),  read(samples[3]),
                  read(samples[4]),  read(samples[5]),  read(samples[6]),  read(samples[7]),
                  read(samples[8]),  read(samples[9]),  read(samples[10]), read(samples[11]),
                  read(samples[12]), read(samples[13]), read(samples[14]), read(samples[15])};
#elif defined(__AVX2__)
    return Floats{read(samples[0]), read(samples[1]), read(samples[2]), read(samples[3]),
                  read(samples[4]), read(samples[5]), read(samples[6]), read(samples[7])};
#else
    return Floats{read(samples[0]), read(samples[1]), read(samples[2]), read(samples[3])};
#endif
}

// A direction of one term. Values go from registers to the range: loading what was just stored entry by entry waits.
template <typename Read>
inline ValueRange project_single(const std::uint32_t* samples, std::int64_t n, float coefficient, float* values,
                                 const Read& read) {
    RangeOfVectors range;
    const std::int64_t whole = n - n % kFloats;
    for (std::int64_t i = 0; i < whole; i += kFloats) {
        const Floats v = coefficient * read_vector(samples + i, read);
        store(values + i, v);
        range.add(v);
    }
    Floats last = Floats{};
    if (whole < n) {
        std::uint32_t repeated[kFloats];  // the last sample changes no range
        for (std::int64_t l = 0; l < kFloats; ++l) repeated[l] = samples[whole + l < n ? whole + l : n - 1];
        last = coefficient * read_vector(repeated, read);
        range.add(last);
    }
    store_padded(values, n, whole, last);
    return range.range();
}

template <typename T>
inline ValueRange project_feature(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n,
                                  const Direction& direction, float* values) {
    const T* column = features.as<T>() + (direction.indices[0] - features.first_column) * features.column_stride;
    const float coefficient = direction.coefficients[0];
    if (features.row_stride == 1) {
        return project_single(samples, n, coefficient, values,
                              [column](std::uint32_t sample) { return static_cast<float>(column[sample]); });
    }
    return project_single(samples, n, coefficient, values,
                          [column, stride = features.row_stride](std::uint32_t sample) {
                              return static_cast<float>(column[static_cast<std::int64_t>(sample) * stride]);
                          });
}

// Samples that are neighbours in their columns are read without their numbers, several at a time.
template <typename T>
void project_consecutive(const FeatureMatrix& features, std::int64_t first, std::int64_t n_samples,
                         const Direction& direction, float* values) {
    for (std::int64_t start = 0; start < n_samples; start += kProjectBlock) {
        const std::int64_t n = n_samples - start < kProjectBlock ? n_samples - start : kProjectBlock;
        for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
            const std::int64_t place = direction.indices[k] - features.first_column;
            const T* column = features.as<T>() + place * features.column_stride + first + start;
            const float coefficient = direction.coefficients[k];
            float* to = values + start;
            if (k == 0) {
                for (std::int64_t i = 0; i < n; ++i) to[i] = coefficient * static_cast<float>(column[i]);
            } else {
                for (std::int64_t i = 0; i < n; ++i) to[i] += coefficient * static_cast<float>(column[i]);
            }
        }
    }
}

template <typename T>
void project_typed(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n_samples,
                   const Direction& direction, float* values) {
    if (features.row_stride == 1 && are_consecutive(samples, n_samples)) {
        project_consecutive<T>(features, samples[0], n_samples, direction, values);
        return;
    }
    for (std::int64_t start = 0; start < n_samples; start += kProjectBlock) {
        const std::int64_t n = n_samples - start < kProjectBlock ? n_samples - start : kProjectBlock;
        if (features.row_stride == 1) {
            project_block<T, float, true>(features, samples + start, n, direction, values + start);
        } else {
            project_block<T, float, false>(features, samples + start, n, direction, values + start);
        }
    }
}

template <typename T>
void project_sums(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n_samples,
                  const Direction& direction, float* values) {
    double sums[kProjectBlock];
    for (std::int64_t start = 0; start < n_samples; start += kProjectBlock) {
        const std::int64_t n = n_samples - start < kProjectBlock ? n_samples - start : kProjectBlock;
        project_block<T, double, false>(features, samples + start, n, direction, sums);
        for (std::int64_t i = 0; i < n; ++i) values[start + i] = static_cast<float>(sums[i]);
    }
}

// As add_terms, of features that are stored as codes: the samples of several terms are looked up once, which takes 5 %
// off the time of a forest on tables of few values.
template <bool kFirst, std::size_t kTerms>
inline void add_code_terms(const FeatureCodes& codes, const std::uint32_t* samples, std::int64_t n,
                           const std::int32_t* indices, const float* coefficients, float* values) {
    const std::uint8_t* column[kTerms];
    const float* table[kTerms];
    float coefficient[kTerms];
    for (std::size_t k = 0; k < kTerms; ++k) {
        column[k] = codes.codes + indices[k];
        table[k] = codes.tables + 256 * static_cast<std::int64_t>(indices[k]);
        coefficient[k] = coefficients[k];
    }
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = static_cast<std::int64_t>(samples[i]) * codes.row_stride;
        float sum = coefficient[0] * table[0][column[0][at]];
        if (!kFirst) sum = values[i] + sum;
        for (std::size_t k = 1; k < kTerms; ++k) sum += coefficient[k] * table[k][column[k][at]];
        values[i] = sum;
    }
}

// A direction of at least two terms.
inline void project_code_block(const FeatureCodes& codes, const std::uint32_t* samples, std::int64_t n,
                               const Direction& direction, float* values) {
    const std::int32_t* indices = direction.indices;
    const float* coefficients = direction.coefficients;
    std::int64_t k = 2;
    if (direction.n_nonzeros == 2) {
        add_code_terms<true, 2>(codes, samples, n, indices, coefficients, values);
    } else {
        add_code_terms<true, 3>(codes, samples, n, indices, coefficients, values);
        k = 3;
    }
    for (; k < direction.n_nonzeros; ++k)
        add_code_terms<false, 1>(codes, samples, n, indices + k, coefficients + k, values);
}

ValueRange project_codes(const FeatureCodes& codes, const std::uint32_t* samples, std::int64_t n_samples,
                         const Direction& direction, float* values) {
    if (direction.n_nonzeros == 1) {
        const std::uint8_t* column = codes.codes + direction.indices[0];
        const float* table = codes.tables + 256 * static_cast<std::int64_t>(direction.indices[0]);
        return project_single(samples, n_samples, direction.coefficients[0], values,
                              [column, table, stride = codes.row_stride](std::uint32_t sample) {
                                  return table[column[static_cast<std::int64_t>(sample) * stride]];
                              });
    }
    for (std::int64_t start = 0; start < n_samples; start += kProjectBlock) {
        const std::int64_t n = n_samples - start < kProjectBlock ? n_samples - start : kProjectBlock;
        project_code_block(codes, samples + start, n, direction, values + start);
    }
    return measure_range(values, n_samples);
}

ValueRange project(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n_samples,
                   const Direction& direction, float* values) {
    if (direction.n_nonzeros == 1) {
        switch (features.type) {
            case FeatureType::float32:
                return project_feature<float>(features, samples, n_samples, direction, values);
            case FeatureType::uint8:
                return project_feature<std::uint8_t>(features, samples, n_samples, direction, values);
            case FeatureType::float64:
                return project_feature<double>(features, samples, n_samples, direction, values);
            case FeatureType::sums_int32:
            case FeatureType::sums_float64:
                break;
        }
    }
    switch (features.type) {
        case FeatureType::float32:
            project_typed<float>(features, samples, n_samples, direction, values);
            break;
        case FeatureType::float64:
            project_typed<double>(features, samples, n_samples, direction, values);
            break;
        case FeatureType::uint8:
            project_typed<std::uint8_t>(features, samples, n_samples, direction, values);
            break;
        case FeatureType::sums_int32:
            project_sums<std::int32_t>(features, samples, n_samples, direction, values);
            break;
        case FeatureType::sums_float64:
            project_sums<double>(features, samples, n_samples, direction, values);
            break;
    }
    return measure_range(values, n_samples);
}

}  // namespace
}  // namespace silvan
