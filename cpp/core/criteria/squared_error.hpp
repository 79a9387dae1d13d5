// Squared error of any number of outputs; a single one has kernels.
#pragma once

#include "core/criteria/moments.hpp"

namespace silvan {

class SquaredError final {
public:
    explicit SquaredError(const TrainingTargets& training) : training_(training) {}

    struct Accumulator : MomentAccumulator<SquaredError> {
        void start_at(const HistogramScratch& scratch, const Binning&, std::int32_t bin) {
            weight_left = scratch.moments[bin];
            left[0] = scratch.moments[kMaxBins + 1 + bin];
        }
        void add(std::int64_t sample) {
            const double* sums = criterion.sample_sums(sample);
            for (std::size_t k = 0; k < left.size(); ++k) left[k] += sums[k];
            weight_left += criterion.sample_weight(sample);
        }
    };

    void reserve_samples(std::int64_t max_samples);
    void load(const NodeContext& node);

    std::int64_t n_samples() const { return n_samples_; }
    bool is_pure() const { return pure_; }
    double total_weight() const { return total_weight_; }
    double impurity() const { return impurity_; }  // mean over the outputs
    double base_score() const { return base_score_; }
    double n_averaged() const { return static_cast<double>(training_.n_outputs); }
    double sample_weight(std::int64_t i) const { return weight_[static_cast<std::size_t>(i)]; }
    double weight_up_to(const float* values, float threshold) const {
        return sum_weights_up_to(weight_.data(), values, n_samples_, threshold);
    }
    const double* sample_sums(std::int64_t i) const { return sum_.data() + i * training_.n_outputs; }
    const std::vector<double>& totals() const { return totals_; }

    // The mean of each output.
    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const;

    void clear_side(SideSums& side) const {
        side.weight = 0.0;
        side.sums.assign(totals_.size(), 0.0);
    }
    void add_to_side(std::int64_t i, SideSums& side) const {
        side.weight += sample_weight(i);
        for (std::size_t k = 0; k < totals_.size(); ++k) side.sums[k] += sample_sums(i)[k];
    }
    // Of the first output.
    double mean_of(const SideSums& side) const { return side.sums[0] / side.weight; }
    double gain(const SideSums& left, const SideSums& right) const { return moment_gain(left, right); }

    bool has_threshold_kernel() const { return training_.n_outputs == 1; }
    Split score_threshold(const SplitKernels& kernels, const float* values, float threshold,
                          std::int64_t min_samples_leaf) const {
        return kernels.score_threshold_regression(values, n_samples_, single_output(), threshold, min_samples_leaf);
    }
    bool has_kernels() const { return training_.n_outputs == 1; }
    bool prefers_pairs() const { return n_samples_ <= 48; }
    Split search_pairs(const SplitKernels& kernels, const float* values, std::int64_t min_samples_leaf) const {
        return kernels.search_pairs_regression(values, n_samples_, single_output(), min_samples_leaf);
    }
    std::int64_t n_bin_sums() const { return 2; }
    std::int64_t n_bin_counts(const Binning&) const { return 0; }
    void score_histogram(const SplitKernels& kernels, const float* values, const Binning& binning,
                         std::int64_t min_samples_leaf, const HistogramScratch& scratch) const {
        kernels.score_histogram_regression(values, n_samples_, single_output(), binning, min_samples_leaf, scratch);
    }
    double bin_samples_bound(const HistogramScratch& scratch, std::int32_t bin) const {
        return scratch.samples[bin + 1] - scratch.samples[bin];
    }

private:
    RegressionTargets single_output() const { return {weight_.data(), sum_.data(), total_weight_, totals_[0]}; }

    TrainingTargets training_;
    std::int64_t n_samples_ = 0;
    bool pure_ = false;
    double total_weight_ = 0.0;
    double base_score_ = 0.0;
    double impurity_ = 0.0;
    Buffer<double> weight_;
    Buffer<double> sum_;  // weight times target, n_samples x n_outputs
    std::vector<double> totals_;
};

}  // namespace silvan
