// Exact split search in small nodes: every sample is compared with every other, and nothing is sorted.
#pragma once

#include <cstddef>

#include "core/criteria/moment_score.hpp"
#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// sums[i] = sum of packed[j] over the samples j with values[j] <= values[i]; kBlocks vectors of i at a time.
template <std::size_t kBlocks>
inline void sum_below_blocks(const float* values, std::int64_t n_samples, const std::int32_t* packed,
                             std::int64_t start, std::int32_t* sums) {
    Floats v[kBlocks];
    Ints sum[kBlocks];
    for (std::size_t b = 0; b < kBlocks; ++b) {
        v[b] = load<Floats>(values + start + static_cast<std::int64_t>(b) * kFloats);
        sum[b] = Ints{};
    }
    for (std::int64_t j = 0; j < n_samples; ++j) {
        const Floats value = Floats{} + values[j];
        const Ints amount = Ints{} + packed[j];
        for (std::size_t b = 0; b < kBlocks; ++b) sum[b] += (value <= v[b]) & amount;
    }
    for (std::size_t b = 0; b < kBlocks; ++b) {
        store(sums + start + static_cast<std::int64_t>(b) * kFloats, sum[b]);
    }
}

void sum_below(const float* values, std::int64_t n_samples, const std::int32_t* packed, std::int32_t* sums) {
    std::int64_t start = 0;
    for (; n_samples - start > 3 * kFloats; start += 4 * kFloats)
        sum_below_blocks<4>(values, n_samples, packed, start, sums);
    for (; n_samples - start > kFloats; start += 2 * kFloats)
        sum_below_blocks<2>(values, n_samples, packed, start, sums);
    for (; n_samples - start > 0; start += kFloats) sum_below_blocks<1>(values, n_samples, packed, start, sums);
}

// Leaves only the positions that put at least min_samples_leaf samples on either side.
void require_leaf_samples(const float* values, std::int64_t n_samples, std::int64_t min_samples_leaf, double* score) {
    std::int32_t ones[kMaxPairs];
    std::int32_t samples_left[kMaxPairs];
    for (std::int64_t i = 0; i < n_samples; ++i) ones[i] = 1;
    sum_below(values, n_samples, ones, samples_left);
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const bool enough = samples_left[i] >= min_samples_leaf && n_samples - samples_left[i] >= min_samples_leaf;
        score[i] = enough ? score[i] : kNoScore;
    }
}

// Scores are kNoScore from n_samples on to the end of the last vector.
Split best_of_pairs(const float* values, std::int64_t n_samples, const double* score) {
    Doubles best = Doubles{} + kNoScore;
    Doubles lower = Doubles{} + kInfinity;
    for (std::int64_t i = 0; i < n_samples; i += kDoubles) {
        const Doubles s = load<Doubles>(score + i);
        const Doubles v = load_as_doubles(values + i);
        const Longs better = (s > best) | ((s == best) & (v < lower));
        best = better ? s : best;
        lower = better ? v : lower;
    }
    Split position{kNoScore, kInfinity, false};
    for (std::int64_t l = 0; l < kDoubles; ++l) {
        const auto v = static_cast<float>(lower[l]);
        if (best[l] > position.score || (best[l] == position.score && v < position.lower)) {
            position = {best[l], v, best[l] > kNoScore};
        }
    }
    return position;
}

// Two classes: the low half of a word sums all counts, the high half those of class 1.
void score_pairs_two(const float* values, std::int64_t n_samples, const ClassTargets& targets, double* score) {
    std::int32_t packed[kMaxPairs];
    std::int32_t sums[kMaxPairs];
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const auto count = static_cast<std::uint32_t>(targets.count[i]);
        const auto label = static_cast<std::uint32_t>(targets.label[i]);
        packed[i] = static_cast<std::int32_t>(count | ((count * label) << 16));
    }
    sum_below(values, n_samples, packed, sums);
    const double total = targets.total;
    const double total_one = targets.totals[1];
    for (std::int64_t i = 0; i < n_samples; i += kDoubles) {
        const HalfInts sum = load<HalfInts>(sums + i);
        const Doubles left = __builtin_convertvector(sum & 0xFFFF, Doubles);
        const Doubles left_one = __builtin_convertvector((sum >> 16) & 0xFFFF, Doubles);
        const Doubles right = total - left;
        const Doubles left_zero = left - left_one;
        const Doubles right_one = total_one - left_one;
        const Doubles right_zero = right - right_one;
        const Doubles s = moment_scores(left_zero * left_zero + left_one * left_one, left,
                                        right_zero * right_zero + right_one * right_one, right);
        store(score + i, right > 0.0 ? s : Doubles{} + kNoScore);
    }
}

