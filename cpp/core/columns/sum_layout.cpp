// Chooses the narrowest type whose differences are exact, channel by channel.
#include "core/columns/sum_layout.hpp"

#include <algorithm>
#include <bit>

namespace silvan {
namespace {

constexpr std::int64_t kCacheLine = 64;

constexpr std::size_t at(Summed kind) { return static_cast<std::size_t>(kind); }

std::int64_t round_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

// Gives each kind a field that holds its largest sum over a window, if 64 bits have room for all and float64 has for
// what is computed of them: a sample may be read either way.
void pack(const ChannelGrid& grid, std::size_t n_axes, double largest, ChannelSums& sums) {
    double cells = 1.0;
    for (std::size_t a = 0; a < n_axes; ++a) cells *= static_cast<double>(grid.max_size[a]);
    const auto positions = static_cast<double>(grid.summed[n_axes - 1]);
    const std::array<double, kSummed> most{largest * cells, largest * largest * cells, largest * cells * positions};
    const auto all = static_cast<double>(grid.n_sums);
    const double computed = std::max({largest * all * (sums.present[at(Summed::moments)] ? 2.0 * positions : 1.0),
                                      sums.present[at(Summed::squares)] ? largest * largest * all : 0.0,
                                      sums.present[at(Summed::squares)] ? most[0] * most[0] : 0.0});
    if (!(computed <= 0x1.0p53)) return;
    std::array<std::uint32_t, kSummed> first{};
    std::array<std::uint64_t, kSummed> mask{};
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < kSummed; ++k) {
        if (!sums.present[k]) continue;
        // Indicators are their own squares.
        if (k == at(Summed::squares) && largest <= 1.0) {
            mask[k] = mask[at(Summed::cells)];
            continue;
        }
        const auto width = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(most[k])));
        first[k] = bits;
        mask[k] = (std::uint64_t{1} << width) - 1;
        bits += width;
    }
    if (bits > 64) return;
    sums.type = bits <= 16 ? SumType::uint16 : bits <= 32 ? SumType::uint32 : SumType::uint64;
    sums.place = first;
    sums.mask = mask;
}

}  // namespace

SumLayout::SumLayout(const ChannelGrids& grids, const std::vector<double>& largest)
    : SumLayout(grids, largest, SumOrder::by_sample, 1) {}

SumLayout::SumLayout(const ChannelGrids& grids, const std::vector<double>& largest, SumOrder order,
                     std::int64_t n_samples) {
    ChannelSums sums;
    sums.present = {true, grids.has(WindowStatistic::spread), grids.has(WindowStatistic::slope)};
    sums.n_kinds = static_cast<std::size_t>(std::count(sums.present.begin(), sums.present.end(), true));
    sums.place = {0, 1, sums.present[at(Summed::squares)] ? 2U : 1U};
    for (std::size_t c = 0; c < grids.n_channels(); ++c) {
        channels.push_back(sums);
        ChannelSums& channel = channels.back();
        pack(grids[c], grids.n_axes(), largest[c], channel);
        std::int64_t width = 0;
        with_sum_type(channel, [&](auto sum) { width = sizeof(sum); });
        channel.offset = order == SumOrder::by_sample ? sample_bytes : bytes;
        if (order == SumOrder::by_place) {
            channel.sample_stride = width;
            channel.place_stride = n_samples;
        }
        sample_bytes += round_up(grids[c].n_sums * width, 8);
        bytes += round_up(grids[c].n_sums * width * n_samples, kCacheLine);
    }
    sample_bytes = round_up(sample_bytes, kCacheLine);
    if (order == SumOrder::by_place) return;
    for (ChannelSums& channel : channels) channel.sample_stride = sample_bytes;
    bytes = sample_bytes * n_samples;
}

}  // namespace silvan
