// Checks the shapes of channels, and moves windows on them.
#include "core/columns/channel_grids.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace silvan {
namespace {

ChannelGrid make_grid(const WindowDescription& description, std::size_t channel, std::int64_t first_cell) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    ChannelGrid grid;
    grid.first_cell = first_cell;
    for (std::size_t a = description.n_axes(); a-- > 0;) {
        const std::int64_t length = description.channel_shapes[channel * description.n_axes() + a];
        require(length >= 1 && length <= kMost / grid.n_cells, "channels have too many cells, or none");
        grid.length[a] = length;
        grid.max_size[a] = std::min(length, description.max_size[a]);
        grid.summed[a] = length + (description.wraps[a] != 0 ? grid.max_size[a] - 1 : 0);
        grid.cell_stride[a] = grid.n_cells;
        grid.sum_stride[a] = grid.n_sums;
        grid.n_cells *= length;
        grid.n_sums *= grid.summed[a] + 1;
    }
    require(first_cell <= kMost - grid.n_cells, "channels have too many cells");
    return grid;
}

}  // namespace

ChannelGrids::ChannelGrids(WindowDescription description) : description_(std::move(description)) {
    const std::size_t axes = n_axes();
    require(axes >= 1 && axes <= kMaxWindowAxes, "channels need one, two or three axes");
    require(description_.wraps.size() == axes, "every axis of a channel wraps or does not");
    require(!description_.channel_shapes.empty() && description_.channel_shapes.size() % axes == 0,
            "every channel needs a length along each axis");
    for (const std::int64_t size : description_.max_size) require(size >= 1, "windows need a cell");
    const std::vector<std::uint8_t>& statistics = description_.statistics;
    require(!statistics.empty() && statistics.back() < kWindowStatistics, "windows need a statistic that is known");
    require(std::adjacent_find(statistics.begin(), statistics.end(), std::greater_equal<>()) == statistics.end(),
            "the statistics of windows must ascend");
    for (std::size_t c = 0; c < description_.channel_shapes.size() / axes; ++c) {
        grids_.push_back(make_grid(description_, c, n_cells_));
        n_cells_ += grids_.back().n_cells;
    }
}

bool ChannelGrids::has(WindowStatistic statistic) const {
    const std::vector<std::uint8_t>& all = description_.statistics;
    return std::binary_search(all.begin(), all.end(), static_cast<std::uint8_t>(statistic));
}

std::int64_t ChannelGrids::max_window_cells() const {
    std::int64_t max_cells = 1;
    for (const ChannelGrid& grid : grids_) {
        std::int64_t cells = 1;
        for (std::size_t a = 0; a < n_axes(); ++a) cells *= grid.max_size[a];
        max_cells = std::max(max_cells, cells);
    }
    return max_cells;
}

std::size_t ChannelGrids::list_boxes(const Window& window, Box* boxes) const {
    boxes[0] = window.box;
    std::size_t n = 1;
    const std::int64_t step = std::abs(static_cast<std::int64_t>(window.shift));
    if (step == 0) return n;
    const ChannelGrid& grid = grids_[static_cast<std::size_t>(window.channel)];
    for (std::size_t a = 0; a < n_axes(); ++a) {
        const std::size_t n_before = n;
        for (const std::int64_t move : {-step, step}) {
            const std::int64_t size = window.box.end[a] - window.box.start[a];
            std::int64_t start = window.box.start[a] + move;
            std::int64_t end = start + size;
            if (wraps(a)) {
                start = (start % grid.length[a] + grid.length[a]) % grid.length[a];
                end = start + size;
            } else {
                start = std::max<std::int64_t>(start, 0);
                end = std::min(end, grid.length[a]);
                if (start >= end) continue;
            }
            for (std::size_t k = 0; k < n_before; ++k) {
                boxes[n] = boxes[k];
                boxes[n].start[a] = static_cast<std::int32_t>(start);
                boxes[n].end[a] = static_cast<std::int32_t>(end);
                ++n;
            }
        }
    }
    return n;
}

// Boxes are moved along each axis whatever happens along the others, so that a cell is read where its position along
// every axis is.
std::vector<std::int64_t> ChannelGrids::list_cells(const Window& window) const {
    Box boxes[kMaxBoxes];
    const std::size_t n_boxes = list_boxes(window, boxes);
    const ChannelGrid& grid = grids_[static_cast<std::size_t>(window.channel)];
    std::vector<std::int64_t> cells{grid.first_cell};
    for (std::size_t a = 0; a < n_axes(); ++a) {
        std::vector<std::int64_t> positions;
        for (std::size_t b = 0; b < n_boxes; ++b) {
            for (std::int64_t at = boxes[b].start[a]; at < boxes[b].end[a]; ++at) {
                positions.push_back(at % grid.length[a]);
            }
        }
        std::sort(positions.begin(), positions.end());
        positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
        std::vector<std::int64_t> further;
        for (const std::int64_t cell : cells) {
            for (const std::int64_t at : positions) further.push_back(cell + at * grid.cell_stride[a]);
        }
        cells = std::move(further);
    }
    return cells;
}

std::int64_t ChannelGrids::cells_in(const Box& box) const {
    std::int64_t cells = 1;
    for (std::size_t a = 0; a < n_axes(); ++a) cells *= box.end[a] - box.start[a];
    return cells;
}

bool ChannelGrids::covers(std::size_t channel, const Box& box, std::int64_t feature) const {
    const ChannelGrid& grid = grids_[channel];
    std::int64_t rest = feature - grid.first_cell;
    if (rest < 0 || rest >= grid.n_cells) return false;
    for (std::size_t a = 0; a < n_axes(); ++a) {
        const std::int64_t at = rest / grid.cell_stride[a];
        rest %= grid.cell_stride[a];
        const bool again = at + grid.length[a] < box.end[a];
        if ((at < box.start[a] || at >= box.end[a]) && !again) return false;
    }
    return true;
}

}  // namespace silvan
