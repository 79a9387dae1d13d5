// Where dilated convolutions of series exceed thresholds: the arithmetic of silvan.channels.Convolutions, for series.
#pragma once

#include <cstdint>

namespace silvan {

inline constexpr std::int64_t kKernelCells = 9;
inline constexpr std::int64_t kChosenCells = 3;

// Kernels of kKernelCells cells that lie a dilation apart: those that are chosen have coefficient 2, the others -1.
struct Convolutions {
    const std::int32_t* chosen = nullptr;  // kChosenCells of each kernel, ascending
    const std::int32_t* dilations = nullptr;
    const float* thresholds = nullptr;
    std::int64_t n_kernels = 0;
};

// Series of equal length, one after the other.
struct SeriesView {
    const float* values = nullptr;
    std::int64_t n_series = 0;
    std::int64_t length = 0;
    bool wraps = false;  // beyond an end lies the other one, and not the last value again
};

// counts[(i * n_kernels + k) * n_runs + r] = the number of cells in run r of series i where kernel k exceeds its
// threshold; NaN where a value is missing that one of them is computed from. Runs have `step` cells, the last of
// ceil(length / step) may have fewer. All operations are those of NumPy on float32, in the same order.
void count_above(const SeriesView& series, const Convolutions& kernels, std::int64_t step, float* counts);

}  // namespace silvan
