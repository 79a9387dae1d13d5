// Exact search for the best threshold along each candidate direction of a node (Tomita 2018, algorithm 2).
//
// Three engines find the same split; which one runs is only a matter of speed:
//   pairs      small nodes: all pairs of rows compared, without sorting;
//   histogram  large nodes: bins are scored at their borders, and only bins whose upper bound beats
//              the best score so far are searched inside;
//   sorted     everything else (missing values, entropy, many classes, several outputs).
// The Gaussian criterion of unsupervised forests has an engine of its own (see gaussian_space.hpp).
// Thresholds are midpoints of adjacent distinct values. Of equal scores the first direction drawn wins,
// within a direction the lowest threshold, and missing values prefer the right side.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/gaussian_space.hpp"
#include "core/node_targets.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/split_kernels.hpp"
#include "core/columns/column_space.hpp"

namespace silvan {

struct Split {
    bool found = false;
    std::int64_t direction = -1;
    double score = 0.0;
    float threshold = 0.0F;
    bool missing_left = false;
    bool has_missing = false;  // some row's value along the winner is missing
    bool varies = false;       // some direction tells some rows apart, whether or not they may be split there
};

// Direction number j of a batch.
inline Direction direction_of(const ProjectionBatch& batch, std::int64_t j) {
    const std::int64_t start = batch.indptr[static_cast<std::size_t>(j)];
    return {batch.indices.data() + start, batch.weights.data() + start,
            batch.indptr[static_cast<std::size_t>(j) + 1] - start};
}

class SplitSearch {
public:
    SplitSearch(const SplitKernels& kernels, std::int64_t max_rows,
                std::int64_t min_samples_leaf, const std::atomic<bool>& stop);

    // Makes room for nodes of so many rows.
    void reserve_rows(std::int64_t max_rows);

    // Best split of the node over the directions of `batch`, or over the first of them if `stop` becomes true:
    // a large node takes seconds.
    Split find(const std::uint32_t* rows, const NodeTargets& targets, const ProjectionBatch& batch,
               NodeColumns& columns);

    // Where the Gaussian criterion measures the rows of a node; filled before find, and needed by no other.
    void use_space(GaussianSpace& space) { space_ = &space; }

    // After a successful find: the winner's projected value of each row, in the order of `rows`.
    const float* winning_values() const { return best_values_; }

    // Memory for as many numbers as a node has rows, for anyone between two calls of find.
    void* spare() { return values_; }

    // Memory for n numbers, for anyone before a tree's first call of find.
    void* room_for(std::int64_t n);

private:
    struct Found {
        bool found = false;
        double score = 0.0;
        float lower = 0.0F;
        bool missing_left = false;
        bool only_missing_right = false;
    };

    Found search_direction(const NodeTargets& targets, const ValueRange& range, bool integral, double to_beat);
    // What a direction with learnt values is compared by: the geometric mean of its gain and of that which the rows
    // confirm that it was not learnt from. At most the score itself.
    double rank_of(const Found& found, const std::uint32_t* rows, const NodeTargets& targets,
                   const NodeColumns& columns);
    double confirmed_gain(const Found& found, const std::uint32_t* rows, const NodeTargets& targets,
                          const NodeColumns& columns);
    bool prefers_pairs(const NodeTargets& targets) const;
    bool choose_binning(const NodeTargets& targets, const ValueRange& range, bool integral, Binning& binning);
    Found search_histogram(const NodeTargets& targets, const Binning& binning, double to_beat);
    Found search_sorted(const NodeTargets& targets);
    template <typename Accumulator>
    void scan_sorted(const NodeTargets& targets, Accumulator& accumulator, Found& best);
    template <typename Accumulator>
    void refine_bins(const Binning& binning, Accumulator& accumulator, std::int64_t n_flagged, Found& best,
                     std::int32_t best_bin);
    std::int64_t collect_flagged(const NodeTargets& targets, const Binning& binning, double to_beat,
                                 double border);
    Found search_gaussian(std::int64_t n);
    void sort_keys(std::size_t first, std::size_t n);
    void reserve_bins(std::int64_t n_counts);
    HistogramScratch scratch();

    const SplitKernels& kernels_;
    std::int64_t min_samples_leaf_;
    const std::atomic<bool>& stop_;
    Buffer<float> room_;  // for the values of two directions
    float* values_ = nullptr;
    float* best_values_ = nullptr;
    Buffer<std::uint16_t> bins_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> sorted_keys_;
    std::vector<std::int32_t> counts_;
    Buffer<std::int32_t> bin_rows_;
    Buffer<double> moments_;
    Buffer<double> bin_score_;
    Buffer<double> bin_bound_;
    Buffer<double> bin_work_;
    std::vector<std::uint8_t> flagged_;
    std::vector<std::uint32_t> flagged_rows_;
    std::vector<std::uint32_t> missing_rows_;
    GaussianSpace* space_ = nullptr;
    GaussianSums left_, right_;
    std::vector<std::int64_t> borders_;  // numbers of rows on the left, one for each threshold
    std::vector<std::int64_t> chosen_;
    std::vector<double> left_sums_, right_sums_;
};

}  // namespace silvan
