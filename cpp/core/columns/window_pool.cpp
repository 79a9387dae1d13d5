// Numbers the windows of a pool, and reads them.
#include "core/columns/window_pool.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/columns/window_reader.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// Samples whose sums are in memory at a time, for each thread: those of one channel stay in the cache while all of its
// windows are read.
constexpr std::int64_t kBlock = 64;

auto content(const Window& window) {
    const Box& box = window.box;
    return std::make_tuple(window.channel, static_cast<int>(window.statistic), window.shift, box.start[0], box.start[1],
                           box.start[2], box.end[0], box.end[1], box.end[2]);
}

FeatureMatrix part_of(const FeatureMatrix& features, std::int64_t first, std::int64_t n) {
    FeatureMatrix part = features;
    part.data = static_cast<const std::uint8_t*>(features.data) + first * features.row_stride * bytes_of(features.type);
    part.n_samples = n;
    return part;
}

}  // namespace

WindowPool::WindowPool(const FeatureMatrix& features)
    : features_(features), distinct_samples_(std::make_shared<const DistinctSamples>(features)) {}

// Equal windows are read once; those of a channel come one after the other.
void WindowPool::refill(WindowDirections drawn) {
    drawn_ = std::move(drawn);
    values_ = {};
    std::map<decltype(content(Window{})), std::int32_t> number_of;
    for (const Window& window : drawn_.windows) number_of.try_emplace(content(window), 0);
    std::int32_t n = 0;
    for (auto& [window, number] : number_of) number = n++;
    distinct_.resize(static_cast<std::size_t>(n));
    for (Window& window : drawn_.windows) {
        window.pooled = number_of.at(content(window));
        distinct_[static_cast<std::size_t>(window.pooled)] = window;
    }
}

void WindowPool::read(const ChannelGrids& grids, const ThreadTeam& team) {
    const std::int64_t n_samples = features_.n_samples;
    const auto n_windows = static_cast<std::int64_t>(distinct_.size());
    // As much for any pool of this size.
    memory_.allocate(drawn_.windows.size() * static_cast<std::size_t>(n_samples));
    team.for_blocks(n_samples, kBlock, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t n = last - first;
        const FeatureMatrix block = part_of(features_, first, n);
        const WindowSums sums(block, grids, SumOrder::by_sample);
        WindowReader reader(sums);
        std::uint32_t samples[kBlock];
        std::iota(samples, samples + n, 0U);
        const auto index = static_cast<std::int32_t>(grids.n_cells());
        constexpr float kOne = 1.0F;
        for (std::int64_t k = 0; k < n_windows; ++k) {
            throw_if_stopped(4 * n);
            const Direction window{&index, &kOne, 1, distinct_.data() + k};
            reader.project(window, samples, n, memory_.data() + k * n_samples + first);
        }
    });
    values_ = {memory_.data(), FeatureType::float32, n_samples, n_windows, 1, n_samples};
}

void WindowPool::measure_spreads(const WindowDescription& windows, NodeColumns& columns) {
    if (spreads_.measured()) return;
    std::vector<std::uint32_t> samples(static_cast<std::size_t>(features_.n_samples));
    std::iota(samples.begin(), samples.end(), 0U);
    spreads_.measure(windows, columns, samples.data(), features_.n_samples);
}

}  // namespace silvan
