// Measures a few cells of each channel.
#include "core/columns/cell_spreads.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/columns/column_space.hpp"
#include "core/dot.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kCells = 4;
constexpr std::int64_t kSamples = 8;
constexpr double kSmallestShare = 1e-6;

double deviation_of(std::vector<double>& known) {
    if (known.empty()) return 0.0;
    const auto n = static_cast<double>(known.size());
    const double mean = std::accumulate(known.begin(), known.end(), 0.0) / n;
    for (double& value : known) value -= mean;
    return std::sqrt(dot(known.data(), known.data(), known.size()) / n);
}

}  // namespace

void CellSpreads::measure(const WindowDescription& windows, NodeColumns& columns, const std::uint32_t* samples,
                          std::int64_t n_samples) {
    const std::int64_t n_seen = std::min(kSamples, n_samples);
    std::uint32_t seen[kSamples];
    for (std::int64_t i = 0; i < n_seen; ++i) seen[i] = samples[i * n_samples / n_seen];
    spread_.clear();
    std::vector<double> known;
    std::int64_t first = 0;
    const std::size_t n_axes = windows.n_axes();
    for (std::size_t at = 0; at < windows.channel_shapes.size(); at += n_axes) {
        std::int64_t n_cells = 1;
        for (std::size_t a = 0; a < n_axes; ++a) n_cells *= windows.channel_shapes[at + a];
        const std::int64_t n_read = n_seen == 0 ? 0 : std::min(kCells, n_cells);
        known.clear();
        for (std::int64_t k = 0; k < n_read; ++k) {
            double values[kSamples];
            columns.read_feature(static_cast<std::int32_t>(first + k * n_cells / n_read), seen, n_seen, values);
            std::copy_if(values, values + n_seen, std::back_inserter(known), [](double x) { return x == x; });
        }
        spread_.push_back(deviation_of(known));
        first += n_cells;
    }
}

double CellSpreads::smallest_deviation(const Window& window) const {
    const std::size_t last = window.n_axes - std::size_t{1};
    const double steps = window.statistic == WindowStatistic::slope ? window.box.end[last] - window.box.start[last] : 1;
    return kSmallestShare * spread_[static_cast<std::size_t>(window.channel)] / steps;
}

}  // namespace silvan
