// Chooses layouts, and finds what holds whole numbers only.
#include "core/columns/feature_layouts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
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

const FeatureMatrix& FeatureLayouts::layout_for(const Direction& direction, std::int64_t n_samples) const {
    if (rows.data == nullptr || columns.n_samples * row_bytes(columns) <= kCacheBytes) return columns;
    if (n_samples * row_bytes(rows) <= kCacheBytes) return rows;
    const std::int64_t column_lines = columns.n_samples * bytes_of(columns.type) / kLineBytes + 1;
    const std::int64_t by_columns = direction.n_nonzeros * std::min(n_samples, column_lines);
    const std::int64_t by_rows = n_samples * count_lines(direction, kLineBytes / bytes_of(rows.type));
    return 2 * by_rows < by_columns ? rows : columns;
}

// Numbers the distinct values of a feature, by their bits, in the order in which they come.
class ValueCodes {
public:
    static constexpr std::int32_t kMaxValues = 256;

    ValueCodes() { slots_.fill(-1); }

    // -1 where there are too many values.
    std::int32_t code_of(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (std::uint32_t at = bits * 0x9E3779B1U >> kShift;; at = (at + 1) % kSlots) {
            std::int32_t& code = slots_[at];
            if (code < 0) return n_values_ == kMaxValues ? -1 : add(value, code);
            if (std::bit_cast<std::uint32_t>(values_[static_cast<std::size_t>(code)]) == bits) return code;
        }
    }

    // Sorts the values, missing ones last, and tells the new code of each; returns the number of values, or 0 where
    // codes tell values apart that are equal, or some are missing.
    std::int32_t sort(std::array<std::uint8_t, kMaxValues>& new_code) {
        const auto n = static_cast<std::size_t>(n_values_);
        std::array<std::int32_t, kMaxValues> order;
        std::iota(order.begin(), order.end(), 0);
        const std::array<float, kMaxValues> old = values_;
        std::sort(order.begin(), order.begin() + n_values_, [&old](std::int32_t a, std::int32_t b) {
            const float u = old[static_cast<std::size_t>(a)];
            const float v = old[static_cast<std::size_t>(b)];
            if (std::isnan(u) || std::isnan(v)) return !std::isnan(u) && std::isnan(v);
            return u < v;
        });
        bool distinct = true;
        for (std::size_t i = 0; i < n; ++i) {
            const auto from = static_cast<std::size_t>(order[i]);
            new_code[from] = static_cast<std::uint8_t>(i);
            values_[i] = old[from];
            distinct = distinct && !std::isnan(values_[i]) && (i == 0 || values_[i - 1] < values_[i]);
        }
        return distinct ? n_values_ : 0;
    }

    const float* begin() const { return values_.data(); }
    const float* end() const { return values_.data() + n_values_; }

private:
    static constexpr int kShift = 22;
    static constexpr std::uint32_t kSlots = 1U << (32 - kShift);

    std::int32_t add(float value, std::int32_t& code) {
        values_[static_cast<std::size_t>(n_values_)] = value;
        return code = n_values_++;
    }

    std::array<std::int32_t, kSlots> slots_;
    std::array<float, kMaxValues> values_;
    std::int32_t n_values_ = 0;
};

namespace {

// A feature of some samples.
struct ColumnPart {
    ColumnPart(const FeatureMatrix& columns, std::int64_t feature, std::int64_t first, std::int64_t n)
        : data(columns.as<float>() + feature * columns.column_stride + first * columns.row_stride),
          stride(columns.row_stride),
          size(n) {}

    const float* data;
    std::int64_t stride;
    std::int64_t size;
};

// Writes the codes of the values, `step` bytes apart; returns false where there are too many values.
bool encode(const ColumnPart& column, ValueCodes& values, std::uint8_t* codes, std::int64_t step) {
    std::uint32_t last_bits = 0;
    std::int32_t last = -1;
    for (std::int64_t i = 0; i < column.size; ++i) {
        const float value = column.data[i * column.stride];
        const auto bits = std::bit_cast<std::uint32_t>(value);
        if (last < 0 || bits != last_bits) last = values.code_of(value);
        if (last < 0) return false;
        last_bits = bits;
        codes[i * step] = static_cast<std::uint8_t>(last);
    }
    return true;
}

// Features that may have few values, by a look at the first samples: no memory is taken for tables that have none.
std::int64_t count_few_valued(const FeatureMatrix& columns) {
    constexpr std::int64_t kLook = 1024;
    std::uint8_t codes[kLook];
    std::int64_t few = 0;
    for (std::int64_t j = 0; j < columns.n_features; ++j) {
        ValueCodes values;
        throw_if_stopped(kLook);
        few += encode({columns, j, 0, std::min(kLook, columns.n_samples)}, values, codes, 1) ? 1 : 0;
    }
    return few;
}

}  // namespace

