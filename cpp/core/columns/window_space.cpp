// Reads windows for growing and prediction, and writes them over the cells of their channels.
#include "core/columns/window_space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/columns/distinct_samples.hpp"
#include "core/columns/plain_features.hpp"
#include "core/columns/window_pool.hpp"
#include "core/columns/window_reader.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

bool is_over_windows(const Direction& direction, const ChannelGrids& grids) {
    return direction.n_nonzeros > 0 && direction.indices[0] >= grids.n_cells();
}

// Directions over windows: columns of a pool that was read ahead, or read off running sums.
//
// Sums that lie sample by sample suit small nodes, whose samples stay in the cache while all windows are read. Large
// nodes read a window off runs of samples instead, where these pay: a box along one axis has two corners, one on
// more axes has many, and many runs.
class WindowNodeColumns final : public PlainNodeColumns {
public:
    WindowNodeColumns(const FeatureLayouts& layouts, const ChannelGrids& grids, const SplitKernels& kernels,
                      std::shared_ptr<WindowPool> pool)
        : PlainNodeColumns(layouts, kernels, false),
          grids_(grids),
          n_large_(layouts.rows_or_columns().n_samples / kSparsestRun),
          distinct_(pool != nullptr ? pool->distinct_samples()
                                    : std::make_shared<const DistinctSamples>(layouts.rows_or_columns())) {
        pool_ = std::move(pool);
        if (reads_pool()) return;
        sums_ = std::make_shared<const WindowSums>(layouts.rows_or_columns(), grids, SumOrder::by_sample);
        reader_.emplace(*sums_);
        if (!has_runs(grids)) return;
        runs_ = std::make_shared<const WindowSums>(layouts.rows_or_columns(), grids, SumOrder::by_place);
        run_reader_.emplace(*runs_);
    }

    std::unique_ptr<NodeColumns> for_thread() const override { return std::make_unique<WindowNodeColumns>(*this); }

    const WindowPool* window_pool() const override { return pool_.get(); }

    std::int64_t count_distinct(const std::uint32_t* samples, std::int64_t n_samples) const override {
        return distinct_->count(samples, n_samples);
    }

    std::int64_t bytes_per_sample() const override {
        return reads_pool() ? PlainNodeColumns::bytes_per_sample() : sums_->layout().sample_bytes;
    }

    ValueRange project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                       float* values) override {
        if (!is_over_windows(direction, grids_)) {
            return PlainNodeColumns::project(direction, samples, n_samples, values);
        }
        if (reads_pool()) return project_pooled(direction, samples, n_samples, values);
        WindowReader& reader = run_reader_ && n_samples >= n_large_ ? *run_reader_ : *reader_;
        reader.project(direction, samples, n_samples, values);
        return kernels().measure_range(values, n_samples);
    }

    // Means of one cell are, but there are few of them.
    bool is_integral(const Direction& direction) const override {
        return !is_over_windows(direction, grids_) && PlainNodeColumns::is_integral(direction);
    }

    static bool has_runs(const ChannelGrids& grids) { return grids.n_axes() == 1; }

private:
    static constexpr std::int64_t kSparsestRun = 32;  // a run is read where the node has one of so many samples

    bool reads_pool() const { return pool_ != nullptr && pool_->has_values(); }

    const Window& window_of(const Direction& direction, std::int64_t k) const {
        return direction.windows[direction.indices[k] - grids_.n_cells()];
    }

    ValueRange project_pooled(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                              float* values) const {
        const Window& first = window_of(direction, 0);
        if (direction.n_nonzeros == 1 && first.scale == 1.0F) {
            const Direction column{&first.pooled, direction.coefficients, 1};
            return kernels().project(pool_->values(), samples, n_samples, column, values);
        }
        add_terms(direction, samples, n_samples, values);
        return kernels().measure_range(values, n_samples);
    }

    // In the order and precision of WindowReader.
    void add_terms(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                   float* values) const {
        constexpr std::int64_t kBlock = 64;
        const FeatureMatrix& pool = pool_->values();
        for (std::int64_t start = 0; start < n_samples; start += kBlock) {
            const std::int64_t n = std::min(kBlock, n_samples - start);
            double total[kBlock];
            for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
                const Window& window = window_of(direction, k);
                const double coefficient =
                    static_cast<double>(direction.coefficients[k]) / static_cast<double>(window.scale);
                const float* column = pool.as<float>() + window.pooled * pool.column_stride;
                for (std::int64_t i = 0; i < n; ++i) {
                    const double term = coefficient * static_cast<double>(column[samples[start + i]]);
                    total[i] = k == 0 ? term : total[i] + term;
                }
            }
            for (std::int64_t i = 0; i < n; ++i) values[start + i] = static_cast<float>(total[i]);
        }
    }

    const ChannelGrids& grids_;
    std::int64_t n_large_;
    std::shared_ptr<const DistinctSamples> distinct_;
    std::shared_ptr<const WindowPool> pool_;
    std::shared_ptr<const WindowSums> sums_;
    std::optional<WindowReader> reader_;
    std::shared_ptr<const WindowSums> runs_;
    std::optional<WindowReader> run_reader_;
};

class WindowBlockColumns final : public PlainBlockColumns {
public:
    WindowBlockColumns(const FeatureMatrix& block, const ChannelGrids& grids, const SplitKernels& kernels)
        : PlainBlockColumns(block, kernels), sums_(block, grids, SumOrder::by_sample), reader_(sums_) {}

