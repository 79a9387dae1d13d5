// Windows on channels, as columns. A direction is over features or over windows, never both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/channel_grids.hpp"
#include "core/columns/column_space.hpp"

namespace silvan {

class WindowSpace final : public ColumnSpace {
public:
    // Throws std::invalid_argument unless the channels have so many cells.
    WindowSpace(std::int64_t n_features, const WindowDescription& description);

    std::int64_t n_features() const override { return grids_.n_cells(); }
    ColumnDescription describe() const override { return {{}, {}, {}, grids_.description()}; }
    std::unique_ptr<NodeColumns> read_training(const FeatureLayouts& layouts, const std::uint32_t* order,
                                               const SplitKernels& kernels) const override;
    std::unique_ptr<NodeColumns> read_pool(const FeatureLayouts& layouts, const std::shared_ptr<WindowPool>& pool,
                                           const SplitKernels& kernels, const ThreadTeam* ahead) const override;
    std::unique_ptr<BlockColumns> read_block(const FeatureMatrix& block, const SplitKernels& kernels) const override;
    std::int64_t bytes_per_sample(FeatureType features) const override;

    // The memory that a reader for growing takes for each sample besides the features, where `largest` has the largest
    // cell of each channel: infinity where cells are not all whole numbers from 0 on.
    std::int64_t growing_bytes_per_sample(const std::vector<double>& largest) const;

    // Means and slopes of boxes that stay where they are; throws std::invalid_argument for others, which are no sums
    // of cells.
    void expand(const Direction& direction, ExpandedDirections& expanded) const override;
    // The share that each cell has in a direction: a window's is divided evenly among the cells of its box.
    void share(const Direction& direction, ExpandedDirections& expanded) const override;

private:
    std::int64_t bytes_of_sums(const std::vector<double>& largest) const;

    ChannelGrids grids_;
};

}  // namespace silvan
