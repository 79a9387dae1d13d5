// Fills the running sums of channels.
#include "core/columns/window_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::size_t at(Summed kind) { return static_cast<std::size_t>(kind); }

std::int64_t round_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

// What one cell adds to the sums of its place.
template <typename Sum>
class CellTerm {
public:
    explicit CellTerm(const SumLayout& layout)
        : squares_(layout.place[at(Summed::squares)]),
          moments_(layout.place[at(Summed::moments)]),
          has_squares_(layout.present[at(Summed::squares)]),
          has_moments_(layout.present[at(Summed::moments)]),
          square_factor_(has_squares_ ? std::uint64_t{1} << squares_ : 0),
          moment_factor_(has_moments_ ? std::uint64_t{1} << moments_ : 0) {}

    Sum operator()(std::uint8_t x, std::int64_t t) const {
        if constexpr (std::is_same_v<Sum, std::uint64_t>) {
            const std::uint64_t cell = x;
            return cell * (1 + cell * square_factor_ + static_cast<std::uint64_t>(t) * moment_factor_);
        } else if constexpr (std::is_integral_v<Sum>) {
            return x;
        } else {
            return (*this)(static_cast<double>(x), t);
        }
    }

    Sum operator()(double x, std::int64_t t) const {
        if constexpr (std::is_integral_v<Sum>) {
            return 0;  // float32 cells have no such sums
        } else {
            Sum term{};
            term.kind[0] = x;
            if (has_squares_) term.kind[squares_] = x * x;
            if (has_moments_) term.kind[moments_] = x * static_cast<double>(t);
            return term;
        }
    }

private:
    std::uint32_t squares_, moments_;
    bool has_squares_, has_moments_;
    std::uint64_t square_factor_, moment_factor_;
};

// Running sums along the last axis, and then of these along the others: the order that numpy.cumsum would take.
template <typename Sum, typename Cell, typename Term>
void run_sums(const ChannelGrid& grid, std::size_t n_axes, const Cell* cells, const Term& term, Sum* to) {
    const std::size_t last = n_axes - 1;
    const std::int64_t n = grid.summed[last];
    const std::int64_t length = grid.length[last];
    const std::int64_t width = n + 1;
    std::fill(to, to + grid.n_sums, Sum{});
    const std::int64_t rows = n_axes >= 2 ? grid.summed[last - 1] : 1;
    const std::int64_t layers = n_axes >= 3 ? grid.summed[0] : 1;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        Sum* slab = to + (n_axes >= 3 ? (layer + 1) * grid.sum_stride[0] : 0);
        const Cell* from = cells + (n_axes >= 3 ? layer % grid.length[0] * grid.cell_stride[0] : 0);
        for (std::int64_t row = 0; row < rows; ++row) {
            const Cell* cell = from + (n_axes >= 2 ? row % grid.length[last - 1] * length : 0);
            Sum* sum = slab + (n_axes >= 2 ? (row + 1) * width : 0);
            Sum running{};
            const auto add = [&](const Cell& value, std::int64_t t) {
                running = static_cast<Sum>(running + term(value, t));
                sum[t + 1] = running;
            };
            for (std::int64_t t = 0; t < length; ++t) add(cell[t], t);
            for (std::int64_t t = length; t < n; ++t) add(cell[t - length], t);
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
    n_kinds = static_cast<std::size_t>(std::count(present.begin(), present.end(), true));
    place = {0, 1, present[at(Summed::squares)] ? 2U : 1U};
    if (features == FeatureType::uint8) choose_type(grids);
    std::int64_t bytes = 0;
    with_sum_type(*this, [&](auto sum) { bytes = sizeof(sum); });
    constexpr std::int64_t kCacheLine = 64;
    for (std::size_t c = 0; c < grids.n_channels(); ++c) {
        offset.push_back(sample_bytes);
        sample_bytes += round_up(grids[c].n_sums * bytes, 8);
    }
    sample_bytes = round_up(sample_bytes, kCacheLine);
}

// The narrowest type whose differences are exact.
void SumLayout::choose_type(const ChannelGrids& grids) {
    std::int64_t positions = 1;
    for (std::size_t c = 0; c < grids.n_channels(); ++c) {
        positions = std::max(positions, grids[c].summed[grids.n_axes() - 1]);
    }
    const auto cells = static_cast<double>(grids.max_window_cells());
    const std::array<double, kSummed> largest{255.0 * cells, 255.0 * 255.0 * cells,
                                              255.0 * cells * static_cast<double>(positions)};
    if (n_kinds == 1) {
        if (largest[0] <= std::numeric_limits<std::uint32_t>::max()) type = SumType::uint32;
        if (largest[0] <= std::numeric_limits<std::uint16_t>::max()) type = SumType::uint16;
        mask[0] = std::numeric_limits<std::uint64_t>::max();
        return;
    }
    std::array<std::uint32_t, kSummed> first{};
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < kSummed; ++k) {
        if (!present[k]) continue;
        if (largest[k] >= 0x1.0p62) return;
        const auto width = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(largest[k])));
        first[k] = bits;
        mask[k] = (std::uint64_t{1} << width) - 1;
        bits += width;
    }
    if (bits > 64) return;
    type = SumType::packed;
    place = first;
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
            for (std::int64_t i = 0; i < n; ++i) add_up(first + i, from + i * features.row_stride);
            continue;
        }
        for (std::int64_t j = 0; j < n_cells; ++j) {
            const T* column = from + j * features.column_stride;
            for (std::int64_t i = 0; i < n; ++i) {
                block[static_cast<std::size_t>(i * n_cells + j)] = column[i * features.row_stride];
            }
        }
        for (std::int64_t i = 0; i < n; ++i) add_up(first + i, block.data() + i * n_cells);
    }
}

