// Fills the running sums of channels.
#include "core/columns/window_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kBlock = 64;  // samples that are read at a time

constexpr std::size_t at(Summed kind) { return static_cast<std::size_t>(kind); }

// What one cell adds to the sums of its place.
template <typename Sum>
class CellTerm {
public:
    CellTerm(const ChannelSums& sums, float centre)
        : centre_(static_cast<double>(centre)),
          squares_(sums.place[at(Summed::squares)]),
          moments_(sums.place[at(Summed::moments)]),
          has_squares_(sums.present[at(Summed::squares)]),
          has_moments_(sums.present[at(Summed::moments)]),
          // Squares that have no field of their own are the cells.
          square_factor_(has_squares_ && squares_ > 0 ? std::uint64_t{1} << squares_ % 64 : 0),
          moment_factor_(has_moments_ ? std::uint64_t{1} << moments_ % 64 : 0) {}

    template <typename Cell>
    Sum operator()(Cell value, std::int64_t t) const {
        const bool known = value == value;
        if constexpr (std::is_integral_v<Sum>) {
            const std::uint64_t x = known ? static_cast<std::uint64_t>(value) : 0;
            return static_cast<Sum>(x * (1 + x * square_factor_ + static_cast<std::uint64_t>(t) * moment_factor_));
        } else {
            const double x = known ? static_cast<double>(value) - centre_ : 0.0;
            Sum term{};
            term.kind[0] = x;
            if (has_squares_) term.kind[squares_] = x * x;
            if (has_moments_) term.kind[moments_] = x * static_cast<double>(t);
            return term;
        }
    }

private:
    double centre_;
    std::uint32_t squares_, moments_;
    bool has_squares_, has_moments_;
    std::uint64_t square_factor_, moment_factor_;
};

// Running sums along the last axis, and then of these along the others: the order that numpy.cumsum would take.
template <typename Sum, typename Cell>
void run_sums(const ChannelGrid& grid, std::size_t n_axes, const Cell* cells, const CellTerm<Sum>& term, Sum* to) {
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

// Calls visit(first sample, number of samples, their cells side by side) for all samples in turn. Columns are read in
// runs.
template <typename T, typename Visit>
void for_row_blocks(const FeatureMatrix& features, const Visit& visit) {
    const std::int64_t n_cells = features.n_features;
    const bool are_rows = features.column_stride == 1 && features.row_stride == n_cells;
    std::vector<T> rows(are_rows ? 0 : static_cast<std::size_t>(std::min(kBlock, features.n_samples) * n_cells));
    for (std::int64_t first = 0; first < features.n_samples; first += kBlock) {
        const std::int64_t n = std::min(kBlock, features.n_samples - first);
        throw_if_stopped(n * n_cells);
        const T* from = features.as<T>() + first * features.row_stride;
        for (std::int64_t j = 0; j < n_cells && !are_rows; ++j) {
            const T* column = from + j * features.column_stride;
            for (std::int64_t i = 0; i < n; ++i) {
                rows[static_cast<std::size_t>(i * n_cells + j)] = column[i * features.row_stride];
            }
        }
        visit(first, n, are_rows ? from : rows.data());
    }
}

// The largest of some cells, or kNotWhole: some are negative, fractions, missing or beyond 2^22.
double largest_whole(const float* cells, std::int64_t n) {
    constexpr float kRounding = 0x1.0p23F;  // has no room for fractions
    float largest = 0.0F;
    bool whole = true;
    for (std::int64_t i = 0; i < n; ++i) {
        const float rounded = (cells[i] + kRounding) - kRounding;
        whole &= rounded == cells[i] && cells[i] >= 0.0F;
        largest = std::max(largest, cells[i]);
    }
    return whole && largest <= kRounding / 2 ? static_cast<double>(largest) : kNotWhole;
}

// The cell nearest to the mean of those that are not missing, the first of several; 0 where all are.
float find_centre(const float* cells, std::int64_t n_cells) {
    double sum = 0.0;
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < n_cells; ++i) {
        if (cells[i] != cells[i]) continue;
        sum += static_cast<double>(cells[i]);
        ++n;
    }
    const double mean = n == 0 ? 0.0 : sum / static_cast<double>(n);
    float centre = 0.0F;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < n_cells; ++i) {
        const double distance = std::abs(static_cast<double>(cells[i]) - mean);
        if (distance < nearest) {
            nearest = distance;
            centre = cells[i];
        }
    }
    return centre;
}

}  // namespace

