// Gini impurity, with samples that are counted or with weights that are not whole numbers.
#pragma once

#include "core/criteria/moments.hpp"
#include "core/criteria/node_classes.hpp"

namespace silvan {

class Gini : public NodeClasses {
public:
    using NodeClasses::NodeClasses;

    void load(const NodeContext& node) {
        load_classes(node);
        double squares = 0.0;
        for (const double total : totals()) squares += total * total;
        base_score_ = squares / total_weight();
    }
    double base_score() const { return base_score_; }
    double impurity() const { return is_pure() ? 0.0 : 1.0 - base_score_ / total_weight(); }
    double gain(const SideSums& left, const SideSums& right) const { return moment_gain(left, right); }

private:
    double base_score_ = 0.0;
};

class WeightedGini final : public Gini {
public:
    using Gini::Gini;

    struct Accumulator : MomentAccumulator<WeightedGini> {
        void add(std::int64_t sample) {
            const double weight = criterion.sample_weight(sample);
            left[static_cast<std::size_t>(criterion.label(sample))] += weight;
            weight_left += weight;
        }
    };
};

// Whole multiplicities and no further weights: sums of squares stay exact when updated, and there are kernels.
class CountedGini final : public Gini {
public:
    using Gini::Gini;
    using NodeClasses::counted;

    struct Accumulator {
        CountedGini& criterion;
        const ClassTargets targets = criterion.counted();
        std::vector<std::int64_t>& left = criterion.counts_left_;
        std::int64_t weight_left = 0, squares_left = 0, squares_right = 0;

        void clear() {
            left.assign(static_cast<std::size_t>(targets.n_classes), 0);
            weight_left = squares_left = squares_right = 0;
            for (std::int32_t k = 0; k < targets.n_classes; ++k) {
                squares_right += static_cast<std::int64_t>(targets.totals[k]) * targets.totals[k];
            }
        }
        void start_at(const HistogramScratch& scratch, const Binning& binning, std::int32_t bin) {
            left.resize(static_cast<std::size_t>(targets.n_classes));
            weight_left = squares_left = squares_right = 0;
            for (std::int32_t k = 0; k < targets.n_classes; ++k) {
                const std::int64_t on_left = scratch.counts[k * (binning.n_bins + 1) + bin];
                const std::int64_t on_right = targets.totals[k] - on_left;
                left[static_cast<std::size_t>(k)] = on_left;
                weight_left += on_left;
                squares_left += on_left * on_left;
                squares_right += on_right * on_right;
            }
        }
        void add(std::int64_t sample) {
            const std::int32_t k = targets.label[sample];
            const std::int64_t count = targets.count[sample];
            std::int64_t& on_left = left[static_cast<std::size_t>(k)];
            const std::int64_t on_right = targets.totals[k] - on_left;
            squares_left += count * (2 * on_left + count);
            squares_right -= count * (2 * on_right - count);
            on_left += count;
            weight_left += count;
        }
        double score() const {
            return moment_score(static_cast<double>(squares_left), static_cast<double>(weight_left),
                                static_cast<double>(squares_right), static_cast<double>(targets.total - weight_left));
        }
    };

    bool has_threshold_kernel() const { return n_classes() <= kMaxThresholdClasses; }
    Split score_threshold(const SplitKernels& kernels, const float* values, float threshold,
                          std::int64_t min_samples_leaf) const {
        return kernels.score_threshold(values, n_samples(), counted(), threshold, min_samples_leaf);
    }
    bool has_kernels() const { return true; }
    bool prefers_pairs() const {
        if (n_classes() == 2) return n_samples() <= 96 && total_weight() <= 65535.0;
        return n_classes() <= kMaxPairClasses && n_samples() <= 64 && total_weight() <= 255.0;
    }
    Split search_pairs(const SplitKernels& kernels, const float* values, std::int64_t min_samples_leaf) const {
        return kernels.search_pairs(values, n_samples(), counted(), min_samples_leaf);
    }
    std::int64_t n_bin_sums() const { return n_classes(); }
    std::int64_t n_bin_counts(const Binning& binning) const {
        return static_cast<std::int64_t>(n_classes()) * (binning.n_bins + 1);
    }
    void score_histogram(const SplitKernels& kernels, const float* values, const Binning& binning,
                         std::int64_t min_samples_leaf, const HistogramScratch& scratch) const {
        kernels.score_histogram(values, n_samples(), counted(), binning, min_samples_leaf, scratch);
    }
    // A sample counts at least once.
    double bin_samples_bound(const HistogramScratch& scratch, std::int32_t bin) const {
        return scratch.moments[bin + 1] - scratch.moments[bin];
    }

private:
    std::vector<std::int64_t> counts_left_;  // of an accumulator, one at a time
};

}  // namespace silvan
