// Counter-based random streams: draw i of a stream is a pure function of (key, i).
//
// Streams are keyed by (seed, tree, path to the node), so a forest is the same for any number of threads
// and any order in which its nodes are grown. The mixing function is the finaliser of SplitMix64 (Steele,
// Lea & Flood 2014; constants by Stafford): two multiplications a draw, since tiny nodes draw a lot.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/bounded_draw.hpp"

namespace silvan {

inline std::uint64_t mix_bits(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// Hashes an ordered pair: combine_keys(a, b) != combine_keys(b, a).
inline std::uint64_t combine_keys(std::uint64_t key, std::uint64_t value) {
    return mix_bits(key * 0x9E3779B97F4A7C15ULL + mix_bits(value + 0x632BE59BD9B4E019ULL));
}

// What a stream is for; keeps the streams of one tree apart.
enum class Purpose : std::uint64_t {
    samples = 1,
    tree_sampler = 2,
    root_node = 3,
    honest_halves = 7,
    feature_edges = 8,
    direction_edges = 9,
    columns_of_tree = 10,
    boosted_tree = 11,
    window_pool = 12
};

inline std::uint64_t stream_key(std::uint64_t seed, std::uint64_t tree, Purpose purpose) {
    return combine_keys(combine_keys(seed, tree), static_cast<std::uint64_t>(purpose));
}

enum class Side : std::uint64_t { left = 1, right = 2 };

inline std::uint64_t child_key(std::uint64_t node_key, Side side) {
    return combine_keys(node_key, static_cast<std::uint64_t>(side));
}

// The stream of a node's draw number `attempt`: a node draws again if no direction separates its samples.
inline std::uint64_t attempt_key(std::uint64_t node_key, std::uint64_t attempt) {
    constexpr std::uint64_t kFirstRedraw = 16;
    return attempt == 0 ? node_key : combine_keys(node_key, kFirstRedraw + attempt);
}

// The stream of what columns learn at a node for its draw number `attempt`.
inline std::uint64_t columns_key(std::uint64_t node_key, std::uint64_t attempt) {
    constexpr std::uint64_t kFirstColumns = 512;
    return combine_keys(node_key, kFirstColumns + attempt);
}

// The stream of a node's thresholds, where they are drawn.
inline std::uint64_t thresholds_key(std::uint64_t node_key) {
    constexpr std::uint64_t kThresholds = 256;
    return combine_keys(node_key, kThresholds);
}

// The stream of the time that a node waits to be split, where chance decides.
inline std::uint64_t turn_key(std::uint64_t node_key) {
    constexpr std::uint64_t kTurn = 257;
    return combine_keys(node_key, kTurn);
}

// The streams of a node's Gaussian space: number 0 draws its thresholds, the others its directions.
inline std::uint64_t space_key(std::uint64_t node_key, std::uint64_t number) {
    constexpr std::uint64_t kFirstSpace = 1024;
    return combine_keys(node_key, kFirstSpace + number);
}

class Random {
public:
    explicit Random(std::uint64_t key) : state_(key) {}

    std::uint64_t bits() {
        state_ += 0x9E3779B97F4A7C15ULL;
        return mix_bits(state_);
    }

    // Uniform over {0, ..., n - 1}, n >= 1; the bias of the multiplication is at most n / 2^64.
    std::uint64_t below(std::uint64_t n) { return split_draw(bits(), n).choice; }

    // Uniform over [0, 1) with 53 random bits.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

    // Uniform over (-1, 1), never zero: a zero coefficient would make a direction shorter than its distribution says.
    float uniform_coefficient() {
        const auto odd = static_cast<std::int32_t>(((bits() >> 40) << 1) | 1U);
        return static_cast<float>(odd - (1 << 24)) * 0x1.0p-24F;
    }

    // Standard normal by Marsaglia's polar method; the second draw of a pair is discarded to stay stateless.
    double normal() {
        for (;;) {
            const double u = 2.0 * uniform() - 1.0;
            const double v = 2.0 * uniform() - 1.0;
            const double s = u * u + v * v;
            if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * std::log(s) / s);
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace silvan
