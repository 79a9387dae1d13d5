// Scores one given threshold of a direction: a single pass over the samples, for thresholds that are drawn.
#pragma once

#include <cstddef>

#include "core/criteria/moment_score.hpp"
#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// Counts of the classes first .. first + 3 among the first n samples whose values are at most the threshold; n is a
// multiple of kFloats.
inline void count_four_classes(const float* values, std::int64_t n, const ClassTargets& targets, float threshold,
                               std::int32_t first, std::int32_t* counts) {
    Ints sum[4] = {};
    const Floats limit = Floats{} + threshold;
    for (std::int64_t i = 0; i < n; i += kFloats) {
        const Ints count = (load<Floats>(values + i) <= limit) & load<Ints>(targets.count + i);
        const Ints label = load<Ints>(targets.label + i) - first;
        for (std::int32_t k = 0; k < 4; ++k) sum[k] += (label == k) & count;
    }
    for (std::size_t k = 0; k < 4; ++k) counts[k] = sum_of_entries(sum[k]);
}

// The same for all classes and any number of samples, by fields of a word; only where all counts fit into them.
inline void count_in_word(const float* values, std::int64_t n, const ClassTargets& targets, float threshold,
                          std::int32_t bits, std::int32_t* counts) {
    std::uint64_t word = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto count = static_cast<std::uint64_t>(values[i] <= threshold ? targets.count[i] : 0);
        word += count << (bits * targets.label[i]);
    }
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        counts[k] = static_cast<std::int32_t>((word >> (bits * k)) & mask);
    }
}

// The same in tables that samples take turns in, so that few of them wait for the last one of the same class.
inline void count_in_tables(const float* values, std::int64_t n, const ClassTargets& targets, float threshold,
                            std::int32_t* counts) {
    std::int32_t others[3][kMaxThresholdClasses];
    for (std::int32_t k = 0; k < targets.n_classes; ++k) counts[k] = others[0][k] = others[1][k] = others[2][k] = 0;
    const auto amount = [&](std::int64_t i) { return values[i] <= threshold ? targets.count[i] : 0; };
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        counts[targets.label[i]] += amount(i);
        for (std::int64_t t = 1; t < 4; ++t) others[t - 1][targets.label[i + t]] += amount(i + t);
    }
    for (; i < n; ++i) counts[targets.label[i]] += amount(i);
    for (std::int32_t k = 0; k < targets.n_classes; ++k) counts[k] += others[0][k] + others[1][k] + others[2][k];
}

inline void count_classes(const float* values, std::int64_t n, const ClassTargets& targets, float threshold,
                          std::int32_t* counts) {
    const std::int32_t bits = targets.n_classes <= 2 ? 32 : targets.n_classes <= 4 ? 16 : 8;
    const bool in_word = targets.n_classes <= 8 && (bits == 32 || targets.total < (1 << bits));
    if (in_word && n < 4 * kFloats) return count_in_word(values, n, targets, threshold, bits, counts);
    if (targets.n_classes > 8) return count_in_tables(values, n, targets, threshold, counts);
    const std::int64_t whole = n - n % kFloats;
    for (std::int32_t first = 0; first < targets.n_classes; first += 4) {
        count_four_classes(values, whole, targets, threshold, first, counts + first);
    }
    for (std::int64_t i = whole; i < n; ++i) {
        counts[targets.label[i]] += values[i] <= threshold ? targets.count[i] : 0;
    }
}

inline bool leaves_have_samples(const float* values, std::int64_t n, float threshold, std::int64_t min_samples_leaf) {
    if (min_samples_leaf <= 1) return true;
    std::int64_t n_left = 0;
    for (std::int64_t i = 0; i < n; ++i) n_left += values[i] <= threshold ? 1 : 0;
    return n_left >= min_samples_leaf && n - n_left >= min_samples_leaf;
}

Split score_threshold(const float* values, std::int64_t n_samples, const ClassTargets& targets, float threshold,
                      std::int64_t min_samples_leaf) {
    if (!leaves_have_samples(values, n_samples, threshold, min_samples_leaf)) return {};
    std::int32_t counts[kMaxThresholdClasses];
    count_classes(values, n_samples, targets, threshold, counts);
    std::int64_t left = 0;
    std::int64_t squares_left = 0;
    std::int64_t squares_right = 0;
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        const std::int64_t on_left = counts[k];
        const std::int64_t on_right = targets.totals[k] - on_left;
        left += on_left;
        squares_left += on_left * on_left;
        squares_right += on_right * on_right;
    }
    return {moment_score(static_cast<double>(squares_left), static_cast<double>(left),
                         static_cast<double>(squares_right), static_cast<double>(targets.total - left)),
            threshold, true};
}

Split score_threshold_regression(const float* values, std::int64_t n_samples, const RegressionTargets& targets,
                                 float threshold, std::int64_t min_samples_leaf) {
    if (!leaves_have_samples(values, n_samples, threshold, min_samples_leaf)) return {};
    Doubles weights = Doubles{};
    Doubles sums = Doubles{};
    const Doubles limit = Doubles{} + static_cast<double>(threshold);
    std::int64_t i = 0;
    for (; i + kDoubles <= n_samples; i += kDoubles) {
        const Longs below = load_as_doubles(values + i) <= limit;
        weights += (Doubles)(below & load<Longs>(targets.weight + i));
        sums += (Doubles)(below & load<Longs>(targets.sum + i));
    }
    double weight = 0.0;
    double sum = 0.0;
    for (std::int64_t l = 0; l < kDoubles; ++l) {
        weight += weights[l];
        sum += sums[l];
    }
    for (; i < n_samples; ++i) {
        weight += values[i] <= threshold ? targets.weight[i] : 0.0;
        sum += values[i] <= threshold ? targets.sum[i] : 0.0;
    }
    const double right = targets.total_sum - sum;
    return {moment_score(sum * sum, weight, right * right, targets.total_weight - weight), threshold, true};
}

}  // namespace
}  // namespace silvan