WindowSums::WindowSums(const FeatureMatrix& features, const ChannelGrids& grids, SumOrder order)
    : grids_(grids),
      n_samples_(features.n_samples),
      layout_(grids, measure(features), order, n_samples_),
      centres_(grids.n_channels()) {
    memory_.allocate(static_cast<std::size_t>(layout_.bytes));
    for (std::size_t c = 0; c < grids.n_channels(); ++c) {
        const bool centred = layout_.channels[c].type == SumType::float64 && features.type == FeatureType::float32;
        if (centred) centres_[c].resize(static_cast<std::size_t>(n_samples_));
    }
    const auto fill = [&](std::int64_t first, std::int64_t n, const auto* rows) {
        for (std::size_t c = 0; c < grids_.n_channels(); ++c) add_up(c, rows + grids_[c].first_cell, first, n);
    };
    if (features.type == FeatureType::uint8) {
        for_row_blocks<std::uint8_t>(features, fill);
    } else {
        for_row_blocks<float>(features, fill);
    }
}

std::vector<double> WindowSums::measure(const FeatureMatrix& features) {
    std::vector<double> largest(grids_.n_channels(), features.type == FeatureType::uint8 ? 255.0 : 0.0);
    if (features.type == FeatureType::uint8) return largest;
    missing_ends_.assign(1, 0);
    for_row_blocks<float>(features, [&](std::int64_t, std::int64_t n, const float* rows) {
        for (std::int64_t i = 0; i < n; ++i) measure_sample(rows + i * grids_.n_cells(), largest);
    });
    return largest;
}

// Missing cells may be taken for whole numbers.
void WindowSums::measure_sample(const float* cells, std::vector<double>& largest) {
    for (std::size_t c = 0; c < grids_.n_channels(); ++c) {
        const ChannelGrid& grid = grids_[c];
        const float* channel = cells + grid.first_cell;
        double own = largest_whole(channel, grid.n_cells);
        if (own == kNotWhole) {
            own = 0.0;
            for (std::int64_t i = 0; i < grid.n_cells; ++i) {
                if (channel[i] == channel[i]) {
                    own = std::max(own, largest_whole(channel + i, 1));
                } else {
                    missing_.push_back(static_cast<std::int32_t>(grid.first_cell + i));
                }
            }
        }
        largest[c] = std::max(largest[c], own);
    }
    missing_ends_.push_back(missing_.size());
}

// Sums that lie place by place are made side by side for some samples, and then written in runs.
template <typename Cell>
void WindowSums::add_up(std::size_t channel, const Cell* cells, std::int64_t first, std::int64_t n) {
    const ChannelGrid& grid = grids_[channel];
    const ChannelSums& sums = layout_.channels[channel];
    with_sum_type(sums, [&](auto sum) {
        using Sum = decltype(sum);
        std::uint8_t* to = memory_.data() + sums.offset + first * sums.sample_stride;
        const bool side_by_side = sums.place_stride == 1;
        std::vector<Sum> made(side_by_side ? 0 : static_cast<std::size_t>(n * grid.n_sums));
        for (std::int64_t i = 0; i < n; ++i) {
            const Cell* own = cells + i * grids_.n_cells();
            float centre = 0.0F;
            if constexpr (std::is_same_v<Cell, float>) {
                if (sums.type == SumType::float64) {
                    centre = find_centre(own, grid.n_cells);
                    centres_[channel][static_cast<std::size_t>(first + i)] = centre;
                }
            }
            Sum* place =
                side_by_side ? reinterpret_cast<Sum*>(to + i * sums.sample_stride) : made.data() + i * grid.n_sums;
            run_sums(grid, grids_.n_axes(), own, CellTerm<Sum>(sums, centre), place);
        }
        if (side_by_side) return;
        for (std::int64_t k = 0; k < grid.n_sums; ++k) {
            Sum* run = reinterpret_cast<Sum*>(to) + k * sums.place_stride;
            for (std::int64_t i = 0; i < n; ++i) run[i] = made[static_cast<std::size_t>(i * grid.n_sums + k)];
        }
    });
}

}  // namespace silvan
