// Running sums of channels, and the values of windows that are read off them.
//
// A sample has a plane of running sums for each channel, and further ones of squares (spread) and of values times their
// position (slope) where windows need them. Sums of uint8 cells are unsigned integers that may overflow: differences
// modulo 2^16 or 2^32 are exact as long as the sum over a window fits. Sums of float32 cells are float64; each channel
// of a sample is centred first, at its cell that is nearest to the mean, so that squares do not cancel. Whole numbers
// have the same values either way, bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/columns/channel_grids.hpp"
#include "core/split_kernels.hpp"
#include "core/views.hpp"

namespace silvan {

enum class SumType : std::uint8_t { uint16, uint32, float64 };
enum class SumPlane : std::uint8_t { values, squares, moments };
inline constexpr std::size_t kSumPlanes = 3;

// Which planes there are for features of a type, and where they lie in a sample's sums.
struct SumLayout {
    SumLayout(const ChannelGrids& grids, FeatureType features);

    std::array<bool, kSumPlanes> present{};
    std::array<SumType, kSumPlanes> type{};
    std::vector<std::array<std::int64_t, kSumPlanes>> offset;  // in bytes, per channel and plane
    std::int64_t sample_bytes = 0;                             // a multiple of a cache line
};

// The sums of some samples. Missing cells count as the centre; windows that touch one are missing.
class WindowSums {
public:
    WindowSums(const FeatureMatrix& features, const ChannelGrids& grids);

    const ChannelGrids& grids() const { return grids_; }
    const SumLayout& layout() const { return layout_; }
    const std::uint8_t* sample(std::uint32_t sample) const {
        return memory_.data() + static_cast<std::int64_t>(sample) * layout_.sample_bytes;
    }
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
    void add_up(std::int64_t sample, float* cells);
    template <typename Cell>
    void fill_planes(std::int64_t sample, std::size_t channel, const Cell* cells);
    template <typename Cell, typename Term>
    void fill_plane(std::int64_t sample, std::size_t channel, SumPlane plane, const Cell* cells, const Term& term);

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
