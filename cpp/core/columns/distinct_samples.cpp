// Samples of equal features have equal hashes.
#include "core/columns/distinct_samples.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/stopping.hpp"

namespace silvan {
namespace {

template <typename T>
std::uint64_t hash_sample(const FeatureMatrix& features, std::int64_t sample) {
    const T* row = features.as<T>() + sample * features.row_stride;
    std::uint64_t hash = 0;
    for (std::int64_t j = 0; j < features.n_features; ++j) {
        const auto value = static_cast<float>(row[j * features.column_stride]);
        // Zeros are alike, and so are missing values.
        const std::uint64_t bits = value == value ? std::bit_cast<std::uint32_t>(value + 0.0F) : 0x7FC00000U;
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29U;
    }
    return hash;
}

}  // namespace

void DistinctSamples::read() const {
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(features_.n_samples));
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        throw_if_stopped(features_.n_features);
        const auto sample = static_cast<std::int64_t>(i);
        hashes[i] = features_.type == FeatureType::uint8 ? hash_sample<std::uint8_t>(features_, sample)
                                                         : hash_sample<float>(features_, sample);
    }
    std::vector<std::uint64_t> sorted = hashes;
    std::sort(sorted.begin(), sorted.end());
    const bool repeats = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    if (repeats) hashes_ = std::move(hashes);
}

std::int64_t DistinctSamples::count(const std::uint32_t* samples, std::int64_t n_samples) const {
    std::call_once(read_, [this] { read(); });
    if (hashes_.empty()) return n_samples;
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(n_samples));
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = hashes_[samples[i]];
    std::sort(hashes.begin(), hashes.end());
    return std::unique(hashes.begin(), hashes.end()) - hashes.begin();
}

}  // namespace silvan
