// Where the cells of channels and their running sums lie, and which boxes a window reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/columns/window.hpp"

namespace silvan {

// The grid of one channel. Axes that it does not have are left out of all loops.
struct ChannelGrid {
    std::int64_t first_cell = 0;
    std::int64_t n_cells = 1;
    std::int64_t n_sums = 1;
    std::array<std::int64_t, kMaxWindowAxes> length{};  // cells along each axis
    // Cells that running sums run over: on a circle the first ones come again after the last, as many as a box may
    // take of them, so that every box is one box of sums.
    std::array<std::int64_t, kMaxWindowAxes> summed{};
    std::array<std::int64_t, kMaxWindowAxes> max_size{};
    std::array<std::int64_t, kMaxWindowAxes> cell_stride{};
    std::array<std::int64_t, kMaxWindowAxes> sum_stride{};
};

inline constexpr std::size_t kMaxBoxes = 27;

class ChannelGrids {
public:
    // Throws std::invalid_argument where the description is none of channels.
    explicit ChannelGrids(WindowDescription description);

    const WindowDescription& description() const { return description_; }
    std::size_t n_axes() const { return description_.n_axes(); }
    std::size_t n_channels() const { return grids_.size(); }
    std::int64_t n_cells() const { return n_cells_; }
    const ChannelGrid& operator[](std::size_t channel) const { return grids_[channel]; }
    bool wraps(std::size_t axis) const { return description_.wraps[axis] != 0; }
    bool has(WindowStatistic statistic) const;

    // Cells of the largest window.
    std::int64_t max_window_cells() const;

    // Lists the boxes that a window reads, at most kMaxBoxes, its own first; returns how many.
    std::size_t list_boxes(const Window& window, Box* boxes) const;

    std::int64_t cells_in(const Box& box) const;

    // The cells of all boxes that a window reads, each once.
    std::vector<std::int64_t> list_cells(const Window& window) const;

    // Whether a box of the channel has this feature.
    bool covers(std::size_t channel, const Box& box, std::int64_t feature) const;

    // Calls visit(feature, position along the last axis) for all cells of a box, in their order within it.
    template <typename Visit>
    void visit_cells(std::size_t channel, const Box& box, const Visit& visit) const {
        const ChannelGrid& grid = grids_[channel];
        const std::size_t n = std::min(n_axes(), kMaxWindowAxes);
        std::array<std::int64_t, kMaxWindowAxes> at{};
        std::copy_n(box.start, n, at.begin());
        for (bool inside = true; inside;) {
            std::int64_t cell = grid.first_cell;
            for (std::size_t a = 0; a < n; ++a) cell += at[a] % grid.length[a] * grid.cell_stride[a];
            visit(cell, at[n - 1]);
            // The next cell: the last axis runs fastest.
            inside = false;
            for (std::size_t a = n; a-- > 0 && !inside;) {
                inside = ++at[a] < box.end[a];
                if (!inside) at[a] = box.start[a];
            }
        }
    }

private:
    WindowDescription description_;
    std::vector<ChannelGrid> grids_;
    std::int64_t n_cells_ = 0;
};

}  // namespace silvan
