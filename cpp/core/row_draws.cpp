// Bootstrap and subsample draws over rows in canonical order.
#include "core/row_draws.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/buffer.hpp"
#include "core/random.hpp"

namespace silvan {
namespace {

void draw_with_replacement(const RowDraws& draws, Random& random, std::int32_t* multiplicity) {
    const auto n = draws.n_samples;
    const double total = draws.cumulative == nullptr ? static_cast<double>(n) : draws.cumulative[n - 1];
    for (std::int64_t i = 0; i < draws.n_draws; ++i) {
        const double at = random.uniform() * total;
        std::int64_t position = 0;
        if (draws.cumulative == nullptr) {
            position = static_cast<std::int64_t>(at);
        } else {
            position = std::upper_bound(draws.cumulative, draws.cumulative + n, at) - draws.cumulative;
        }
        position = std::min(position, n - 1);
        ++multiplicity[draws.order[position]];
    }
}

// Floyd's algorithm keeps the draw linear in the number of draws.
void draw_without_replacement(const RowDraws& draws, Random& random, std::int32_t* multiplicity) {
    for (std::int64_t j = draws.n_samples - draws.n_draws; j < draws.n_samples; ++j) {
        const auto position = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(j) + 1));
        std::int32_t& count = multiplicity[draws.order[position]];
        ++(count == 0 ? count : multiplicity[draws.order[j]]);
    }
}

inline std::uint64_t value_bits(float value) {
    return std::bit_cast<std::uint32_t>(value == 0.0F ? 0.0F : value);  // -0 equals 0
}

inline std::uint64_t value_bits(std::uint8_t value) { return value; }

// Takes as many values a step as fit into a word, whatever the layout.
template <typename T>
std::uint64_t hash_row(const T* row, std::int64_t n_features, std::int64_t stride) {
    constexpr std::int64_t kPerWord = 8 / sizeof(T);
    std::uint64_t hash = 0x51ED270B7A2CULL;
    for (std::int64_t j = 0; j < n_features; j += kPerWord) {
        std::uint64_t word = 0;
        const std::int64_t end = std::min(j + kPerWord, n_features);
        for (std::int64_t k = j; k < end; ++k) word = (word << (8 * sizeof(T))) | value_bits(row[k * stride]);
        hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15ULL;
    }
    return mix_bits(hash);
}

template <typename T, typename Target>
void hash_rows(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
               Buffer<std::uint64_t>& hashes) {
    hashes.resize(static_cast<std::size_t>(features.n_samples));
    for (std::int64_t i = 0; i < features.n_samples; ++i) {
        std::uint64_t hash =
            hash_row(features.as<T>() + i * features.row_stride, features.n_features, features.column_stride);
        for (std::int64_t k = 0; k < n_targets; ++k) {
            const auto target = static_cast<double>(targets[i * n_targets + k]);
            hash = combine_keys(hash, std::bit_cast<std::uint64_t>(target));
        }
        hashes[static_cast<std::size_t>(i)] = hash;
    }
}

}  // namespace

void draw_rows(const RowDraws& draws, std::uint64_t seed, std::uint64_t tree,
               std::int32_t* multiplicity) {
    const bool all_rows = !draws.replace && draws.n_draws >= draws.n_samples;
    std::fill(multiplicity, multiplicity + draws.n_samples, all_rows ? 1 : 0);
    if (all_rows) return;
    Random random(stream_key(seed, tree, Purpose::rows));
    if (draws.replace) {
        draw_with_replacement(draws, random, multiplicity);
    } else {
        draw_without_replacement(draws, random, multiplicity);
    }
}

template <typename Target>
std::vector<std::uint32_t> canonical_order(const FeatureMatrix& features, const Target* targets,
                                           std::int64_t n_targets) {
    Buffer<std::uint64_t> hashes;
    if (features.type == FeatureType::float32) {
        hash_rows<float>(features, targets, n_targets, hashes);
    } else {
        hash_rows<std::uint8_t>(features, targets, n_targets, hashes);
    }
    std::vector<std::uint32_t> order(hashes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&hashes](std::uint32_t a, std::uint32_t b) {
        return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b;
    });
    return order;
}

template std::vector<std::uint32_t> canonical_order(const FeatureMatrix&, const std::int32_t*, std::int64_t);
template std::vector<std::uint32_t> canonical_order(const FeatureMatrix&, const double*, std::int64_t);

}  // namespace silvan
