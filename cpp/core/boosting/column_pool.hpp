// The columns that boosted trees split: single features and drawn directions, binned for all training samples.
//
// Features are binned once. Directions, and features whose values are learnt from targets (categories), are drawn and
// binned anew by `redraw`; their targets are the gradients of the round, so that fitted directions and codes follow
// what is left to explain.
//
// Codes are stored in groups of kColumnGroup bytes a sample. Features that hardly ever differ from their most frequent
// bin, and never two of them in the same sample (indicators, say), share a byte: see bundles.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/boosting/batch_reader.hpp"
#include "core/boosting/binning.hpp"
#include "core/boosting/bundles.hpp"
#include "core/boosting/options.hpp"
#include "core/buffer.hpp"
#include "core/shared_loops.hpp"
#include "core/training_set.hpp"

namespace silvan {

struct PoolColumn {
    ColumnBins bins;
    std::vector<std::int32_t> indices;  // the direction as a tree keeps it
    std::vector<float> coefficients;
    std::vector<Window> windows;  // those that it is over, in the order of its terms
    std::int32_t feature = -1;    // or -1 where it is a direction
    std::int64_t first_bin = 0;   // where its bins begin in a histogram
    std::int64_t byte = 0;        // the byte that its codes are in, counted through all groups
    BundlePlace place;            // which codes of that byte are its own

    void keep(const Direction& direction, std::int64_t n_features);
    Direction direction() const {
        return {indices.data(), coefficients.data(), static_cast<std::int64_t>(indices.size()),
                windows.empty() ? nullptr : windows.data()};
    }
};

// A byte of the codes.
struct PoolByte {
    std::vector<std::int32_t> columns;  // one, or several that share it; none where it fills up a group
    std::int64_t n_codes = 1;
    std::int64_t first_bin = 0;
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
    std::int64_t n_features() const { return training_.columns->n_features(); }
    std::int64_t n_columns() const { return static_cast<std::int64_t>(columns_.size()); }
    const PoolColumn& column(std::int64_t c) const { return columns_[static_cast<std::size_t>(c)]; }

    // Bins of a histogram: group by group those of the bytes, and then those of columns that share one.
    std::int64_t n_bins() const { return group_bins_.back(); }
    std::int64_t n_groups() const { return static_cast<std::int64_t>(bytes_.size()) / kColumnGroup; }
    std::int64_t first_bin(std::int64_t group) const { return group_bins_[static_cast<std::size_t>(group)]; }
    const PoolByte& byte(std::int64_t b) const { return bytes_[static_cast<std::size_t>(b)]; }
    const std::vector<std::int32_t>& columns_of(std::int64_t group) const {
        return group_columns_[static_cast<std::size_t>(group)];
    }

    // Codes of a group, kColumnGroup bytes a sample.
    const std::uint8_t* codes(std::int64_t group) const {
        return group < n_fixed_groups_ ? fixed_codes_.data() + group * n_samples_ * kColumnGroup
                                       : drawn_codes_.data() + (group - n_fixed_groups_) * n_samples_ * kColumnGroup;
    }
    // Of sample i the byte of a column is at i * kColumnGroup.
    const std::uint8_t* codes_of(std::int64_t column_number) const {
        const std::int64_t b = column(column_number).byte;
        return codes(b / kColumnGroup) + b % kColumnGroup;
    }

private:
    struct Drawn;

    NodeContext root(NodeColumns& columns, std::int64_t tree, std::uint64_t key) const;
    void add_columns(const Drawn& drawn, const std::vector<std::int32_t>& features);
    std::vector<std::uint32_t> draw_samples(std::int64_t n, std::uint64_t key) const;
    void find_bins(Drawn& drawn, BatchReader& reader, SharedLoops& loops);
    double measure_default(PoolColumn& column, const float* values, std::int64_t n, BatchReader::Reader& reader) const;
    void assign_bytes(const Drawn& drawn, const std::vector<std::vector<std::int32_t>>& bundles);
    void encode(const Drawn& drawn, BatchReader& reader, Buffer<std::uint8_t>& codes) const;
    void encode_values(const PoolColumn& column, const float* values, std::int64_t n, BatchReader::Reader& reader,
                       std::uint8_t* codes) const;
    std::vector<std::vector<std::int32_t>> find_bundles(const Drawn& drawn, BatchReader& reader, SharedLoops& loops);
    void number_bins();

    const TrainingSet& training_;
    const ProjectionDistribution* distribution_;
    const BoostOptions& options_;
    std::int64_t n_samples_;
    Buffer<std::uint32_t> all_samples_;
    Buffer<std::int32_t> ones_;
    TrainingTargets targets_;
    std::vector<std::int32_t> learnt_features_;
    std::size_t n_fixed_columns_ = 0;
    std::int64_t n_fixed_groups_ = 0;
    std::vector<PoolColumn> columns_;
    std::vector<PoolByte> bytes_;
    std::vector<std::vector<std::int32_t>> group_columns_;
    std::vector<std::int64_t> group_bins_{0};
    Buffer<std::uint8_t> fixed_codes_;
    Buffer<std::uint8_t> drawn_codes_;
};

}  // namespace silvan