CodedFeatures::CodedFeatures(const FeatureMatrix& columns) {
    constexpr std::int64_t kBlock = 4096;  // samples whose codes stay in the cache until all features are there
    const std::int64_t n = columns.n_samples;
    const std::int64_t p = columns.n_features;
    if (columns.type != FeatureType::float32) return;
    if (2 * count_few_valued(columns) < p) return;
    std::vector<ValueCodes> values(static_cast<std::size_t>(p));
    std::vector<std::uint8_t> coded(values.size(), 1);
    std::int64_t n_coded = p;
    codes_.allocate(static_cast<std::size_t>(n * p));  // pages are taken when they are written
    for (std::int64_t first = 0; first < n; first += kBlock) {
        const std::int64_t size = std::min(kBlock, n - first);
        throw_if_stopped(size * p);
        for (std::int64_t j = 0; j < p; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (coded[at] == 0) continue;
            if (encode({columns, j, first, size}, values[at], codes_.data() + first * p + j, p)) continue;
            coded[at] = 0;
            if (2 * --n_coded < p) {
                codes_ = {};
                return;
            }
        }
    }
    view_ = {codes_.data(), nullptr, p};
    coded_ = std::move(coded);
    exceeds_cache_ = n * row_bytes(columns) > kCacheBytes;
    has_all_ = n_coded == p;
    n_samples_ = n;
    order_codes(values);
    if (n * p > kCacheBytes / 2) copy_columns();
}

// Codes become those of the sorted values; features without codes have zeros.
void CodedFeatures::order_codes(std::vector<ValueCodes>& values) {
    const std::size_t p = values.size();
    std::vector<std::array<std::uint8_t, ValueCodes::kMaxValues>> new_code(p);
    tables_.resize(p * ValueCodes::kMaxValues);
    n_codes_.resize(p);
    for (std::size_t j = 0; j < p; ++j) {
        new_code[j].fill(0);
        if (coded_[j] == 0) continue;
        n_codes_[j] = values[j].sort(new_code[j]);
        is_ambiguous_ = is_ambiguous_ || n_codes_[j] == 0;
        std::copy(values[j].begin(), values[j].end(), tables_.data() + j * ValueCodes::kMaxValues);
    }
    view_.tables = tables_.data();
    std::uint8_t* code = codes_.data();
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        throw_if_stopped(view_.row_stride);
        for (std::size_t j = 0; j < p; ++j, ++code) *code = new_code[j][*code];
    }
}

void CodedFeatures::copy_columns() {
    constexpr std::int64_t kBlock = 64;  // samples whose codes stay in the first cache while all columns are written
    const std::int64_t p = view_.row_stride;
    columns_.allocate(codes_.size());
    for (std::int64_t first = 0; first < n_samples_; first += kBlock) {
        const std::int64_t last = std::min(first + kBlock, n_samples_);
        throw_if_stopped((last - first) * p);
        for (std::int64_t j = 0; j < p; ++j) {
            std::uint8_t* column = columns_.data() + j * n_samples_;
            for (std::int64_t i = first; i < last; ++i) column[i] = view_.codes[i * p + j];
        }
    }
}

bool CodedFeatures::serve(const Direction& direction, std::int64_t n_samples) const {
    if (!exceeds_cache_ || n_samples * view_.row_stride > kCacheBytes) return false;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if (coded_[static_cast<std::size_t>(direction.indices[k])] == 0) return false;
    }
    return true;
}

CodedFeatures::Same CodedFeatures::compare(std::uint32_t a, std::uint32_t b) const {
    if (coded_.empty()) return Same::unknown;
    const auto codes_of = [this](std::uint32_t sample) { return view_.codes + sample * view_.row_stride; };
    const bool equal = std::equal(codes_of(a), codes_of(a) + view_.row_stride, codes_of(b));
    if (equal) return has_all_ ? Same::yes : Same::unknown;
    return is_ambiguous_ ? Same::unknown : Same::no;
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

bool are_all_finite(const FeatureMatrix& columns) {
    if (columns.type != FeatureType::float32) return true;
    for (std::int64_t j = 0; j < columns.n_features; ++j) {
        throw_if_stopped(columns.n_samples);
        const float* column = columns.as<float>() + j * columns.column_stride;
        bool finite = true;
        for (std::int64_t i = 0; i < columns.n_samples; ++i) {
            const float v = column[i * columns.row_stride];
            finite &= v - v == 0.0F;
        }
        if (!finite) return false;
    }
    return true;
}

}  // namespace silvan
