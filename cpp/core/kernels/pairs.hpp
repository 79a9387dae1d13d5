// Exact split search in small nodes: every row is compared with every other, and nothing is sorted.
#pragma once

#include <cstddef>

#include "core/criteria/moment_score.hpp"
#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// sums[i] = sum of packed[j] over the rows j with values[j] <= values[i]; kBlocks vectors of i at a time.
template <std::size_t kBlocks>
inline void sum_below_blocks(const float* values, std::int64_t n_rows, const std::int32_t* packed,
                             std::int64_t start, std::int32_t* sums) {
    Floats v[kBlocks];
    Ints sum[kBlocks];
    for (std::size_t b = 0; b < kBlocks; ++b) {
        v[b] = load<Floats>(values + start + static_cast<std::int64_t>(b) * kLane);
        sum[b] = Ints{};
    }
    for (std::int64_t j = 0; j < n_rows; ++j) {
        const Floats value = Floats{} + values[j];
        const Ints amount = Ints{} + packed[j];
        for (std::size_t b = 0; b < kBlocks; ++b) sum[b] += (value <= v[b]) & amount;
    }
    for (std::size_t b = 0; b < kBlocks; ++b) {
        store(sums + start + static_cast<std::int64_t>(b) * kLane, sum[b]);
    }
}

void sum_below(const float* values, std::int64_t n_rows, const std::int32_t* packed, std::int32_t* sums) {
    std::int64_t start = 0;
    for (; n_rows - start > 3 * kLane; start += 4 * kLane)
        sum_below_blocks<4>(values, n_rows, packed, start, sums);
    for (; n_rows - start > kLane; start += 2 * kLane)
        sum_below_blocks<2>(values, n_rows, packed, start, sums);
    for (; n_rows - start > 0; start += kLane)
        sum_below_blocks<1>(values, n_rows, packed, start, sums);
}

// Leaves only the positions that put at least min_samples_leaf rows on either side.
void require_leaf_rows(const float* values, std::int64_t n_rows, std::int64_t min_samples_leaf,
                       double* score) {
    std::int32_t ones[kMaxPairs] = {};
    std::int32_t rows_left[kMaxPairs + 4 * kLane];
    for (std::int64_t i = 0; i < n_rows; ++i) ones[i] = 1;
    sum_below(values, n_rows, ones, rows_left);
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const bool enough =
            rows_left[i] >= min_samples_leaf && n_rows - rows_left[i] >= min_samples_leaf;
        score[i] = enough ? score[i] : kNoScore;
    }
}

Split best_of_pairs(const float* values, std::int64_t n_rows, const double* score) {
    Split best{kNoScore, kInfinity, false};
    for (std::int64_t i = 0; i < n_rows; ++i) best.score = larger(score[i], best.score);
    if (best.score == kNoScore) return best;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const float v = score[i] == best.score ? values[i] : kInfinity;
        best.lower = v < best.lower ? v : best.lower;
    }
    best.found = true;
    return best;
}

// Two classes: the low half of a word sums all counts, the high half those of class 1.
void score_pairs_two(const float* values, std::int64_t n_rows, const ClassTargets& targets, double* score) {
    std::int32_t packed[kMaxPairs] = {};
    std::int32_t sums[kMaxPairs + 4 * kLane];
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const auto count = static_cast<std::uint32_t>(targets.count[i]);
        const auto label = static_cast<std::uint32_t>(targets.label[i]);
        packed[i] = static_cast<std::int32_t>(count | ((count * label) << 16));
    }
    sum_below(values, n_rows, packed, sums);
    const std::int32_t total = targets.total;
    const std::int32_t total_one = targets.totals[1];
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const std::int32_t left = sums[i] & 0xFFFF;
        const auto left_one = static_cast<double>(static_cast<std::uint32_t>(sums[i]) >> 16);
        const double weight_left = left;
        const double weight_right = total - left;
        const double left_zero = weight_left - left_one;
        const double right_one = total_one - left_one;
        const double right_zero = weight_right - right_one;
        const double s = moment_score(left_zero * left_zero + left_one * left_one, weight_left,
                                      right_zero * right_zero + right_one * right_one, weight_right);
        score[i] = weight_right > 0.0 ? s : kNoScore;
    }
}

