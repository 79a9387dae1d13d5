// Windows that are drawn for some trees together, for all of their nodes to choose among, and their values.
//
// Reading a window off running sums costs a few cache misses a sample, and the nodes of some trees would read many
// times as many windows as it takes to say what there is to say about the samples. Read ahead, a window is a column of
// numbers, and growing on windows costs what growing on a table does: a third of the time with ten channels of 20,000
// images and 88 candidates at a node (benchmarks/windows.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/buffer.hpp"
#include "core/columns/channel_grids.hpp"
#include "core/columns/distinct_samples.hpp"
#include "core/columns/feature_layouts.hpp"
#include "core/thread_team.hpp"

namespace silvan {

// Directions over windows: terms indptr[i] .. indptr[i + 1] are those of direction i.
struct WindowDirections {
    std::vector<std::int64_t> indptr{0};
    std::vector<float> coefficients;
    std::vector<Window> windows;
};

class WindowPool {
public:
    // The features must outlive it.
    explicit WindowPool(const FeatureMatrix& features);

    // Other directions take the place of those that it has; they are not read.
    void refill(WindowDirections drawn);

    // Number of directions.
    std::int64_t size() const { return static_cast<std::int64_t>(drawn_.indptr.size()) - 1; }
    // Their windows know their places in the pool.
    const WindowDirections& directions() const { return drawn_; }

    // Reads the windows for all samples, block after block: running sums of all samples are never in memory at once.
    void read(const ChannelGrids& grids, const ThreadTeam& team);

    // Whether they were read, and a column for each window. A direction over one window is its column, as it is.
    bool has_values() const { return values_.data != nullptr; }
    const FeatureMatrix& values() const { return values_; }

    // Which of the samples differ, whatever the windows.
    const std::shared_ptr<const DistinctSamples>& distinct_samples() const { return distinct_samples_; }

private:
    std::size_t max_windows() const;

    FeatureMatrix features_;
    std::shared_ptr<const DistinctSamples> distinct_samples_;
    WindowDirections drawn_;
    std::vector<Window> distinct_;
    FeatureMatrix values_;
    Buffer<float> memory_;
};

}  // namespace silvan
