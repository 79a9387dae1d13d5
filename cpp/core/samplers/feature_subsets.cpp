// Three ways to draw a subset in order: in one word, in registers, or by bitmap, whichever its size allows.
//
// Subsets of about three features are drawn 20 times or more at every node, so branches that depend on the
// draws are avoided: each is guessed wrongly half of the time, at the price of a whole draw.
#include "core/samplers/feature_subsets.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

#include "core/samplers/bits.hpp"

namespace silvan {

namespace {

// Floyd's choice (Bentley & Floyd 1987): `drawn` from {0, ..., last}, or `last` if that one is taken already.
std::uint64_t choose(std::uint64_t drawn, std::uint64_t last, std::uint64_t is_taken) {
    return drawn ^ ((drawn ^ last) & (0 - is_taken));
}

// At most 64 features: the subset is the bits of one register.
void draw_in_word(std::uint64_t n_features, std::int32_t size, Random& random, std::int32_t* out) {
    std::uint64_t taken = 0;
    for (std::uint64_t last = n_features - static_cast<std::uint64_t>(size); last < n_features; ++last) {
        const std::uint64_t drawn = random.below(last + 1);
        taken |= std::uint64_t{1} << choose(drawn, last, (taken >> drawn) & 1U);
    }
    for (std::int32_t i = 0; i < size; ++i) {
        out[i] = lowest_bit(taken);
        taken &= taken - 1;
    }
}

// All ones if a < b, else zero, for a and b not negative.
std::int32_t less_mask(std::int32_t a, std::int32_t b) { return (a - b) >> 31; }

// What std::min and std::max say, which compilers turn into a branch.
void put_in_order(std::int32_t& a, std::int32_t& b) {
    const std::int32_t shift = (a - b) & less_mask(a, b);
    const std::int32_t larger = a - shift;
    a = b + shift;
    b = larger;
}

using Comparator = std::pair<std::size_t, std::size_t>;

// The shortest sorting networks of four and of eight values (Knuth, volume 3, section 5.3.4).
template <std::size_t width>
inline constexpr std::array<Comparator, 0> network{};
template <>
inline constexpr std::array<Comparator, 5> network<4>{{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}}};
template <>
inline constexpr std::array<Comparator, 19> network<8>{{{0, 1},
                                                        {2, 3},
                                                        {4, 5},
                                                        {6, 7},
                                                        {0, 2},
                                                        {1, 3},
                                                        {4, 6},
                                                        {5, 7},
                                                        {1, 2},
                                                        {5, 6},
                                                        {0, 4},
                                                        {1, 5},
                                                        {2, 6},
                                                        {3, 7},
                                                        {2, 4},
                                                        {3, 5},
                                                        {1, 2},
                                                        {3, 4},
                                                        {5, 6}}};

template <std::size_t width, std::size_t... step>
void sort_by_network(std::array<std::int32_t, width>& values, std::index_sequence<step...>) {
    (put_in_order(values[network<width>[step].first], values[network<width>[step].second]), ...);
}

template <std::size_t width>
bool has_repeats(const std::array<std::int32_t, width>& sorted, std::int32_t size) {
    std::int32_t repeats = 0;
    for (std::size_t i = 0; i + 1 < width; ++i) {
        repeats |= static_cast<std::int32_t>(sorted[i] == sorted[i + 1]) &
                   static_cast<std::int32_t>(static_cast<std::int32_t>(i) + 1 < size);
    }
    return repeats != 0;
}

// At most `width` of many features, held in registers: independent draws, once more if two agree. It always
// draws and sorts `width` numbers, those beyond `size` larger than any feature, so that no loop depends on
// `size`.
template <std::size_t width>
void draw_in_registers(std::uint64_t n_features, std::int32_t size, Random& random, std::int32_t* out,
                       const std::int32_t* end) {
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    std::array<std::int32_t, width> features;
    do {
        for (std::size_t i = 0; i < width; ++i) {
            const std::int32_t surplus = ~less_mask(static_cast<std::int32_t>(i), size);
            features[i] = static_cast<std::int32_t>(random.below(n_features)) | (none & surplus);
        }
        sort_by_network(features, std::make_index_sequence<network<width>.size()>{});
    } while (has_repeats(features, size));
    // The surplus is overwritten by the next subset, if there is room.
    if (end - out >= static_cast<std::ptrdiff_t>(width)) {
        std::copy_n(features.data(), width, out);
    } else {
        std::copy_n(features.data(), size, out);
    }
}

}  // namespace

FeatureSubsets::FeatureSubsets(std::int64_t n_features)
    : n_features_(static_cast<std::uint64_t>(n_features)), taken_((n_features_ + word_bits - 1) / word_bits) {}

void FeatureSubsets::draw(const std::int32_t* sizes, std::int64_t n_subsets, Random& random, std::int32_t* out,
                          const std::int32_t* end) {
    Random local = random;  // stays in a register where the argument could not
    for (std::int64_t i = 0; i < n_subsets; ++i) {
        assert(sizes[i] >= 1 && static_cast<std::uint64_t>(sizes[i]) <= n_features_ && end - out >= sizes[i]);
        if (n_features_ <= word_bits) {
            draw_in_word(n_features_, sizes[i], local, out);
        } else if (sizes[i] <= 4) {
            draw_in_registers<4>(n_features_, sizes[i], local, out, end);
        } else if (sizes[i] <= 8) {
            draw_in_registers<8>(n_features_, sizes[i], local, out, end);
        } else {
            draw_long(sizes[i], local, out);
        }
        out += sizes[i];
    }
    random = local;
}

void FeatureSubsets::draw_long(std::int32_t size, Random& random, std::int32_t* out) {
    std::int32_t* next = out;
    for (std::uint64_t last = n_features_ - static_cast<std::uint64_t>(size); last < n_features_; ++last) {
        const std::uint64_t drawn = random.below(last + 1);
        const std::uint64_t is_taken = (taken_[drawn / word_bits] >> (drawn % word_bits)) & 1U;
        const std::uint64_t feature = choose(drawn, last, is_taken);
        taken_[feature / word_bits] |= std::uint64_t{1} << (feature % word_bits);
        *next++ = static_cast<std::int32_t>(feature);
    }
    // Reading the whole bitmap beats sorting unless the subset is very sparse in it.
    if (static_cast<std::uint64_t>(size) * 16 < taken_.size()) {
        for (const std::int32_t* at = out; at != next; ++at) {
            taken_[static_cast<std::uint64_t>(*at) / word_bits] = 0;
        }
        std::sort(out, next);
        return;
    }
    next = out;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        for (std::uint64_t word = taken_[i]; word != 0; word &= word - 1) {
            *next++ = static_cast<std::int32_t>(i * word_bits) + lowest_bit(word);
        }
        taken_[i] = 0;
    }
}

}  // namespace silvan
