// Finds the samples of a node among those with a nonzero value, or the other way round.
#include "core/columns/sparse_features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace silvan {
namespace {

// Calls visit(i, value) for each of the ascending samples that has a nonzero value of the feature. Searches the shorter
// of both lists in the longer one.
template <typename Visit>
void visit_samples(const SparseFeatures& features, std::int32_t feature, const std::uint32_t* samples,
                   std::int64_t n_samples, const Visit& visit) {
    const std::int64_t begin = features.column_indptr[feature];
    const std::int64_t end = features.column_indptr[feature + 1];
    const auto rows = [&](std::int64_t at) { return static_cast<std::uint32_t>(features.column_indices[at]); };
    if (n_samples < end - begin) {
        const std::int32_t* at = features.column_indices + begin;
        const std::int32_t* last = features.column_indices + end;
        for (std::int64_t i = 0; i < n_samples; ++i) {
            at = std::lower_bound(at, last, static_cast<std::int32_t>(samples[i]));
            if (at == last) return;
            if (static_cast<std::uint32_t>(*at) == samples[i])
                visit(i, features.column_values[at - features.column_indices]);
        }
    } else {
        const std::uint32_t* at = samples;
        for (std::int64_t k = begin; k < end; ++k) {
            at = std::lower_bound(at, samples + n_samples, rows(k));
            if (at == samples + n_samples) return;
            if (*at == rows(k)) visit(at - samples, features.column_values[k]);
        }
    }
}

std::vector<std::uint8_t> find_integral(const SparseFeatures& features) {
    constexpr float kLargest = 1 << 20;
    std::vector<std::uint8_t> integral(static_cast<std::size_t>(features.n_features), 1);
    for (std::int64_t j = 0; j < features.n_features; ++j) {
        for (std::int64_t k = features.column_indptr[j]; k < features.column_indptr[j + 1]; ++k) {
            const float value = features.column_values[k];
            if (!(std::abs(value) < kLargest) || value != std::trunc(value)) integral[static_cast<std::size_t>(j)] = 0;
        }
    }
    return integral;
}

// The value of a sample whose features are all zero, with the sign that the sum has in a dense matrix.
float zero_of(const Direction& direction) {
    float sum = direction.coefficients[0] * 0.0F;
    for (std::int64_t k = 1; k < direction.n_nonzeros; ++k) sum += direction.coefficients[k] * 0.0F;
    return sum;
}

}  // namespace

SparseNodeColumns::SparseNodeColumns(const SparseFeatures& features)
    : features_(features), integral_(std::make_shared<const std::vector<std::uint8_t>>(find_integral(features))) {}

void SparseNodeColumns::start(const NodeContext&, std::uint64_t) { numbered_ = false; }

void SparseNodeColumns::number_samples(const NodeContext& node) {
    const auto n = static_cast<std::uint32_t>(node.n_samples);
    if (place_.empty()) place_.assign(static_cast<std::size_t>(features_.n_samples), 0);
    // Places begin with 1, so that those of no node are before all.
    first_place_ += std::max<std::uint32_t>(n_places_, 1);
    if (first_place_ > std::numeric_limits<std::uint32_t>::max() - n) {
        std::fill(place_.begin(), place_.end(), 0);
        first_place_ = 1;
    }
    n_places_ = n;
    for (std::uint32_t i = 0; i < n; ++i) place_[node.samples[i]] = first_place_ + i;
    if (sums_.size() < n) {
        sums_.resize(n);
        touched_.resize(n);
    }
    numbered_ = true;
}

template <typename Visit>
void SparseNodeColumns::visit_numbered(std::int32_t feature, const Visit& visit) const {
    const std::int64_t end = features_.column_indptr[feature + 1];
    for (std::int64_t k = features_.column_indptr[feature]; k < end; ++k) {
        const std::uint32_t place = place_[static_cast<std::size_t>(features_.column_indices[k])] - first_place_;
        if (place < n_places_) visit(place, features_.column_values[k]);
    }
}

