// Bootstrap and subsample draws over samples in canonical order.
#include "core/sample_draws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/binomial.hpp"
#include "core/buffer.hpp"
#include "core/columns/sparse_features.hpp"
#include "core/random.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// Draws one by one cost more than a binomial draw for each sample once there are so many of them for each sample.
constexpr std::int64_t kDrawsSingly = 16;

std::uint64_t tree_stream(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree, Purpose purpose) {
    return stream_key(seed, tree + static_cast<std::uint64_t>(draws.first_tree), purpose);
}

// Samples [begin, end) in canonical order.
struct Stratum {
    std::int64_t begin, end;
    std::int64_t n_draws;
};

double weight_before(const SampleDraws& draws, std::int64_t position) {
    if (draws.cumulative == nullptr) return static_cast<double>(position);
    return position == 0 ? 0.0 : draws.cumulative[position - 1];
}

// Where draws go, if there is a count for each sample.
struct DrawCounts {
    std::int32_t* multiplicity;

    void add(std::uint32_t sample, std::int64_t times) { multiplicity[sample] += static_cast<std::int32_t>(times); }
    bool has(std::uint32_t sample) const { return multiplicity[sample] != 0; }
};

// Where draws go, if they are few among many samples: a list in the order of drawing, and a bit for each sample where
// draws ask for it.
struct DrawList {
    std::vector<std::uint32_t> samples;
    std::vector<bool> drawn;

    void add(std::uint32_t sample, std::int64_t times) {
        samples.insert(samples.end(), static_cast<std::size_t>(times), sample);
        if (!drawn.empty()) drawn[sample] = true;
    }
    bool has(std::uint32_t sample) const { return drawn[sample]; }
};

// The multinomial distribution as binomials, each given those before: how many of the draws that are left fall on
// the next sample.
template <typename Drawn>
void draw_counts(const SampleDraws& draws, const Stratum& stratum, Random& random, Drawn& drawn) {
    std::int64_t left = stratum.n_draws;
    const double total = weight_before(draws, stratum.end);
    for (std::int64_t position = stratum.begin; position < stratum.end && left > 0; ++position) {
        throw_if_stopped(1);
        const double before = weight_before(draws, position);
        const double share = (weight_before(draws, position + 1) - before) / (total - before);
        const std::int64_t count = position == stratum.end - 1 ? left : draw_binomial(random, left, share);
        drawn.add(draws.order[position], count);
        left -= count;
    }
}

template <typename Drawn>
void draw_stratum(const SampleDraws& draws, const Stratum& stratum, Random& random, Drawn& drawn) {
    if (stratum.n_draws > kDrawsSingly * (stratum.end - stratum.begin)) {
        return draw_counts(draws, stratum, random, drawn);
    }
    const double before = weight_before(draws, stratum.begin);
    const double weight = weight_before(draws, stratum.end) - before;
    for (std::int64_t i = 0; i < stratum.n_draws; ++i) {
        throw_if_stopped(1);
        const double at = before + random.uniform() * weight;
        std::int64_t position = 0;
        if (draws.cumulative == nullptr) {
            position = static_cast<std::int64_t>(at);
        } else {
            const double* first = draws.cumulative + stratum.begin;
            position = std::upper_bound(first, draws.cumulative + stratum.end, at) - draws.cumulative;
        }
        position = std::clamp(position, stratum.begin, stratum.end - 1);
        drawn.add(draws.order[position], 1);
    }
}

// A group has its share of the draws, rounded up or down such that the numbers add up and are right on average.
template <typename Drawn>
void draw_with_replacement(const SampleDraws& draws, Random& random, Drawn& drawn) {
    if (draws.strata == nullptr) {
        return draw_stratum(draws, {0, draws.n_samples, draws.n_draws}, random, drawn);
    }
    const double per_weight = static_cast<double>(draws.n_draws) / weight_before(draws, draws.n_samples);
    const double shift = random.uniform();
    std::int64_t begin = 0;
    std::int64_t n_drawn = 0;
    for (std::int64_t s = 0; s < draws.n_strata; ++s) {
        const std::int64_t end = draws.strata[s];
        const auto up_to = static_cast<std::int64_t>(std::floor(weight_before(draws, end) * per_weight + shift));
        const std::int64_t n_then = s + 1 == draws.n_strata ? draws.n_draws : std::min(up_to, draws.n_draws);
        draw_stratum(draws, {begin, end, n_then - n_drawn}, random, drawn);
        begin = end;
        n_drawn = n_then;
    }
}

// Floyd's algorithm keeps the draw linear in the number of draws.
template <typename Drawn>
void draw_without_replacement(const SampleDraws& draws, Random& random, Drawn& drawn) {
    for (std::int64_t j = draws.n_samples - draws.n_draws; j < draws.n_samples; ++j) {
        throw_if_stopped(1);
        const auto position = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(j) + 1));
        const std::uint32_t sample = draws.order[position];
        drawn.add(drawn.has(sample) ? draws.order[j] : sample, 1);
    }
}

