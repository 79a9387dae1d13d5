// Non-owning views of the arrays that the caller hands to the core.
#pragma once

#include <cstdint>

namespace silvan {

// Features are stored as float32 or uint8; float64 is read only where the caller's own matrix serves as a
// second layout, and rounded to float32 value by value. Running sums (see grid.hpp) are added in float64 and
// rounded once.
enum class FeatureType : std::uint8_t { float32, uint8, float64, sums_int32, sums_float64 };

inline std::int64_t bytes_of(FeatureType type) {
    switch (type) {
        case FeatureType::uint8:
            return 1;
        case FeatureType::float32:
        case FeatureType::sums_int32:
            return 4;
        case FeatureType::float64:
        case FeatureType::sums_float64:
            return 8;
    }
    return 8;
}

// Values that are not zero, sample by sample with ascending features, and where trees grow on them feature by feature
// with ascending samples, too.
struct SparseFeatures {
    std::int64_t n_samples = 0;
    std::int64_t n_features = 0;
    const std::int64_t* row_indptr = nullptr;
    const std::int32_t* row_indices = nullptr;
    const float* row_values = nullptr;
    const std::int64_t* column_indptr = nullptr;  // nullptr: there are samples only
    const std::int32_t* column_indices = nullptr;
    const float* column_values = nullptr;
};

// An n_samples x n_features matrix. Strides count elements, so row-major, column-major and strided
// matrices are all read without a copy.
struct FeatureMatrix {
    const void* data = nullptr;
    FeatureType type = FeatureType::float32;
    std::int64_t n_samples = 0;
    std::int64_t n_features = 0;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 1;
    std::int64_t first_column = 0;           // the number by which directions know column 0
    const SparseFeatures* sparse = nullptr;  // in place of data
    bool complete = false;                   // whether it is known that no value is missing

    template <typename T>
    const T* as() const {
        return static_cast<const T*>(data);
    }
};

// Features of few distinct values, each sample's side by side: the value of feature j is tables[256 j + code]. Codes
// are in the order of the values.
struct FeatureCodes {
    const std::uint8_t* codes = nullptr;  // row-major, row_stride bytes a sample
    const float* tables = nullptr;
    std::int64_t row_stride = 0;
};

// One of them, none of whose values is missing or has two codes. Without codes: none.
struct CodedColumn {
    const std::uint8_t* codes = nullptr;       // of sample 0; row_stride bytes a sample
    const std::uint8_t* contiguous = nullptr;  // the same one after the other, where large nodes read them faster
    const float* values = nullptr;             // by code, ascending
    std::int64_t row_stride = 0;
    std::int64_t n_samples = 0;
    std::int32_t n_codes = 0;
};

}  // namespace silvan
