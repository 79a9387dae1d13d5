// Bootstrap and subsample draws over samples in canonical order.
#include "core/sample_draws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/binomial.hpp"
#include "core/random.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// Draws one by one cost more than a binomial draw for each sample once there are so many of them for each sample.
constexpr std::int64_t kDrawsSingly = 16;

// The multinomial distribution as binomials, each given those before: how many of the draws that are left fall on
// the next sample.
void draw_counts(const SampleDraws& draws, Random& random, std::int32_t* multiplicity) {
    const auto n = draws.n_samples;
    std::int64_t left = draws.n_draws;
    double before = 0.0;
    for (std::int64_t position = 0; position < n && left > 0; ++position) {
        throw_if_stopped(1);
        double share = 1.0 / static_cast<double>(n - position);
        if (draws.cumulative != nullptr) {
            share = (draws.cumulative[position] - before) / (draws.cumulative[n - 1] - before);
            before = draws.cumulative[position];
        }
        const std::int64_t count = position == n - 1 ? left : draw_binomial(random, left, share);
        multiplicity[draws.order[position]] = static_cast<std::int32_t>(count);
        left -= count;
    }
}

void draw_with_replacement(const SampleDraws& draws, Random& random, std::int32_t* multiplicity) {
    if (draws.n_draws > kDrawsSingly * draws.n_samples) return draw_counts(draws, random, multiplicity);
    const auto n = draws.n_samples;
    const double total = draws.cumulative == nullptr ? static_cast<double>(n) : draws.cumulative[n - 1];
    for (std::int64_t i = 0; i < draws.n_draws; ++i) {
        throw_if_stopped(1);
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
void draw_without_replacement(const SampleDraws& draws, Random& random, std::int32_t* multiplicity) {
    for (std::int64_t j = draws.n_samples - draws.n_draws; j < draws.n_samples; ++j) {
        throw_if_stopped(1);
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
std::uint64_t hash_sample(const T* sample, std::int64_t n_features, std::int64_t stride) {
    constexpr std::int64_t kPerWord = 8 / sizeof(T);
    std::uint64_t hash = 0x51ED270B7A2CULL;
    for (std::int64_t j = 0; j < n_features; j += kPerWord) {
        std::uint64_t word = 0;
        const std::int64_t end = std::min(j + kPerWord, n_features);
        for (std::int64_t k = j; k < end; ++k) word = (word << (8 * sizeof(T))) | value_bits(sample[k * stride]);
        hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15ULL;
    }
    return mix_bits(hash);
}

template <typename T, typename Target>
void hash_typed_samples(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                        std::vector<std::uint64_t>& hashes) {
    for (std::int64_t i = 0; i < features.n_samples; ++i) {
        throw_if_stopped(features.n_features);
        std::uint64_t hash =
            hash_sample(features.as<T>() + i * features.row_stride, features.n_features, features.column_stride);
        for (std::int64_t k = 0; k < n_targets; ++k) {
            const auto target = static_cast<double>(targets[i * n_targets + k]);
            hash = combine_keys(hash, std::bit_cast<std::uint64_t>(target));
        }
        hashes[static_cast<std::size_t>(i)] = hash;
    }
}

// Calls visit(sample, first) with each sample that was drawn, in canonical order; `first` tells whether no sample equal
// to it was drawn before.
template <typename Visit>
void for_drawn_samples(const SampleDraws& draws, const std::int32_t* multiplicity, const Visit& visit) {
    bool first = true;
    for (std::int64_t i = 0; i < draws.n_samples; ++i) {
        if (draws.repeats == nullptr || draws.repeats[i] == 0) first = true;
        const std::uint32_t sample = draws.order[i];
        if (multiplicity[sample] == 0) continue;
        visit(sample, first);
        first = false;
    }
}

}  // namespace

void draw_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree, std::int32_t* multiplicity) {
    if (draws.given != nullptr) {
        std::copy(draws.given, draws.given + draws.n_samples, multiplicity);
        return;
    }
    const bool all_samples = !draws.replace && draws.n_draws >= draws.n_samples;
    std::fill(multiplicity, multiplicity + draws.n_samples, all_samples ? 1 : 0);
    if (all_samples) return;
    Random random(stream_key(seed, tree, Purpose::samples));
    if (draws.replace) {
        draw_with_replacement(draws, random, multiplicity);
    } else {
        draw_without_replacement(draws, random, multiplicity);
    }
}

std::vector<std::uint8_t> choose_estimation_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree,
                                                    const std::int32_t* multiplicity) {
    std::uint64_t n_distinct = 0;
    for_drawn_samples(draws, multiplicity, [&](std::uint32_t, bool first) { n_distinct += first ? 1 : 0; });
    if (n_distinct < 2) return {};
    const double share = std::round(draws.estimation_share * static_cast<double>(n_distinct));
    std::uint64_t n_wanted = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, n_distinct - 1);
    Random random(stream_key(seed, tree, Purpose::honest_halves));
    std::vector<std::uint8_t> chosen(static_cast<std::size_t>(draws.n_samples));
    bool take = false;
    for_drawn_samples(draws, multiplicity, [&](std::uint32_t sample, bool first) {
        if (first) {
            take = random.below(n_distinct--) < n_wanted;
            n_wanted -= take ? 1 : 0;
        }
        chosen[sample] = take ? 1 : 0;
    });
    return chosen;
}

