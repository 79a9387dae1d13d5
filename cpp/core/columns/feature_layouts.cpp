// Chooses layouts, and finds what holds whole numbers only.
#include "core/columns/feature_layouts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/stopping.hpp"

namespace silvan {

namespace {

constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kCacheBytes = 1 << 20;  // a usual second-level cache

std::int64_t row_bytes(const FeatureMatrix& matrix) {
    const std::int64_t bytes = matrix.n_features * bytes_of(matrix.type);
    return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// Groups of a direction's features that lie within a cache line of each other.
std::int64_t count_lines(const Direction& direction, std::int64_t features_per_line) {
    std::int64_t lines = 1;
    std::int64_t first = direction.indices[0];
    for (std::int64_t k = 1; k < direction.n_nonzeros; ++k) {
        if (direction.indices[k] - first < features_per_line) continue;
        first = direction.indices[k];
        ++lines;
    }
    return lines;
}

}  // namespace

const FeatureMatrix& FeatureLayouts::layout_for(const Direction& direction, std::int64_t n_rows) const {
    if (rows.data == nullptr || columns.n_samples * row_bytes(columns) <= kCacheBytes) return columns;
    if (n_rows * row_bytes(rows) <= kCacheBytes) return rows;
    const std::int64_t column_lines = columns.n_samples * bytes_of(columns.type) / kLineBytes + 1;
    const std::int64_t by_columns = direction.n_nonzeros * std::min(n_rows, column_lines);
    const std::int64_t by_rows = n_rows * count_lines(direction, kLineBytes / bytes_of(rows.type));
    return 2 * by_rows < by_columns ? rows : columns;
}

namespace {

// Numbers the distinct values of a feature, by their bits, in the order in which they come.
class ValueCodes {
public:
    static constexpr std::int32_t kMaxValues = 256;

    void clear() {
        slots_.fill(-1);
        n_values_ = 0;
    }

    // -1 where there are too many values.
    std::int32_t code_of(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (std::uint32_t at = bits * 0x9E3779B1U >> kShift;; at = (at + 1) % slots_.size()) {
            std::int32_t& code = slots_[at];
            if (code < 0) return n_values_ == kMaxValues ? -1 : add(value, code);
            if (std::bit_cast<std::uint32_t>(values_[static_cast<std::size_t>(code)]) == bits) return code;
        }
    }

    const float* begin() const { return values_.data(); }
    const float* end() const { return values_.data() + n_values_; }

private:
    static constexpr int kShift = 22;

    std::int32_t add(float value, std::int32_t& code) {
        values_[static_cast<std::size_t>(n_values_)] = value;
        return code = n_values_++;
    }

    std::array<std::int32_t, std::size_t{1} << (32 - kShift)> slots_;
    std::array<float, kMaxValues> values_;
    std::int32_t n_values_ = 0;
};

bool has_few_values(const float* column, std::int64_t n, std::int64_t stride, ValueCodes& values) {
    values.clear();
    for (std::int64_t i = 0; i < n; ++i) {
        if (values.code_of(column[i * stride]) < 0) return false;
    }
    return true;
}

}  // namespace

CodedFeatures::CodedFeatures(const FeatureMatrix& columns) {
    const std::int64_t p = columns.n_features;
    if (columns.type != FeatureType::float32 || columns.n_samples * row_bytes(columns) <= kCacheBytes) return;
    ValueCodes values;
    std::vector<std::uint8_t> coded(static_cast<std::size_t>(p));
    std::int64_t n_coded = 0;
    for (std::int64_t j = 0; j < p && 2 * (n_coded + p - j) >= p; ++j) {
        throw_if_stopped(columns.n_samples);
        const float* column = columns.as<float>() + j * columns.column_stride;
        const bool few = has_few_values(column, columns.n_samples, columns.row_stride, values);
        coded[static_cast<std::size_t>(j)] = few ? 1 : 0;
        n_coded += few ? 1 : 0;
    }
    if (2 * n_coded < p) return;
    coded_ = std::move(coded);
    fill_codes(columns);
}

void CodedFeatures::fill_codes(const FeatureMatrix& columns) {
    const std::int64_t p = columns.n_features;
    tables_.resize(static_cast<std::size_t>(p * ValueCodes::kMaxValues));
    codes_.allocate(static_cast<std::size_t>(columns.n_samples * p));
    ValueCodes values;
    for (std::int64_t j = 0; j < p; ++j) {
        if (coded_[static_cast<std::size_t>(j)] == 0) continue;
        throw_if_stopped(columns.n_samples);
        values.clear();
        const float* column = columns.as<float>() + j * columns.column_stride;
        std::uint8_t* codes = codes_.data() + j;
        for (std::int64_t i = 0; i < columns.n_samples; ++i) {
            codes[i * p] = static_cast<std::uint8_t>(values.code_of(column[i * columns.row_stride]));
        }
        std::copy(values.begin(), values.end(), tables_.data() + j * ValueCodes::kMaxValues);
    }
    view_ = {codes_.data(), tables_.data(), p};
}

bool CodedFeatures::serve(const Direction& direction, std::int64_t n_rows) const {
    if (coded_.empty() || n_rows * view_.row_stride > kCacheBytes) return false;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if (coded_[static_cast<std::size_t>(direction.indices[k])] == 0) return false;
    }
    return true;
}

std::vector<std::uint8_t> find_integral_features(const FeatureMatrix& columns) {
    std::vector<std::uint8_t> integral(static_cast<std::size_t>(columns.n_features), 1);
    if (columns.type == FeatureType::uint8) return integral;
    constexpr float kLimit = 1 << 20;
    for (std::int64_t j = 0; j < columns.n_features; ++j) {
        throw_if_stopped(columns.n_samples);
        const float* column = columns.as<float>() + j * columns.column_stride;
        for (std::int64_t i = 0; i < columns.n_samples; ++i) {
            const float v = column[i * columns.row_stride];
            if (v == std::trunc(v) && std::abs(v) < kLimit) continue;
            integral[static_cast<std::size_t>(j)] = 0;
            break;
        }
    }
    return integral;
}

}  // namespace silvan