void WindowSums::add_up(std::int64_t sample, const std::uint8_t* cells) {
    for (std::size_t c = 0; c < grids_.n_channels(); ++c) fill(sample, c, cells + grids_[c].first_cell);
}

void WindowSums::add_up(std::int64_t sample, const float* cells) {
    const std::size_t n_missing = missing_.size();
    for (std::size_t c = 0; c < grids_.n_channels(); ++c) {
        const ChannelGrid& grid = grids_[c];
        const float* channel = cells + grid.first_cell;
        const float centre = find_centre(grid, channel);
        centres_[c * static_cast<std::size_t>(n_samples_) + static_cast<std::size_t>(sample)] = centre;
        centred_.resize(static_cast<std::size_t>(grid.n_cells));
        for (std::size_t i = 0; i < centred_.size(); ++i) {
            const float value = channel[i];
            centred_[i] = value == value ? static_cast<double>(value) - static_cast<double>(centre) : 0.0;
        }
        fill(sample, c, centred_.data());
    }
    // Until the first cell is missing, no sample has a list.
    if (missing_ends_.empty() && missing_.size() > n_missing) {
        missing_ends_.assign(static_cast<std::size_t>(n_samples_) + 1, 0);
    }
    if (!missing_ends_.empty()) missing_ends_[static_cast<std::size_t>(sample) + 1] = missing_.size();
}

// The cell nearest to the mean of those that are not missing, the first of several; lists the others.
float WindowSums::find_centre(const ChannelGrid& grid, const float* cells) {
    double sum = 0.0;
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < grid.n_cells; ++i) {
        if (cells[i] != cells[i]) {
            missing_.push_back(static_cast<std::int32_t>(grid.first_cell + i));
            continue;
        }
        sum += static_cast<double>(cells[i]);
        ++n;
    }
    const double mean = n == 0 ? 0.0 : sum / static_cast<double>(n);
    float centre = 0.0F;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < grid.n_cells; ++i) {
        const double distance = std::abs(static_cast<double>(cells[i]) - mean);
        if (distance < nearest) {
            nearest = distance;
            centre = cells[i];
        }
    }
    return centre;
}

template <typename Cell>
void WindowSums::fill(std::int64_t sample, std::size_t channel, const Cell* cells) {
    std::uint8_t* to = memory_.data() + sample * layout_.sample_bytes + layout_.offset[channel];
    with_sum_type(layout_, [&](auto sum) {
        using Sum = decltype(sum);
        run_sums(grids_[channel], grids_.n_axes(), cells, CellTerm<Sum>(layout_), reinterpret_cast<Sum*>(to));
    });
}

}  // namespace silvan