std::vector<std::uint32_t> list_estimation_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree) {
    std::vector<std::uint32_t> samples;
    if (!is_honest(draws)) return samples;
    std::vector<std::int32_t> multiplicity(static_cast<std::size_t>(draws.n_samples));
    draw_samples(draws, seed, tree, multiplicity.data());
    const std::vector<std::uint8_t> chosen = choose_estimation_samples(draws, seed, tree, multiplicity.data());
    for (std::size_t sample = 0; sample < multiplicity.size(); ++sample) {
        const bool estimates = chosen.empty() ? multiplicity[sample] > 0 : chosen[sample] != 0;
        if (estimates) samples.push_back(static_cast<std::uint32_t>(sample));
    }
    return samples;
}

template <typename Target>
std::vector<std::uint64_t> hash_samples(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets) {
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(features.n_samples));
    if (features.type == FeatureType::float32) {
        hash_typed_samples<float>(features, targets, n_targets, hashes);
    } else {
        hash_typed_samples<std::uint8_t>(features, targets, n_targets, hashes);
    }
    return hashes;
}

template <typename Target>
std::vector<std::uint32_t> canonical_order(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                           const double* weights) {
    const std::vector<std::uint64_t> hashes = hash_samples(features, targets, n_targets);
    std::vector<std::uint32_t> order(hashes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&hashes, weights](std::uint32_t a, std::uint32_t b) {
        throw_if_stopped(1);
        if (hashes[a] != hashes[b]) return hashes[a] < hashes[b];
        if (weights != nullptr && weights[a] != weights[b]) return weights[a] < weights[b];
        return a < b;
    });
    return order;
}

template <typename Target>
std::vector<std::uint8_t> mark_repeats(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                       const std::uint32_t* order) {
    const std::vector<std::uint64_t> hashes = hash_samples(features, targets, n_targets);
    std::vector<std::uint8_t> repeats(hashes.size());
    for (std::size_t i = 1; i < repeats.size(); ++i) repeats[i] = hashes[order[i]] == hashes[order[i - 1]] ? 1 : 0;
    return repeats;
}

template std::vector<std::uint64_t> hash_samples(const FeatureMatrix&, const std::int32_t*, std::int64_t);
template std::vector<std::uint64_t> hash_samples(const FeatureMatrix&, const double*, std::int64_t);
template std::vector<std::uint32_t> canonical_order(const FeatureMatrix&, const std::int32_t*, std::int64_t,
                                                    const double*);
template std::vector<std::uint32_t> canonical_order(const FeatureMatrix&, const double*, std::int64_t, const double*);
template std::vector<std::uint8_t> mark_repeats(const FeatureMatrix&, const std::int32_t*, std::int64_t,
                                                const std::uint32_t*);
template std::vector<std::uint8_t> mark_repeats(const FeatureMatrix&, const double*, std::int64_t,
                                                const std::uint32_t*);

}  // namespace silvan
