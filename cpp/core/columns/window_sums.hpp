// Running sums of channels, and the values of windows that are read off them.
//
// A sample has running sums of the cells of each channel, and where windows need them those of squares (spread) and of
// cells times their position (slope). All that are of one place lie together, so that a corner of a box is one cache
// line. Sums of uint8 cells are unsigned integers that may overflow: differences modulo 2^16, 2^32 or 2^64 are exact as
// long as the sum over a window fits. Several kinds of them share 64 bits. Sums of float32 cells are float64; each
// channel of a sample is centred first, at its cell that is nearest to the mean, so that squares do not cancel. Whole
// numbers have the same values either way, bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/columns/channel_grids.hpp"
#include "core/split_kernels.hpp"
#include "core/views.hpp"

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
    uint16,   // of cells alone
    uint32,   // of cells alone
    packed,   // uint64, with a field of bits for each kind
    float64,  // FloatSums
};

// How the sums of features of a type are stored, and where those of each channel lie in a sample's.
struct SumLayout {
    SumLayout(const ChannelGrids& grids, FeatureType features);

    SumType type = SumType::float64;
    std::size_t n_kinds = 1;
    std::array<bool, kSummed> present{};
    // Of each kind: its first bit where sums are packed, and its number among those present otherwise.
    std::array<std::uint32_t, kSummed> place{};
    std::array<std::uint64_t, kSummed> mask{};
    std::vector<std::int64_t> offset;  // in bytes, per channel
    std::int64_t sample_bytes = 0;     // a multiple of a cache line

private:
    void choose_type(const ChannelGrids& grids);
};

// Calls work(Sum()) with the type that sums are stored as.
template <typename Work>
void with_sum_type(const SumLayout& layout, const Work& work) {
    switch (layout.type) {
        case SumType::uint16:
            return work(std::uint16_t{});
        case SumType::uint32:
            return work(std::uint32_t{});
        case SumType::packed:
            return work(std::uint64_t{});
        case SumType::float64:
            if (layout.n_kinds == 1) return work(FloatSums<1>{});
            if (layout.n_kinds == 2) return work(FloatSums<2>{});
            return work(FloatSums<3>{});
    }
}

// The sums of some samples. Missing cells count as the centre; windows that touch one are missing.
class WindowSums {
public:
    WindowSums(const FeatureMatrix& features, const ChannelGrids& grids);

    const ChannelGrids& grids() const { return grids_; }
    const SumLayout& layout() const { return layout_; }
    const std::uint8_t* data() const { return memory_.data(); }
    // What was subtracted from a channel of each sample, or nullptr: nothing was.
    const float* centres(std::size_t channel) const {
        return centres_.empty() ? nullptr : centres_.data() + static_cast<std::int64_t>(channel) * n_samples_;
    }
    bool has_missing() const { return !missing_.empty(); }
    // Missing cells of a sample, ascending.
    const std::int32_t* missing_begin(std::uint32_t sample) const { return missing_.data() + missing_ends_[sample]; }
    const std::int32_t* missing_end(std::uint32_t sample) const { return missing_.data() + missing_ends_[sample + 1U]; }

private:
    template <typename T>
    void read(const FeatureMatrix& features);
    void add_up(std::int64_t sample, const std::uint8_t* cells);
    void add_up(std::int64_t sample, const float* cells);
    float find_centre(const ChannelGrid& grid, const float* cells);
    template <typename Cell>
    void fill(std::int64_t sample, std::size_t channel, const Cell* cells);

    const ChannelGrids& grids_;
    const SumLayout layout_;
    std::int64_t n_samples_;
    Buffer<std::uint8_t> memory_;
    std::vector<float> centres_;
    std::vector<double> centred_;  // cells of a channel while it is read
    std::vector<std::int32_t> missing_;
    std::vector<std::size_t> missing_ends_;
};

}  // namespace silvan