// The counts of four classes from `first` on, each in 8 bits of a word; zero for samples of other classes.
void pack_four_classes(const ClassTargets& targets, std::int64_t n_samples, std::int32_t first, std::int32_t* packed) {
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const std::int32_t k = targets.label[i] - first;
        const std::int32_t count = targets.count[i];
        std::int32_t word = k == 0 ? count : 0;
        word |= k == 1 ? count << 8 : 0;
        word |= k == 2 ? count << 16 : 0;
        word |= k == 3 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(count) << 24) : 0;
        packed[i] = word;
    }
}

// Up to eight classes: four 8-bit sums a word.
void score_pairs_many(const float* values, std::int64_t n_samples, const ClassTargets& targets, double* score) {
    std::int32_t packed[kMaxPairs];
    std::int32_t sums[2][kMaxPairs];
    for (std::int32_t first = 0; first < targets.n_classes; first += 4) {
        pack_four_classes(targets, n_samples, first, packed);
        sum_below(values, n_samples, packed, sums[first / 4]);
    }
    const double total = targets.total;
    for (std::int64_t i = 0; i < n_samples; i += kDoubles) {
        HalfInts sum[2] = {load<HalfInts>(sums[0] + i)};
        if (targets.n_classes > 4) sum[1] = load<HalfInts>(sums[1] + i);
        Doubles left = Doubles{};
        Doubles squares_left = Doubles{};
        Doubles squares_right = Doubles{};
        for (std::int32_t k = 0; k < targets.n_classes; ++k) {
            HalfInts& word = sum[k / 4];
            const Doubles on_left = __builtin_convertvector(word & 0xFF, Doubles);
            const Doubles on_right = static_cast<double>(targets.totals[k]) - on_left;
            word >>= 8;
            left += on_left;
            squares_left += on_left * on_left;
            squares_right += on_right * on_right;
        }
        const Doubles right = total - left;
        const Doubles s = moment_scores(squares_left, left, squares_right, right);
        store(score + i, right > 0.0 ? s : Doubles{} + kNoScore);
    }
}

Split search_pairs(const float* values, std::int64_t n_samples, const ClassTargets& targets,
                   std::int64_t min_samples_leaf) {
    double score[kMaxPairs];
    if (targets.n_classes == 2) {
        score_pairs_two(values, n_samples, targets, score);
    } else {
        score_pairs_many(values, n_samples, targets, score);
    }
    if (min_samples_leaf > 1) require_leaf_samples(values, n_samples, min_samples_leaf, score);
    return best_of_pairs(values, n_samples, score);
}

// Scores the positions of kBlocks vectors of samples from `start` on; `position` has the values as doubles.
template <std::size_t kBlocks>
inline void score_regression_blocks(const double* position, std::int64_t n_samples, const RegressionTargets& targets,
                                    std::int64_t start, double* score) {
    Doubles v[kBlocks];
    Doubles weight[kBlocks];
    Doubles sum[kBlocks];
    for (std::size_t b = 0; b < kBlocks; ++b) {
        v[b] = load<Doubles>(position + start + static_cast<std::int64_t>(b) * kDoubles);
        weight[b] = sum[b] = Doubles{};
    }
    for (std::int64_t j = 0; j < n_samples; ++j) {
        const Doubles value = Doubles{} + position[j];
        const Longs sample_weight = (Longs)(Doubles{} + targets.weight[j]);
        const Longs sample_sum = (Longs)(Doubles{} + targets.sum[j]);
        for (std::size_t b = 0; b < kBlocks; ++b) {
            const Longs below = value <= v[b];
            weight[b] += (Doubles)(below & sample_weight);
            sum[b] += (Doubles)(below & sample_sum);
        }
    }
    for (std::size_t b = 0; b < kBlocks; ++b) {
        const Doubles weight_right = targets.total_weight - weight[b];
        const Doubles sum_right = targets.total_sum - sum[b];
        const Doubles s = moment_scores(sum[b] * sum[b], weight[b], sum_right * sum_right, weight_right);
        store(score + start + static_cast<std::int64_t>(b) * kDoubles, weight_right > 0.0 ? s : Doubles{} + kNoScore);
    }
}

Split search_pairs_regression(const float* values, std::int64_t n_samples, const RegressionTargets& targets,
                              std::int64_t min_samples_leaf) {
    double position[kMaxPairs];
    double score[kMaxPairs];
    for (std::int64_t i = 0; i < n_samples; i += kDoubles) store(position + i, load_as_doubles(values + i));
    std::int64_t start = 0;
    for (; n_samples - start > kDoubles; start += 2 * kDoubles)
        score_regression_blocks<2>(position, n_samples, targets, start, score);
    if (n_samples - start > 0) score_regression_blocks<1>(position, n_samples, targets, start, score);
    if (min_samples_leaf > 1) require_leaf_samples(values, n_samples, min_samples_leaf, score);
    return best_of_pairs(values, n_samples, score);
}

}  // namespace
}  // namespace silvan
