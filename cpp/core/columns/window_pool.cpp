// Numbers the windows of a pool, and reads them.
#include "core/columns/window_pool.hpp"

#include <algorithm>
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
    std::vector<Window>& windows = drawn_.windows;
    std::vector<std::size_t> order(windows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        throw_if_stopped(10);
        return content(windows[a]) < content(windows[b]);
    });
    distinct_.clear();
    for (const std::size_t k : order) {
        if (distinct_.empty() || content(distinct_.back()) != content(windows[k])) distinct_.push_back(windows[k]);
        windows[k].pooled = static_cast<std::int32_t>(distinct_.size() - 1);
    }
}

std::size_t WindowPool::max_windows() const {
    std::int64_t most = 0;
    for (std::size_t i = 1; i < drawn_.indptr.size(); ++i)
        most = std::max(most, drawn_.indptr[i] - drawn_.indptr[i - 1]);
    return static_cast<std::size_t>(most * size());
}

void WindowPool::read(const ChannelGrids& grids, const ThreadTeam& team) {
    const std::int64_t n_samples = features_.n_samples;
    const auto n_windows = static_cast<std::int64_t>(distinct_.size());
    // As much for any pool of this size; pages that are not written take no memory.
    memory_.allocate(max_windows() * static_cast<std::size_t>(n_samples));
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

}  // namespace silvan
