// Fills and reads running sums.
#include "core/columns/running_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/columns/plain_features.hpp"
#include "core/columns/sample_terms.hpp"
#include "core/stopping.hpp"

namespace silvan {

RunningSums::RunningSums(const FeatureMatrix& features, const Grid& grid) : grid_(grid) {
    const bool bytes = features.type == FeatureType::uint8;
    const bool integers = bytes && 255 * grid.n_cells() <= std::numeric_limits<std::int32_t>::max();
    const auto entries = static_cast<std::size_t>(features.n_samples * grid.n_sums());
    memory_.allocate(integers ? (entries + 1) / 2 : entries);
    view_ = {memory_.data(),     integers ? FeatureType::sums_int32 : FeatureType::sums_float64,
             features.n_samples, grid.n_sums(),
             grid.n_sums(),      1,
             grid.n_cells()};
    if (integers) {
        fill<std::uint8_t>(features, static_cast<std::int32_t*>(static_cast<void*>(memory_.data())));
    } else if (bytes) {
        fill<std::uint8_t>(features, memory_.data());
    } else {
        fill<float>(features, memory_.data());
    }
}

template <typename T, typename Sum>
void RunningSums::fill(const FeatureMatrix& features, Sum* sums) {
    // A sample's sums are filled by its cells, and then added up along each axis.
    const std::vector<std::int64_t> place = grid_.places();
    for (std::int64_t sample = 0; sample < features.n_samples; ++sample) {
        throw_if_stopped(grid_.n_sums());
        const T* from = features.as<T>() + sample * features.row_stride;
        Sum* to = sums + sample * grid_.n_sums();
        std::fill(to, to + grid_.n_sums(), Sum{0});
        for (std::int64_t cell = 0; cell < grid_.n_cells(); ++cell) {
            const T value = from[cell * features.column_stride];
            if (value == value) {
                to[place[static_cast<std::size_t>(cell)]] = static_cast<Sum>(value);
            } else {
                missing_.push_back({static_cast<std::uint32_t>(sample), static_cast<std::int32_t>(cell)});
            }
        }
        for (std::size_t a = 0; a < grid_.n_axes(); ++a) {
            if (grid_.contiguous()[a] == 0) continue;
            const std::int64_t step = grid_.sum_stride(a);
            const std::int64_t block = step * (grid_.shape()[a] + 1);
            for (std::int64_t start = 0; start < grid_.n_sums(); start += block) {
                for (std::int64_t i = start + step; i < start + block; ++i) to[i] += to[i - step];
            }
        }
    }
}

ValueRange RunningSums::project(const SplitKernels& kernels, const Direction& direction, const std::uint32_t* samples,
                                std::int64_t n_samples, float* values) const {
    const ValueRange range = kernels.project(view_, samples, n_samples, direction, values);
    if (missing_.empty()) return range;
    mark_missing(direction, samples, n_samples, values);
    return kernels.measure_range(values, n_samples);
}

float RunningSums::project_sample(const Direction& direction, std::uint32_t sample) const {
    auto value = static_cast<float>(view_.type == FeatureType::sums_int32
                                        ? add_terms_of_sample<std::int32_t, double>(view_, direction, sample)
                                        : add_terms_of_sample<double, double>(view_, direction, sample));
    if (!missing_.empty()) mark_missing(direction, &sample, 1, &value);
    return value;
}

void RunningSums::mark_missing(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                               float* values) const {
    for (std::int64_t i = 0; i < n_samples; ++i) {
        auto at = std::lower_bound(missing_.begin(), missing_.end(), samples[i],
                                   [](const MissingCell& m, std::uint32_t sample) { return m.sample < sample; });
        for (; at != missing_.end() && at->sample == samples[i]; ++at) {
            float coefficient = 0.0F;
            for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
                const bool covers = grid_.covers(direction.indices[k] - grid_.n_cells(), at->cell);
                coefficient += covers ? direction.coefficients[k] : 0.0F;
            }
            if (coefficient != 0.0F) {
                values[i] = std::numeric_limits<float>::quiet_NaN();
                break;
            }
        }
    }
}

namespace {

class RunningSumNodeColumns final : public PlainNodeColumns {
public:
    RunningSumNodeColumns(const FeatureLayouts& layouts, const Grid& grid, const SplitKernels& kernels)
        : PlainNodeColumns(layouts, kernels),
          n_columns_(grid.n_cells() + grid.n_sums()),
          sums_(std::make_shared<const RunningSums>(layouts.rows_or_columns(), grid)) {}

    std::unique_ptr<NodeColumns> for_thread() const override { return std::make_unique<RunningSumNodeColumns>(*this); }
    std::int64_t n_columns() const override { return n_columns_; }
    std::int64_t bytes_per_sample() const override { return n_columns_ * bytes_of(FeatureType::sums_float64); }

    ValueRange project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                       float* values) override {
        return sums_->has(direction) ? sums_->project(kernels(), direction, samples, n_samples, values)
                                     : PlainNodeColumns::project(direction, samples, n_samples, values);
    }

    bool is_integral(const Direction& direction) const override {
        if (!sums_->has(direction)) return PlainNodeColumns::is_integral(direction);
        if (feature_type() != FeatureType::uint8) return false;
        return std::all_of(direction.coefficients, direction.coefficients + direction.n_nonzeros,
                           [](float coefficient) { return coefficient == std::trunc(coefficient); });
    }

private:
    std::int64_t n_columns_;
    std::shared_ptr<const RunningSums> sums_;
};

class RunningSumBlockColumns final : public PlainBlockColumns {
public:
    RunningSumBlockColumns(const FeatureMatrix& block, const Grid& grid, const SplitKernels& kernels)
        : PlainBlockColumns(block, kernels), sums_(block, grid) {}

    void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                 float* values) override {
        if (sums_.has(direction)) {
            sums_.project(kernels(), direction, samples, n_samples, values);
        } else {
            PlainBlockColumns::project(direction, samples, n_samples, values);
        }
    }

    float project_sample(const Direction& direction, std::uint32_t sample) override {
        return sums_.has(direction) ? sums_.project_sample(direction, sample)
                                    : PlainBlockColumns::project_sample(direction, sample);
    }

private:
    RunningSums sums_;
};

}  // namespace

RunningSumSpace::RunningSumSpace(std::int64_t n_features, Grid grid) : grid_(std::move(grid)) {
    if (grid_.n_cells() != n_features) throw std::invalid_argument("the grid needs a cell for each feature");
}

void RunningSumSpace::expand(const Direction& direction, ExpandedDirections& expanded) const {
    throw_if_stopped(grid_.n_sums());
    expand_direction(grid_, direction, expanded);
}

std::unique_ptr<NodeColumns> RunningSumSpace::read_training(const FeatureLayouts& layouts, const std::uint32_t*,
                                                            const SplitKernels& kernels) const {
    return std::make_unique<RunningSumNodeColumns>(layouts, grid_, kernels);
}

std::unique_ptr<BlockColumns> RunningSumSpace::read_block(const FeatureMatrix& block,
                                                          const SplitKernels& kernels) const {
    return std::make_unique<RunningSumBlockColumns>(block, grid_, kernels);
}

}  // namespace silvan