bool takes_all_samples(const SampleDraws& draws) { return !draws.replace && draws.n_draws >= draws.n_samples; }

template <typename Drawn>
void draw_into(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree, Drawn& drawn) {
    Random random(tree_stream(draws, seed, tree, Purpose::samples));
    if (draws.replace) {
        draw_with_replacement(draws, random, drawn);
    } else {
        draw_without_replacement(draws, random, drawn);
    }
}

inline std::uint64_t value_bits(float value) {
    return std::bit_cast<std::uint32_t>(value == 0.0F ? 0.0F : value);  // -0 equals 0
}

inline std::uint64_t value_bits(std::uint8_t value) { return value; }

// Takes as many values a step as fit into a word, whatever the layout. Multiplied by factors, values are hashed as
// float32 whatever they are stored as.
template <typename T>
std::uint64_t hash_sample(const T* sample, std::int64_t n_features, std::int64_t stride, const float* factors) {
    const std::int64_t width = factors == nullptr ? sizeof(T) : sizeof(float);
    const std::int64_t per_word = 8 / width;
    std::uint64_t hash = 0x51ED270B7A2CULL;
    for (std::int64_t j = 0; j < n_features; j += per_word) {
        std::uint64_t word = 0;
        const std::int64_t end = std::min(j + per_word, n_features);
        for (std::int64_t k = j; k < end; ++k) {
            const T value = sample[k * stride];
            const std::uint64_t bits =
                factors == nullptr ? value_bits(value) : value_bits(static_cast<float>(value) * factors[k]);
            word = (word << (8 * width)) | bits;
        }
        hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15ULL;
    }
    return mix_bits(hash);
}

template <typename T, typename Target>
std::uint64_t hash_with_targets(const FeatureMatrix& features, std::int64_t i, const Target* targets,
                                std::int64_t n_targets, const float* factors) {
    std::uint64_t hash =
        hash_sample(features.as<T>() + i * features.row_stride, features.n_features, features.column_stride, factors);
    for (std::int64_t k = 0; k < n_targets; ++k) {
        const auto target = static_cast<double>(targets[i * n_targets + k]);
        hash = combine_keys(hash, std::bit_cast<std::uint64_t>(target));
    }
    return hash;
}

struct HashedSample {
    std::uint64_t hash;
    std::uint32_t sample;
};

// The first bits of a hash divide the samples into parts of about the same size, each to be sorted by itself.
constexpr int kPartBits = 8;
constexpr std::size_t kParts = std::size_t{1} << kPartBits;

// Where each part begins, and the end of the last.
std::vector<std::size_t> divide_by_hash(const std::vector<std::uint64_t>& hashes, Buffer<HashedSample>& samples) {
    const auto part_of = [](std::uint64_t hash) { return static_cast<std::size_t>(hash >> (64 - kPartBits)); };
    std::vector<std::size_t> begin(kParts + 1);
    for (std::size_t i = 0; i < hashes.size(); ++i) ++begin[part_of(hashes[i]) + 1];
    for (std::size_t part = 0; part < kParts; ++part) begin[part + 1] += begin[part];
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    samples.allocate(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        samples[next[part_of(hashes[i])]++] = {hashes[i], static_cast<std::uint32_t>(i)};
    }
    return begin;
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
    const bool all_samples = takes_all_samples(draws);
    std::fill(multiplicity, multiplicity + draws.n_samples, all_samples ? 1 : 0);
    if (all_samples) return;
    DrawCounts drawn{multiplicity};
    draw_into(draws, seed, tree, drawn);
}

DrawnSamples list_drawn_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree) {
    DrawnSamples listed;
    if (draws.given != nullptr || draws.n_draws >= draws.n_samples) {
        std::vector<std::int32_t> multiplicity(static_cast<std::size_t>(draws.n_samples));
        draw_samples(draws, seed, tree, multiplicity.data());
        for (std::size_t sample = 0; sample < multiplicity.size(); ++sample) {
            if (multiplicity[sample] == 0) continue;
            listed.samples.push_back(static_cast<std::uint32_t>(sample));
            listed.counts.push_back(multiplicity[sample]);
        }
        return listed;
    }
    DrawList drawn;
    drawn.samples.reserve(static_cast<std::size_t>(draws.n_draws));
    if (!draws.replace) drawn.drawn.resize(static_cast<std::size_t>(draws.n_samples));
    draw_into(draws, seed, tree, drawn);
    std::sort(drawn.samples.begin(), drawn.samples.end());
    for (const std::uint32_t sample : drawn.samples) {
        if (listed.samples.empty() || listed.samples.back() != sample) {
            listed.samples.push_back(sample);
            listed.counts.push_back(0);
        }
        ++listed.counts.back();
    }
    return listed;
}

