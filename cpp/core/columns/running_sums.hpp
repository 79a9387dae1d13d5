// Running sums of a grid of features, as columns.
//
// uint8 features have int32 sums (float64 where a whole sample might overflow those), which are exact. float32
// features have float64 sums, whose cancellation stays far below the rounding of a float32. A direction is over
// features or over running sums, never both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/buffer.hpp"
#include "core/columns/column_space.hpp"
#include "core/columns/grid.hpp"

namespace silvan {

// The running sums of some samples. Missing cells count as zero in the sums; values of directions that touch
// one are missing.
class RunningSums {
public:
    RunningSums(const FeatureMatrix& features, const Grid& grid);

    bool has(const Direction& direction) const { return direction.indices[0] >= view_.first_column; }

    // The values of a direction over running sums.
    ValueRange project(const SplitKernels& kernels, const Direction& direction, const std::uint32_t* samples,
                       std::int64_t n_samples, float* values) const;
    float project_sample(const Direction& direction, std::uint32_t sample) const;

private:
    // Sets values[i] to NaN where the direction touches a missing cell of samples[i].
    void mark_missing(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                      float* values) const;
    template <typename T, typename Sum>
    void fill(const FeatureMatrix& features, Sum* sums);

    const Grid& grid_;
    Buffer<double> memory_;
    FeatureMatrix view_;
    struct MissingCell {
        std::uint32_t sample;
        std::int32_t cell;
    };
    std::vector<MissingCell> missing_;  // by sample
};

class RunningSumSpace final : public ColumnSpace {
public:
    RunningSumSpace(std::int64_t n_features, Grid grid);

    std::int64_t n_features() const override { return grid_.n_cells(); }
    std::int64_t n_columns() const override { return grid_.n_cells() + grid_.n_sums(); }
    ColumnDescription describe() const override { return {grid_.shape(), grid_.contiguous(), {}, {}}; }
    std::unique_ptr<NodeColumns> read_training(const FeatureLayouts& layouts, const std::uint32_t* order,
                                               const SplitKernels& kernels) const override;
    std::unique_ptr<BlockColumns> read_block(const FeatureMatrix& block, const SplitKernels& kernels) const override;
    std::int64_t bytes_per_sample(FeatureType) const override { return grid_.n_sums() * 8; }
    void expand(const Direction& direction, ExpandedDirections& expanded) const override;

private:
    Grid grid_;
};

}  // namespace silvan
