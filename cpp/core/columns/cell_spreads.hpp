// How far apart the cells of each channel lie, to tell windows that vary from those that only rounding does.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/window.hpp"

namespace silvan {

class NodeColumns;

// The standard deviation of each channel's cells in some samples, over some places.
class CellSpreads {
public:
    void measure(const WindowDescription& windows, NodeColumns& columns, const std::uint32_t* samples,
                 std::int64_t n_samples);

    // The smallest deviation of a window that is more than rounding.
    double smallest_deviation(const Window& window) const;

private:
    std::vector<double> spread_;  // of each channel
};

}  // namespace silvan