    void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                 float* values) override {
        if (!is_over_windows(direction, sums_.grids())) {
            PlainBlockColumns::project(direction, samples, n_samples, values);
            return;
        }
        reader_.project(direction, samples, n_samples, values);
        kernels().measure_range(values, n_samples);  // pads them
    }

    float project_sample(const Direction& direction, std::uint32_t sample) override {
        if (!is_over_windows(direction, sums_.grids())) return PlainBlockColumns::project_sample(direction, sample);
        return reader_.project_sample(direction, sample);
    }

private:
    WindowSums sums_;
    WindowReader reader_;
};

void append(const std::map<std::int64_t, double>& cells, ExpandedDirections& expanded) {
    for (const auto& [cell, coefficient] : cells) {
        expanded.indices.push_back(static_cast<std::int32_t>(cell));
        expanded.coefficients.push_back(static_cast<float>(coefficient));
    }
    expanded.indptr.push_back(static_cast<std::int64_t>(expanded.indices.size()));
}

}  // namespace

WindowSpace::WindowSpace(std::int64_t n_features, const WindowDescription& description) : grids_(description) {
    if (grids_.n_cells() != n_features) throw std::invalid_argument("the channels need a cell for each feature");
}

std::unique_ptr<NodeColumns> WindowSpace::read_training(const FeatureLayouts& layouts, const std::uint32_t*,
                                                        const SplitKernels& kernels) const {
    return std::make_unique<WindowNodeColumns>(layouts, grids_, kernels, nullptr);
}

std::unique_ptr<NodeColumns> WindowSpace::read_pool(const FeatureLayouts& layouts,
                                                    const std::shared_ptr<WindowPool>& pool,
                                                    const SplitKernels& kernels, const ThreadTeam* ahead) const {
    if (ahead != nullptr) pool->read(grids_, *ahead);
    return std::make_unique<WindowNodeColumns>(layouts, grids_, kernels, pool);
}

std::unique_ptr<BlockColumns> WindowSpace::read_block(const FeatureMatrix& block, const SplitKernels& kernels) const {
    return std::make_unique<WindowBlockColumns>(block, grids_, kernels);
}

std::int64_t WindowSpace::bytes_per_sample(FeatureType features) const {
    const std::vector<double> largest(grids_.n_channels(), features == FeatureType::uint8 ? 255.0 : kNotWhole);
    return bytes_of_sums(largest);
}

std::int64_t WindowSpace::growing_bytes_per_sample(const std::vector<double>& largest) const {
    if (largest.size() != grids_.n_channels()) throw std::invalid_argument("every channel has a largest cell");
    return bytes_of_sums(largest) * (WindowNodeColumns::has_runs(grids_) ? 2 : 1);
}

// With the centres.
std::int64_t WindowSpace::bytes_of_sums(const std::vector<double>& largest) const {
    const auto n_centred = std::count(largest.begin(), largest.end(), kNotWhole);
    return SumLayout(grids_, largest).sample_bytes + n_centred * static_cast<std::int64_t>(sizeof(float));
}

void WindowSpace::expand(const Direction& direction, ExpandedDirections& expanded) const {
    if (!is_over_windows(direction, grids_)) return ColumnSpace::expand(direction, expanded);
    const std::size_t last = grids_.n_axes() - 1;
    std::map<std::int64_t, double> cells;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const Window& window = direction.windows[direction.indices[k] - grids_.n_cells()];
        const Box& box = window.box;
        const auto n = static_cast<double>(grids_.cells_in(box));
        throw_if_stopped(grids_.cells_in(box));
        if (window.statistic == WindowStatistic::spread) {
            throw std::invalid_argument("the spread of a window is no sum of its cells");
        }
        if (window.shift != 0) throw std::invalid_argument("a window that is shifted is no sum of its cells");
        const double steps = box.end[last] - box.start[last];
        const double slope = steps > 1.0 ? 6.0 / (n * (steps * steps - 1.0)) : 0.0;
        const double middle = box.end[last] + box.start[last] - 1;
        const double coefficient = static_cast<double>(direction.coefficients[k]) / static_cast<double>(window.scale);
        grids_.visit_cells(static_cast<std::size_t>(window.channel), box, [&](std::int64_t cell, std::int64_t at) {
            const double share =
                window.statistic == WindowStatistic::mean ? 1.0 / n : (2.0 * static_cast<double>(at) - middle) * slope;
            cells[cell] += coefficient * share;
        });
    }
    append(cells, expanded);
}

void WindowSpace::share(const Direction& direction, ExpandedDirections& expanded) const {
    if (!is_over_windows(direction, grids_)) return ColumnSpace::share(direction, expanded);
    std::map<std::int64_t, double> cells;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const Window& window = direction.windows[direction.indices[k] - grids_.n_cells()];
        const std::vector<std::int64_t> read = grids_.list_cells(window);
        throw_if_stopped(static_cast<std::int64_t>(read.size()));
        const double part = std::abs(static_cast<double>(direction.coefficients[k])) / static_cast<double>(read.size());
        for (const std::int64_t cell : read) cells[cell] += part;
    }
    append(cells, expanded);
}

}  // namespace silvan