std::vector<std::uint8_t> choose_estimation_samples(const SampleDraws& draws, std::uint64_t seed, std::uint64_t tree,
                                                    const std::int32_t* multiplicity) {
    std::uint64_t n_distinct = 0;
    for_drawn_samples(draws, multiplicity, [&](std::uint32_t, bool first) { n_distinct += first ? 1 : 0; });
    if (n_distinct < 2) return {};
    const double share = std::round(draws.estimation_share * static_cast<double>(n_distinct));
    std::uint64_t n_wanted = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, n_distinct - 1);
    Random random(tree_stream(draws, seed, tree, Purpose::honest_halves));
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
std::vector<std::uint64_t> hash_samples(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                        const float* factors, const ThreadTeam& team) {
    const std::int64_t block_size = features.sparse == nullptr ? 4096 : 8;
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(features.n_samples));
    DenseBlocks dense;
    team.for_blocks(features.n_samples, block_size, [&](std::int64_t first, std::int64_t last) {
        if (features.sparse != nullptr) {
            // As dense blocks, so that the hashes are those of the dense matrix.
            dense.use([&](DenseBlock& samples) {
                const FeatureMatrix block = samples.fill(*features.sparse, first, last);
                for (std::int64_t i = first; i < last; ++i) {
                    throw_if_stopped(features.n_features);
                    hashes[static_cast<std::size_t>(i)] =
                        hash_with_targets<float>(block, i - first, targets + first * n_targets, n_targets, factors);
                }
            });
            return;
        }
        for (std::int64_t i = first; i < last; ++i) {
            throw_if_stopped(features.n_features);
            hashes[static_cast<std::size_t>(i)] =
                features.type == FeatureType::float32
                    ? hash_with_targets<float>(features, i, targets, n_targets, factors)
                    : hash_with_targets<std::uint8_t>(features, i, targets, n_targets, factors);
        }
    });
    return hashes;
}

template <typename Target>
std::vector<std::uint32_t> canonical_order(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                           const double* weights, const float* factors, const ThreadTeam& team) {
    Buffer<HashedSample> samples;
    const std::vector<std::size_t> begin =
        divide_by_hash(hash_samples(features, targets, n_targets, factors, team), samples);
    const auto precedes = [weights](const HashedSample& a, const HashedSample& b) {
        throw_if_stopped(1);
        if (a.hash != b.hash) return a.hash < b.hash;
        if (weights != nullptr && weights[a.sample] != weights[b.sample]) return weights[a.sample] < weights[b.sample];
        return a.sample < b.sample;
    };
    std::vector<std::uint32_t> order(samples.size());
    team.for_blocks(static_cast<std::int64_t>(kParts), 1, [&](std::int64_t part, std::int64_t) {
        const std::size_t first = begin[static_cast<std::size_t>(part)];
        const std::size_t last = begin[static_cast<std::size_t>(part) + 1];
        std::sort(samples.data() + first, samples.data() + last, precedes);
        for (std::size_t i = first; i < last; ++i) order[i] = samples[i].sample;
    });
    return order;
}

template <typename Target>
std::vector<std::uint8_t> mark_repeats(const FeatureMatrix& features, const Target* targets, std::int64_t n_targets,
                                       const std::uint32_t* order, const float* factors, const ThreadTeam& team) {
    const std::vector<std::uint64_t> hashes = hash_samples(features, targets, n_targets, factors, team);
    std::vector<std::uint8_t> repeats(hashes.size());
    for (std::size_t i = 1; i < repeats.size(); ++i) repeats[i] = hashes[order[i]] == hashes[order[i - 1]] ? 1 : 0;
    return repeats;
}

template std::vector<std::uint64_t> hash_samples(const FeatureMatrix&, const std::int32_t*, std::int64_t, const float*,
                                                 const ThreadTeam&);
template std::vector<std::uint64_t> hash_samples(const FeatureMatrix&, const double*, std::int64_t, const float*,
                                                 const ThreadTeam&);
template std::vector<std::uint32_t> canonical_order(const FeatureMatrix&, const std::int32_t*, std::int64_t,
                                                    const double*, const float*, const ThreadTeam&);
template std::vector<std::uint32_t> canonical_order(const FeatureMatrix&, const double*, std::int64_t, const double*,
                                                    const float*, const ThreadTeam&);
template std::vector<std::uint8_t> mark_repeats(const FeatureMatrix&, const std::int32_t*, std::int64_t,
                                                const std::uint32_t*, const float*, const ThreadTeam&);
template std::vector<std::uint8_t> mark_repeats(const FeatureMatrix&, const double*, std::int64_t, const std::uint32_t*,
                                                const float*, const ThreadTeam&);

}  // namespace silvan