// Up to eight classes: four 8-bit sums a word.
void score_pairs_many(const float* values, std::int64_t n_rows, const ClassTargets& targets, double* score) {
    std::int32_t packed[kMaxPairs] = {};
    std::int32_t sums[kMaxPairs + 4 * kLane];
    std::int32_t left[kMaxPairs];
    std::int32_t squares_left[kMaxPairs];
    std::int32_t squares_right[kMaxPairs];
    for (std::int64_t i = 0; i < n_rows; ++i) left[i] = squares_left[i] = squares_right[i] = 0;
    for (std::int32_t first = 0; first < targets.n_classes; first += 4) {
        for (std::int64_t i = 0; i < n_rows; ++i) {
            const std::int32_t k = targets.label[i] - first;
            packed[i] = k >= 0 && k < 4 ? static_cast<std::int32_t>(
                                              static_cast<std::uint32_t>(targets.count[i]) << (8 * k))
                                        : 0;
        }
        sum_below(values, n_rows, packed, sums);
        for (std::int32_t k = first; k < targets.n_classes && k < first + 4; ++k) {
            const std::int32_t shift = 8 * (k - first);
            const std::int32_t class_total = targets.totals[k];
            for (std::int64_t i = 0; i < n_rows; ++i) {
                const auto on_left =
                    static_cast<std::int32_t>((static_cast<std::uint32_t>(sums[i]) >> shift) & 0xFFU);
                const std::int32_t on_right = class_total - on_left;
                left[i] += on_left;
                squares_left[i] += on_left * on_left;
                squares_right[i] += on_right * on_right;
            }
        }
    }
    const std::int32_t total = targets.total;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const double weight_left = left[i];
        const double weight_right = total - left[i];
        const double s = moment_score(squares_left[i], weight_left, squares_right[i], weight_right);
        score[i] = weight_right > 0.0 ? s : kNoScore;
    }
}

Split search_pairs(const float* values, std::int64_t n_rows, const ClassTargets& targets,
                           std::int64_t min_samples_leaf) {
    double score[kMaxPairs];
    if (targets.n_classes == 2) {
        score_pairs_two(values, n_rows, targets, score);
    } else {
        score_pairs_many(values, n_rows, targets, score);
    }
    if (min_samples_leaf > 1) require_leaf_rows(values, n_rows, min_samples_leaf, score);
    return best_of_pairs(values, n_rows, score);
}

Split search_pairs_regression(const float* values, std::int64_t n_rows,
                                      const RegressionTargets& targets, std::int64_t min_samples_leaf) {
    constexpr std::int64_t kHalf = kLane / 2;
    double position[kMaxPairs + kLane];
    double score[kMaxPairs];
    double weight_left[kMaxPairs + kLane];
    double sum_left[kMaxPairs + kLane];
    for (std::int64_t i = 0; i < n_rows; ++i) position[i] = values[i];
    for (std::int64_t i = n_rows; i % kLane != 0; ++i) position[i] = kInfinity;
    for (std::int64_t start = 0; start < n_rows; start += kHalf) {
        const Doubles v = load<Doubles>(position + start);
        Doubles weight = Doubles{};
        Doubles sum = Doubles{};
        for (std::int64_t j = 0; j < n_rows; ++j) {
            const Longs below = (Doubles{} + position[j]) <= v;
            weight += (Doubles)(below & (Longs)(Doubles{} + targets.weight[j]));
            sum += (Doubles)(below & (Longs)(Doubles{} + targets.sum[j]));
        }
        store(weight_left + start, weight);
        store(sum_left + start, sum);
    }
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const double weight_right = targets.total_weight - weight_left[i];
        const double sum_right = targets.total_sum - sum_left[i];
        const double s = moment_score(sum_left[i] * sum_left[i], weight_left[i], sum_right * sum_right,
                                      weight_right);
        score[i] = weight_right > 0.0 ? s : kNoScore;
    }
    if (min_samples_leaf > 1) require_leaf_rows(values, n_rows, min_samples_leaf, score);
    return best_of_pairs(values, n_rows, score);
}

}  // namespace
}  // namespace silvan
