// The columns that boosted trees split: single features and drawn directions, binned for all training samples.
//
// Features are binned once. Directions, and features whose values are learnt from targets (categories), are drawn and
// binned anew by `redraw`; their targets are the gradients of the round, so that fitted directions and codes follow
// what is left to explain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/boosting/binning.hpp"
#include "core/boosting/options.hpp"
#include "core/buffer.hpp"
#include "core/shared_loops.hpp"
#include "core/training_set.hpp"

namespace silvan {

struct PoolColumn {
    ColumnBins bins;
    std::vector<std::int32_t> indices;  // the direction as a tree keeps it
    std::vector<float> coefficients;
    std::int32_t feature = -1;   // or -1 where it is a direction
    std::int64_t first_bin = 0;  // where its bins begin in a histogram
};

class ColumnPool {
public:
    // All of them must outlive the pool. `distribution` may be nullptr where options ask for no directions.
    ColumnPool(const TrainingSet& training, const ProjectionDistribution* distribution, const BoostOptions& options);

    // Bins the features whose values need no targets.
    void bin_features(SharedLoops& loops);
    // Draws directions number `draw`, and learns from these gradients, a row for each sample.
    void redraw(std::int64_t draw, const double* gradients, std::int64_t n_outputs, SharedLoops& loops);

    std::int64_t n_samples() const { return n_samples_; }
    // Columns come in groups of kColumnGroup. A column without bins of its own fills up a group; it has one edge less
    // than is needed to split, and bins for its codes.
    std::int64_t n_columns() const { return static_cast<std::int64_t>(columns_.size()); }
    std::int64_t n_groups() const { return n_columns() / kColumnGroup; }
    std::int64_t n_bins() const { return n_bins_; }
    const PoolColumn& column(std::int64_t c) const { return columns_[static_cast<std::size_t>(c)]; }
    bool is_filler(std::int64_t c) const { return column(c).indices.empty(); }

    // Codes of a group, kColumnGroup bytes a sample.
    const std::uint8_t* codes(std::int64_t group) const {
        return group < n_fixed_groups_ ? fixed_codes_.data() + group * n_samples_ * kColumnGroup
                                       : drawn_codes_.data() + (group - n_fixed_groups_) * n_samples_ * kColumnGroup;
    }
    // The code of sample i in a column is at i * kColumnGroup.
    const std::uint8_t* codes_of(std::int64_t column) const {
        return codes(column / kColumnGroup) + column % kColumnGroup;
    }

private:
    struct Reader;

    NodeContext root(NodeColumns& columns, std::int64_t tree, std::uint64_t key) const;
    void add_group_columns(std::size_t first_column, const ProjectionBatch& batch,
                           const std::vector<std::int32_t>& features);
    void bin_columns(std::size_t first_column, const ProjectionBatch& batch, const NodeContext& at, Purpose purpose,
                     SharedLoops& loops);
    ColumnBins find_bins(const Direction& direction, std::uint64_t key, Reader& reader) const;
    void number_bins();

    const TrainingSet& training_;
    const ProjectionDistribution* distribution_;
    const BoostOptions& options_;
    std::int64_t n_samples_;
    Buffer<std::uint32_t> all_samples_;
    Buffer<std::int32_t> ones_;
    TrainingTargets targets_;
    std::vector<std::int32_t> learnt_features_;
    std::vector<PoolColumn> columns_;
    std::int64_t n_fixed_groups_ = 0;
    Buffer<std::uint8_t> fixed_codes_;
    Buffer<std::uint8_t> drawn_codes_;
    std::int64_t n_bins_ = 0;
};

}  // namespace silvan
