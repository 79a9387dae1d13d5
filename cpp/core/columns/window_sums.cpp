// Fills the running sums of channels.
#include "core/columns/window_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stopping.hpp"

namespace silvan {
namespace {

std::int64_t bytes_of(SumType type) { return type == SumType::uint16 ? 2 : type == SumType::uint32 ? 4 : 8; }

// The narrowest type whose differences are exact: sums over a window go up to `largest`.
SumType type_for(double largest, bool narrow) {
    if (narrow && largest <= std::numeric_limits<std::uint16_t>::max()) return SumType::uint16;
    return largest <= std::numeric_limits<std::uint32_t>::max() ? SumType::uint32 : SumType::float64;
}

constexpr std::size_t at(SumPlane plane) { return static_cast<std::size_t>(plane); }

std::int64_t round_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

// Running sums along the last axis, and then of these along the others: the order that numpy.cumsum would take.
template <typename Sum, typename Cell, typename Term>
void run_sums(const ChannelGrid& grid, std::size_t n_axes, const Cell* cells, const Term& term, Sum* to) {
    const std::size_t last = n_axes - 1;
    const std::int64_t n = grid.summed[last];
    const std::int64_t length = grid.length[last];
    const std::int64_t width = n + 1;
    std::fill(to, to + grid.n_sums, Sum{0});
    const std::int64_t rows = n_axes >= 2 ? grid.summed[last - 1] : 1;
    const std::int64_t layers = n_axes >= 3 ? grid.summed[0] : 1;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        Sum* slab = to + (n_axes >= 3 ? (layer + 1) * grid.sum_stride[0] : 0);
        const Cell* from = cells + (n_axes >= 3 ? layer % grid.length[0] * grid.cell_stride[0] : 0);
        for (std::int64_t row = 0; row < rows; ++row) {
            const Cell* cell = from + (n_axes >= 2 ? row % grid.length[last - 1] * length : 0);
            Sum* sum = slab + (n_axes >= 2 ? (row + 1) * width : 0);
            Sum running{0};
            for (std::int64_t t = 0; t < length; ++t) {
                running = static_cast<Sum>(running + static_cast<Sum>(term(cell[t], t)));
                sum[t + 1] = running;
            }
            for (std::int64_t t = length; t < n; ++t) {
                running = static_cast<Sum>(running + static_cast<Sum>(term(cell[t - length], t)));
                sum[t + 1] = running;
            }
            if (n_axes < 2) continue;
            const Sum* above = sum - width;
            for (std::int64_t t = 0; t < width; ++t) sum[t] = static_cast<Sum>(sum[t] + above[t]);
        }
        if (n_axes < 3) continue;
        const Sum* before = slab - grid.sum_stride[0];
        for (std::int64_t i = 0; i < grid.sum_stride[0]; ++i) slab[i] = static_cast<Sum>(slab[i] + before[i]);
    }
}

}  // namespace

SumLayout::SumLayout(const ChannelGrids& grids, FeatureType features) {
    present = {true, grids.has(WindowStatistic::spread), grids.has(WindowStatistic::slope)};
    type.fill(SumType::float64);
    if (features == FeatureType::uint8) {
        std::int64_t positions = 1;
        for (std::size_t c = 0; c < grids.n_channels(); ++c) {
            positions = std::max(positions, grids[c].summed[grids.n_axes() - 1]);
        }
        const double sum = 255.0 * static_cast<double>(grids.max_window_cells());
        type = {type_for(sum, true), type_for(255.0 * sum, false),
                type_for(sum * static_cast<double>(positions), false)};
    }
    constexpr std::int64_t kCacheLine = 64;
    for (std::size_t c = 0; c < grids.n_channels(); ++c) {
        offset.emplace_back();
        for (std::size_t p = 0; p < kSumPlanes; ++p) {
            if (!present[p]) continue;
            offset.back()[p] = sample_bytes;
            sample_bytes += round_up(grids[c].n_sums * bytes_of(type[p]), 8);
        }
    }
    sample_bytes = round_up(sample_bytes, kCacheLine);
}

WindowSums::WindowSums(const FeatureMatrix& features, const ChannelGrids& grids)
    : grids_(grids), layout_(grids, features.type), n_samples_(features.n_samples) {
    memory_.allocate(static_cast<std::size_t>(n_samples_ * layout_.sample_bytes));
    if (features.type == FeatureType::uint8) {
        read<std::uint8_t>(features);
    } else {
        centres_.resize(static_cast<std::size_t>(n_samples_) * grids.n_channels());
        read<float>(features);
    }
}

