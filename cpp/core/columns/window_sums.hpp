// Running sums of the channels of some samples, which the values of windows are read off.
//
// Sums of cells that are not whole numbers are float64; each channel of a sample is centred first, at its cell that is
// nearest to the mean, so that squares do not cancel.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/columns/channel_grids.hpp"
#include "core/columns/sum_layout.hpp"
#include "core/views.hpp"

namespace silvan {

// Missing cells count as the centre, or as 0; windows that touch one are missing.
class WindowSums {
public:
    WindowSums(const FeatureMatrix& features, const ChannelGrids& grids, SumOrder order);

    const ChannelGrids& grids() const { return grids_; }
    const SumLayout& layout() const { return layout_; }
    const std::uint8_t* data() const { return memory_.data(); }
    // What was subtracted from a channel of each sample, or nullptr: nothing was.
    const float* centres(std::size_t channel) const {
        return centres_[channel].empty() ? nullptr : centres_[channel].data();
    }
    bool has_missing() const { return !missing_.empty(); }
    // Missing cells of a sample, ascending.
    const std::int32_t* missing_begin(std::uint32_t sample) const { return missing_.data() + missing_ends_[sample]; }
    const std::int32_t* missing_end(std::uint32_t sample) const { return missing_.data() + missing_ends_[sample + 1U]; }

private:
    // Returns the largest cell of each channel, and lists missing cells.
    std::vector<double> measure(const FeatureMatrix& features);
    void measure_sample(const float* cells, std::vector<double>& largest);
    template <typename Cell>
    void add_up(std::size_t channel, const Cell* cells, std::int64_t first, std::int64_t n);

    const ChannelGrids& grids_;
    std::int64_t n_samples_;
    std::vector<std::int32_t> missing_;
    std::vector<std::size_t> missing_ends_;
    const SumLayout layout_;
    Buffer<std::uint8_t> memory_;
    std::vector<std::vector<float>> centres_;  // of each channel
};

}  // namespace silvan
