// How running sums of channels are stored: as which type, and where each lies.
//
// A place is a position in a channel's grid of sums. All kinds of sums that windows need there lie together: of the
// cells, of their squares (spread) and of cells times their position (slope). Where the cells are small whole numbers
// they are fields of one unsigned integer, the narrowest that holds the sums over any window; it may overflow, since
// differences modulo its width are exact. Otherwise they are float64. Whole numbers have the same values either way,
// bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/columns/channel_grids.hpp"

namespace silvan {

// What is summed: the cells, and one or two of the others.
enum class Summed : std::uint8_t { cells, squares, moments };
inline constexpr std::size_t kSummed = 3;

// Sums of several kinds as float64.
template <std::size_t kKinds>
struct FloatSums {
    double kind[kKinds];

    FloatSums operator+(const FloatSums& other) const {
        FloatSums sum;
        for (std::size_t k = 0; k < kKinds; ++k) sum.kind[k] = kind[k] + other.kind[k];
        return sum;
    }
    FloatSums operator-(const FloatSums& other) const {
        FloatSums difference;
        for (std::size_t k = 0; k < kKinds; ++k) difference.kind[k] = kind[k] - other.kind[k];
        return difference;
    }
};

enum class SumType : std::uint8_t {
    uint16,  // integers have a field of bits for each kind
    uint32,
    uint64,
    float64,  // FloatSums
};

// What lies side by side: all sums of a sample, or those that samples have at the same place.
enum class SumOrder : std::uint8_t { by_sample, by_place };

// The sums of one channel.
struct ChannelSums {
    SumType type = SumType::float64;
    std::size_t n_kinds = 1;
    std::array<bool, kSummed> present{};
    // Of each kind: its first bit in an integer, and its number among those present otherwise.
    std::array<std::uint32_t, kSummed> place{};
    std::array<std::uint64_t, kSummed> mask{};
    std::int64_t offset = 0;         // of the first sum of the first sample, in bytes
    std::int64_t sample_stride = 0;  // to the next sample, in bytes
    std::int64_t place_stride = 1;   // to the next place, in sums
};

// Calls work(Sum()) with the type that sums are stored as.
template <typename Work>
void with_sum_type(const ChannelSums& sums, const Work& work) {
    switch (sums.type) {
        case SumType::uint16:
            return work(std::uint16_t{});
        case SumType::uint32:
            return work(std::uint32_t{});
        case SumType::uint64:
            return work(std::uint64_t{});
        case SumType::float64:
            if (sums.n_kinds == 1) return work(FloatSums<1>{});
            if (sums.n_kinds == 2) return work(FloatSums<2>{});
            return work(FloatSums<3>{});
    }
}

// The largest cell of a channel whose cells are not all whole numbers from 0 on.
inline constexpr double kNotWhole = std::numeric_limits<double>::infinity();

struct SumLayout {
    // `largest` has the largest cell of each channel, or kNotWhole.
    SumLayout(const ChannelGrids& grids, const std::vector<double>& largest);
    // The same for samples that are to be read.
    SumLayout(const ChannelGrids& grids, const std::vector<double>& largest, SumOrder order, std::int64_t n_samples);

    std::vector<ChannelSums> channels;
    std::int64_t sample_bytes = 0;  // a multiple of a cache line
    std::int64_t bytes = 0;         // of all samples
};

}  // namespace silvan
