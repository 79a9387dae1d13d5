// A window on a channel: what a term of a direction is where samples are turned into channels.
//
// Channels are arrays over a grid that lie side by side in a sample: its features are the cells of channel 0, then
// those of channel 1, and so on. A window is a box on one of them and a statistic of the values in it. Index
// n_features + k of a direction is window k of a table that the direction points to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace silvan {

inline constexpr std::size_t kMaxWindowAxes = 3;

enum class WindowStatistic : std::uint8_t {
    mean,    // of the cells
    spread,  // their standard deviation
    slope,   // of the least-squares line over the position along the last axis; 0 where there is one position
};
inline constexpr std::uint8_t kWindowStatistics = 3;

// Cells [start, end) along each axis. On an axis that wraps, `end` may lie beyond the last cell.
struct Box {
    std::int32_t start[kMaxWindowAxes] = {};
    std::int32_t end[kMaxWindowAxes] = {};

    bool operator==(const Box&) const = default;
};

struct Window {
    Box box;
    std::int32_t channel = 0;
    WindowStatistic statistic = WindowStatistic::mean;
    // 0: the box stays where it is. r > 0: the largest mean of the boxes that are moved by -r, 0 or r along each axis;
    // -r: the smallest. Moved boxes are clipped to the grid, and left out where nothing of them is on it. Only means
    // are shifted.
    std::int8_t shift = 0;
    std::uint8_t n_axes = 1;
    float scale = 1.0F;  // what the statistic is divided by; above 0
    // Its number in the pool that a fit reads ahead (WindowPool), or -1. No forest keeps it.
    std::int32_t pooled = -1;

    bool operator==(const Window&) const = default;
};

// Which channels there are, and what windows may be on them.
struct WindowDescription {
    std::vector<std::int64_t> channel_shapes;  // channel after channel
    std::vector<std::int64_t> max_size;        // of a box, along each axis; empty: there are no channels
    std::vector<std::uint8_t> wraps;           // 1 for each axis that is a circle
    std::vector<std::uint8_t> statistics;      // ascending

    std::size_t n_axes() const { return max_size.size(); }
    bool empty() const { return max_size.empty(); }
    bool operator==(const WindowDescription&) const = default;
};

}  // namespace silvan