// Some samples at a time are written side by side, so that columns are read in runs.
template <typename T>
void WindowSums::read(const FeatureMatrix& features) {
    constexpr std::int64_t kBlock = 32;
    const std::int64_t n_cells = grids_.n_cells();
    std::vector<T> block(static_cast<std::size_t>(std::min(kBlock, n_samples_) * n_cells));
    for (std::int64_t first = 0; first < n_samples_; first += kBlock) {
        const std::int64_t n = std::min(kBlock, n_samples_ - first);
        throw_if_stopped(n * layout_.sample_bytes);
        const T* from = features.as<T>() + first * features.row_stride;
        if (features.column_stride == 1) {
            for (std::int64_t i = 0; i < n; ++i) {
                std::copy_n(from + i * features.row_stride, n_cells, block.data() + i * n_cells);
            }
        } else {
            for (std::int64_t j = 0; j < n_cells; ++j) {
                const T* column = from + j * features.column_stride;
                for (std::int64_t i = 0; i < n; ++i) {
                    block[static_cast<std::size_t>(i * n_cells + j)] = column[i * features.row_stride];
                }
            }
        }
        for (std::int64_t i = 0; i < n; ++i) add_up(first + i, block.data() + i * n_cells);
    }
}

void WindowSums::add_up(std::int64_t sample, const std::uint8_t* cells) {
    for (std::size_t c = 0; c < grids_.n_channels(); ++c) fill_planes(sample, c, cells + grids_[c].first_cell);
}

void WindowSums::add_up(std::int64_t sample, float* cells) {
    if (missing_ends_.empty()) {
        // Filled where a cell is missing; until then all samples have none.
        const bool any = std::any_of(cells, cells + grids_.n_cells(), [](float value) { return value != value; });
        if (any) missing_ends_.assign(static_cast<std::size_t>(n_samples_) + 1, 0);
    }
    for (std::size_t c = 0; c < grids_.n_channels(); ++c) {
        const ChannelGrid& grid = grids_[c];
        const float* channel = cells + grid.first_cell;
        double sum = 0.0;
        std::int64_t n = 0;
        for (std::int64_t i = 0; i < grid.n_cells; ++i) {
            if (channel[i] != channel[i]) {
                missing_.push_back(static_cast<std::int32_t>(grid.first_cell + i));
                continue;
            }
            sum += static_cast<double>(channel[i]);
            ++n;
        }
        const double mean = n == 0 ? 0.0 : sum / static_cast<double>(n);
        float centre = 0.0F;
        double nearest = std::numeric_limits<double>::infinity();
        for (std::int64_t i = 0; i < grid.n_cells; ++i) {
            const double distance = std::abs(static_cast<double>(channel[i]) - mean);
            if (distance < nearest) {
                nearest = distance;
                centre = channel[i];
            }
        }
        centres_[c * static_cast<std::size_t>(n_samples_) + static_cast<std::size_t>(sample)] = centre;
        centred_.resize(static_cast<std::size_t>(grid.n_cells));
        for (std::size_t i = 0; i < centred_.size(); ++i) {
            const float value = channel[i];
            centred_[i] = value == value ? static_cast<double>(value) - static_cast<double>(centre) : 0.0;
        }
        fill_planes(sample, c, centred_.data());
    }
    if (!missing_ends_.empty()) missing_ends_[static_cast<std::size_t>(sample) + 1] = missing_.size();
}

template <typename Cell>
void WindowSums::fill_planes(std::int64_t sample, std::size_t channel, const Cell* cells) {
    // Wide enough for what is added: a float64, or an integer before it is cut to its type.
    using Wide = std::conditional_t<std::is_same_v<Cell, double>, double, std::uint64_t>;
    fill_plane(sample, channel, SumPlane::values, cells, [](Cell x, std::int64_t) { return static_cast<Wide>(x); });
    if (layout_.present[at(SumPlane::squares)]) {
        fill_plane(sample, channel, SumPlane::squares, cells,
                   [](Cell x, std::int64_t) { return static_cast<Wide>(x) * static_cast<Wide>(x); });
    }
    if (layout_.present[at(SumPlane::moments)]) {
        fill_plane(sample, channel, SumPlane::moments, cells,
                   [](Cell x, std::int64_t t) { return static_cast<Wide>(x) * static_cast<Wide>(t); });
    }
}

template <typename Cell, typename Term>
void WindowSums::fill_plane(std::int64_t sample, std::size_t channel, SumPlane plane, const Cell* cells,
                            const Term& term) {
    std::uint8_t* to = memory_.data() + sample * layout_.sample_bytes + layout_.offset[channel][at(plane)];
    const ChannelGrid& grid = grids_[channel];
    switch (layout_.type[at(plane)]) {
        case SumType::uint16:
            run_sums(grid, grids_.n_axes(), cells, term, reinterpret_cast<std::uint16_t*>(to));
            return;
        case SumType::uint32:
            run_sums(grid, grids_.n_axes(), cells, term, reinterpret_cast<std::uint32_t*>(to));
            return;
        case SumType::float64:
            run_sums(grid, grids_.n_axes(), cells, term, reinterpret_cast<double*>(to));
            return;
    }
}

}  // namespace silvan
