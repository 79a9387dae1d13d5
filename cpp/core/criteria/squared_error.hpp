// Squared error of any number of outputs; a single one has kernels.
//
// Classes of several outputs are read as indicators, whose squared error is the Gini impurity.
#pragma once

#include "core/criteria/moments.hpp"
#include "core/criteria/node_outputs.hpp"

namespace silvan {

class SquaredError final : public NodeOutputs {
public:
    using NodeOutputs::NodeOutputs;

    struct Accumulator : MomentAccumulator<SquaredError> {
        void start_at(const HistogramScratch& scratch, const Binning&, std::int32_t bin) {
            weight_left = scratch.moments[bin];
            left[0] = scratch.moments[kMaxBins + 1 + bin];
        }
    };

    void load(const NodeContext& node);

    double impurity() const { return impurity_; }
    double base_score() const { return base_score_; }
    // Of the first output.
    double mean_of(const SideSums& side) const { return side.sums[0] / side.weight; }
    double gain(const SideSums& left, const SideSums& right) const { return moment_gain(left, right); }

    bool has_threshold_kernel() const { return n_outputs() == 1; }
    Split score_threshold(const SplitKernels& kernels, const float* values, float threshold,
                          std::int64_t min_samples_leaf) const {
        return kernels.score_threshold_regression(values, n_samples(), single_output(), threshold, min_samples_leaf);
    }
    bool has_kernels() const { return n_outputs() == 1; }
    bool prefers_pairs() const { return n_samples() <= 48; }
    Split search_pairs(const SplitKernels& kernels, const float* values, std::int64_t min_samples_leaf) const {
        return kernels.search_pairs_regression(values, n_samples(), single_output(), min_samples_leaf);
    }
    std::int64_t n_bin_sums() const { return 2; }
    std::int64_t n_bin_counts(const Binning&) const { return 0; }
    void score_histogram(const SplitKernels& kernels, const float* values, const Binning& binning,
                         std::int64_t min_samples_leaf, const HistogramScratch& scratch) const {
        kernels.score_histogram_regression(values, n_samples(), single_output(), binning, min_samples_leaf, scratch);
    }
    double bin_samples_bound(const HistogramScratch& scratch, std::int32_t bin) const {
        return scratch.samples[bin + 1] - scratch.samples[bin];
    }

private:
    RegressionTargets single_output() const { return {weights(), sums(), total_weight(), totals()[0]}; }

    double base_score_ = 0.0;
    double impurity_ = 0.0;
};

}  // namespace silvan
