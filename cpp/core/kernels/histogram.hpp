// Scores the borders between bins of a large node, and bounds the scores inside them.
#pragma once

#include <cstddef>

#include "core/kernels/class_counts.hpp"
#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// Monotone in the value, so that bins keep the order of the samples.
inline void find_bins(const float* values, std::int64_t n_samples, const Binning& binning, std::uint16_t* bins) {
    const std::int32_t last = binning.n_bins - 1;
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const auto bin = static_cast<std::int32_t>((values[i] - binning.minimum) * binning.scale);
        bins[i] = static_cast<std::uint16_t>(bin < last ? bin : last);
    }
}

void count_samples(const std::uint16_t* bins, std::int64_t n_samples, std::int32_t n_bins, std::int32_t* samples) {
    for (std::int32_t b = 0; b <= n_bins; ++b) samples[b] = 0;
    for (std::int64_t i = 0; i < n_samples; ++i) ++samples[bins[i] + 1];
    for (std::int32_t b = 0; b < n_bins; ++b) samples[b + 1] += samples[b];
}

void require_leaf_samples_after_bins(const std::int32_t* samples, std::int32_t n_bins, std::int64_t min_samples_leaf,
                                     double* score) {
    for (std::int32_t b = 0; b < n_bins; ++b) {
        const bool enough = samples[b + 1] >= min_samples_leaf && samples[n_bins] - samples[b + 1] >= min_samples_leaf;
        score[b] = enough ? score[b] : kNoScore;
    }
}

// With D_k the excess of target k on the left over its share, a split's gain is N / (n m) sum_k D_k^2 with
// n + m = N the weights of its sides. Inside a bin |D_k| <= M_k, and always |D_k| <= min(n, m) mu_k, so
//     gain <= N min(sum M_k^2 / min(n m), sum M_k mu_k / max(n, m)),
// taken over the n that the bin allows. Arrays are indexed by bin; `before` is the weight left of each bin.
void bound_gains(const HistogramScratch& scratch, double total, double base, std::int32_t n_bins,
                 const double* sum_squared, const double* sum_weighted) {
    const double* before = scratch.moments;
    double* bound = scratch.bound;
    for (std::int32_t b = 0; b < n_bins; b += kDoubles) {
        const Doubles start = load<Doubles>(before + b);
        const Doubles end = load<Doubles>(before + b + 1);
        const Doubles product = smaller(start * (total - start), end * (total - end));
        const Doubles side = larger(start, total - end);
        const Doubles by_square = load<Doubles>(sum_squared + b) / product;
        const Doubles by_weight = load<Doubles>(sum_weighted + b) / side;
        const Doubles gain = total * smaller(by_square, by_weight);
        store(bound + b, end > start ? base + gain : Doubles{} + kNoScore);
    }
}

void bound_class_bins(const ClassTargets& targets, std::int32_t n_bins, double base, const HistogramScratch& scratch) {
    const double* before = scratch.moments;
    double* sum_squared = scratch.work;
    double* sum_weighted = sum_squared + (kMaxBins + 1);
    const std::int32_t width = n_bins + 1;
    const double total = targets.total;
    for (std::int32_t b = 0; b < n_bins; ++b) sum_squared[b] = sum_weighted[b] = 0.0;
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        const std::int32_t* cumulative = scratch.counts + k * width;
        const double share = targets.totals[k] / total;
        const double mu = larger(share, 1.0 - share);
        for (std::int32_t b = 0; b < n_bins; ++b) {
            const double excess = cumulative[b] - before[b] * share;
            const double inside = cumulative[b + 1] - cumulative[b];
            const double others = before[b + 1] - before[b] - inside;
            const double low = excess - others * share;
            const double high = excess + inside * (1.0 - share);
            const double magnitude = larger(-low, high);
            sum_squared[b] += magnitude * magnitude;
            sum_weighted[b] += magnitude * mu;
        }
    }
    bound_gains(scratch, total, base, n_bins, sum_squared, sum_weighted);
}

// Fills `moments` and `score`; returns the sum of the squared totals.
double score_borders(const ClassTargets& targets, std::int32_t n_bins, const HistogramScratch& scratch) {
    const std::int32_t width = n_bins + 1;
    const double total = targets.total;
    for (std::int32_t b = 0; b < n_bins; b += kDoubles) {
        Doubles before = Doubles{};
        Doubles left = Doubles{};
        Doubles squares_left = Doubles{};
        Doubles squares_right = Doubles{};
        const std::int32_t* cumulative = scratch.counts + b;
        for (std::int32_t k = 0; k < targets.n_classes; ++k, cumulative += width) {
            const Doubles on_left = load_as_doubles(cumulative + 1);
            const Doubles on_right = static_cast<double>(targets.totals[k]) - on_left;
            before += load_as_doubles(cumulative);
            left += on_left;
            squares_left += on_left * on_left;
            squares_right += on_right * on_right;
        }
        const Doubles s = moment_scores(squares_left, left, squares_right, total - left);
        store(scratch.moments + b, before);
        store(scratch.score + b, (left > before) & (left < total) ? s : Doubles{} + kNoScore);
    }
    scratch.moments[n_bins] = total;
    double squares = 0.0;
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        const double class_total = targets.totals[k];
        squares += class_total * class_total;
    }
    return squares;
}