bool SparseNodeColumns::project_nonzeros(const Direction& direction, const NodeContext& node, NonzeroValues& nonzeros) {
    // A column with many more values than the node has samples is searched for these.
    constexpr std::int64_t kLookUps = 4;
    std::int64_t n_stored = 0;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const std::int32_t feature = direction.indices[k];
        n_stored += features_.column_indptr[feature + 1] - features_.column_indptr[feature];
    }
    if (!numbered_) number_samples(node);
    nonzeros.zero = zero_of(direction);
    nonzeros.places.clear();
    nonzeros.values.clear();
    const bool look_up = n_stored > kLookUps * direction.n_nonzeros * node.n_samples *
                                        static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n_stored)));
    const auto visit_feature = [&](std::int32_t feature, const auto& visit) {
        if (look_up) {
            visit_samples(features_, feature, node.samples, node.n_samples,
                          [&](std::int64_t i, float value) { visit(static_cast<std::uint32_t>(i), value); });
        } else {
            visit_numbered(feature, visit);
        }
    };
    if (direction.n_nonzeros == 1) {
        visit_feature(direction.indices[0], [&](std::uint32_t place, float value) {
            nonzeros.places.push_back(place);
            nonzeros.values.push_back(direction.coefficients[0] * value);
        });
    } else {
        for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
            visit_feature(direction.indices[k], [&](std::uint32_t place, float value) {
                if (touched_[place] == 0) {
                    touched_[place] = 1;
                    sums_[place] = nonzeros.zero;
                    nonzeros.places.push_back(place);
                }
                sums_[place] += direction.coefficients[k] * value;
            });
        }
        for (const std::uint32_t place : nonzeros.places) {
            nonzeros.values.push_back(sums_[place]);
            touched_[place] = 0;
        }
    }
    for (const float value : nonzeros.values) {
        if (std::isnan(value)) return false;
    }
    // Where most values are stored, the engines of dense values are faster.
    return 4 * static_cast<std::int64_t>(nonzeros.places.size()) < node.n_samples;
}

ValueRange SparseNodeColumns::project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                                      float* values) {
    std::fill(values, values + n_samples, zero_of(direction));
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const float coefficient = direction.coefficients[k];
        visit_samples(features_, direction.indices[k], samples, n_samples,
                      [=](std::int64_t i, float value) { values[i] += coefficient * value; });
    }
    ValueRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), false};
    for (std::int64_t i = 0; i < n_samples; ++i) {
        range.minimum = values[i] < range.minimum ? values[i] : range.minimum;
        range.maximum = values[i] > range.maximum ? values[i] : range.maximum;
        range.any_missing = range.any_missing || values[i] != values[i];
    }
    for (std::int64_t i = n_samples; i % kLane != 0; ++i) values[i] = std::numeric_limits<float>::infinity();
    return range;
}

bool SparseNodeColumns::is_integral(const Direction& direction) const {
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if ((*integral_)[static_cast<std::size_t>(direction.indices[k])] == 0) return false;
        if (direction.coefficients[k] != std::trunc(direction.coefficients[k])) return false;
    }
    return true;
}

void SparseNodeColumns::read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                                     double* values) {
    std::fill(values, values + n_samples, 0.0);
    visit_samples(features_, feature, samples, n_samples, [=](std::int64_t i, float value) { values[i] = value; });
}

bool SparseNodeColumns::equal_samples(std::uint32_t a, std::uint32_t b) const {
    const std::int64_t n = features_.row_indptr[a + 1] - features_.row_indptr[a];
    if (features_.row_indptr[b + 1] - features_.row_indptr[b] != n) return false;
    const std::int64_t first = features_.row_indptr[a];
    const std::int64_t second = features_.row_indptr[b];
    for (std::int64_t k = 0; k < n; ++k) {
        const float u = features_.row_values[first + k];
        const float v = features_.row_values[second + k];
        const bool both_missing = u != u && v != v;
        if (features_.row_indices[first + k] != features_.row_indices[second + k]) return false;
        if (u != v && !both_missing) return false;
    }
    return true;
}

FeatureMatrix DenseBlock::fill(const SparseFeatures& features, std::int64_t first, std::int64_t last) {
    clear();
    const auto n = static_cast<std::size_t>((last - first) * features.n_features);
    if (values_.size() < n) values_.resize(n);
    for (std::int64_t i = first; i < last; ++i) {
        for (std::int64_t k = features.row_indptr[i]; k < features.row_indptr[i + 1]; ++k) {
            const auto at = static_cast<std::size_t>((i - first) * features.n_features + features.row_indices[k]);
            values_[at] = features.row_values[k];
            filled_.push_back(at);
        }
    }
    FeatureMatrix block;
    block.data = values_.data();
    block.complete =
        std::none_of(filled_.begin(), filled_.end(), [this](std::size_t at) { return values_[at] != values_[at]; });
    block.n_samples = last - first;
    block.n_features = features.n_features;
    block.row_stride = features.n_features;
    return block;
}

std::unique_ptr<DenseBlock> DenseBlocks::take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) return std::make_unique<DenseBlock>();
    auto block = std::move(free_.back());
    free_.pop_back();
    return block;
}

void DenseBlock::clear() {
    for (const std::size_t at : filled_) values_[at] = 0.0F;
    filled_.clear();
}

}  // namespace silvan