void score_histogram(const float* values, std::int64_t n_samples, const ClassTargets& targets, const Binning& binning,
                     std::int64_t min_samples_leaf, const HistogramScratch& scratch) {
    const std::int32_t n_bins = binning.n_bins;
    find_bins(values, n_samples, binning, scratch.bins);
    sum_class_counts(scratch.bins, n_samples, targets, n_bins, scratch.counts);

    const double squares = score_borders(targets, n_bins, scratch);
    if (min_samples_leaf > 1) {
        count_samples(scratch.bins, n_samples, n_bins, scratch.samples);
        require_leaf_samples_after_bins(scratch.samples, n_bins, min_samples_leaf, scratch.score);
    }
    if (!binning.exact) bound_class_bins(targets, n_bins, squares / targets.total, scratch);
}

void score_histogram_regression(const float* values, std::int64_t n_samples, const RegressionTargets& targets,
                                const Binning& binning, std::int64_t min_samples_leaf,
                                const HistogramScratch& scratch) {
    const std::int32_t n_bins = binning.n_bins;
    const std::int32_t width = n_bins + 1;
    find_bins(values, n_samples, binning, scratch.bins);
    count_samples(scratch.bins, n_samples, n_bins, scratch.samples);
    double* weight = scratch.moments;
    double* sum = weight + (kMaxBins + 1);
    double* spread = scratch.work;  // sum of |sum - mean weight| in each bin
    for (std::int32_t b = 0; b < width; ++b) weight[b] = sum[b] = spread[b] = 0.0;
    const double mean = targets.total_sum / targets.total_weight;
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const std::int32_t b = scratch.bins[i] + 1;
        const double centred = targets.sum[i] - mean * targets.weight[i];
        weight[b] += targets.weight[i];
        sum[b] += targets.sum[i];
        spread[b] += centred < 0.0 ? -centred : centred;
    }
    for (std::int32_t b = 0; b < n_bins; ++b) {
        weight[b + 1] += weight[b];
        sum[b + 1] += sum[b];
    }
    for (std::int32_t b = 0; b < n_bins; b += kDoubles) {
        const Doubles left = load<Doubles>(sum + b + 1);
        const Doubles weight_left = load<Doubles>(weight + b + 1);
        const Doubles right = targets.total_sum - left;
        const Doubles weight_right = targets.total_weight - weight_left;
        const Doubles s = moment_scores(left * left, weight_left, right * right, weight_right);
        const Longs valid = (weight_left > load<Doubles>(weight + b)) & (weight_right > 0.0);
        store(scratch.score + b, valid ? s : Doubles{} + kNoScore);
    }
    if (min_samples_leaf > 1) {
        require_leaf_samples_after_bins(scratch.samples, n_bins, min_samples_leaf, scratch.score);
    }
    if (binning.exact) return;
    // No bound by min(n, m) mu here (targets are unbounded): an infinite second term leaves the first.
    double* sum_squared = spread + (kMaxBins + 1);
    double* sum_weighted = sum_squared + (kMaxBins + 1);
    for (std::int32_t b = 0; b < n_bins; ++b) {
        const double start = sum[b] - mean * weight[b];
        const double change = sum[b + 1] - mean * weight[b + 1] - start;
        const double high = start + 0.5 * (spread[b + 1] + change);
        const double low = start - 0.5 * (spread[b + 1] - change);
        const double magnitude = larger(-low, high);
        sum_squared[b] = magnitude * magnitude;
        sum_weighted[b] = kInfinity;
    }
    const double base = targets.total_sum * targets.total_sum / targets.total_weight;
    bound_gains(scratch, targets.total_weight, base, n_bins, sum_squared, sum_weighted);
}

float largest_in_bins(const float* values, const std::uint16_t* bins, std::int64_t n_samples, std::int32_t last_bin) {
    Floats maximum = Floats{} - kInfinity;
    const Ints last = Ints{} + last_bin;
    std::int64_t i = 0;
    for (; i + kFloats <= n_samples; i += kFloats) {
        const Floats v = load<Floats>(values + i);
        const Ints bin = __builtin_convertvector(load<Shorts>(bins + i), Ints);
        maximum = ((bin <= last) & (v > maximum)) ? v : maximum;
    }
    float largest = largest_entry(maximum);
    for (; i < n_samples; ++i) largest = bins[i] <= last_bin && values[i] > largest ? values[i] : largest;
    return largest;
}

float smallest_above(const float* values, std::int64_t n_samples, float lower) {
    Floats minimum = Floats{} + kInfinity;
    const Floats limit = Floats{} + lower;
    std::int64_t i = 0;
    for (; i + kFloats <= n_samples; i += kFloats) {
        const Floats v = load<Floats>(values + i);
        minimum = ((v > limit) & (v < minimum)) ? v : minimum;
    }
    float smallest = smallest_entry(minimum);
    for (; i < n_samples; ++i) smallest = values[i] > lower && values[i] < smallest ? values[i] : smallest;
    return smallest;
}

}  // namespace
}  // namespace silvan
