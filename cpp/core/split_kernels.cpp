// The kernels of split_kernels.hpp; compiled once per instruction set with SILVAN_KERNELS as its name.
#include "core/split_kernels.hpp"

#include <cstddef>

#include "core/criteria.hpp"

#define SILVAN_CONCAT_(a, b) a##b
#define SILVAN_CONCAT(a, b) SILVAN_CONCAT_(a, b)
#define SILVAN_STRING_(a) #a
#define SILVAN_STRING(a) SILVAN_STRING_(a)

namespace silvan {
namespace {

// Vectors of GCC and Clang: the compiler lowers them to whatever the instruction set offers.
using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));
using Longs = std::int64_t __attribute__((vector_size(64)));

constexpr float kInfinity = __builtin_inff();
constexpr double kNoScore = -__builtin_inf();

template <typename Vector, typename T>
inline Vector load(const T* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof(Vector));
    return v;
}

template <typename Vector, typename T>
inline void store(T* to, const Vector& v) {
    __builtin_memcpy(to, &v, sizeof(Vector));
}

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

// ---- projection ------------------------------------------------------------------------------------

constexpr std::int64_t kProjectBlock = 64;

// Sum is the type that terms are rounded to and added in.
template <typename T, typename Sum, bool kFirst, bool kUnitStride>
inline void accumulate_feature(const T* column, std::int64_t row_stride, const std::uint32_t* rows,
                               std::int64_t n, float weight, Sum* values) {
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t offset =
            kUnitStride ? static_cast<std::int64_t>(rows[i]) : static_cast<std::int64_t>(rows[i]) * row_stride;
        const Sum term = static_cast<Sum>(weight) * static_cast<Sum>(column[offset]);
        values[i] = kFirst ? term : values[i] + term;
    }
}

template <typename T, typename Sum, bool kUnitStride>
inline void project_block(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n,
                          const Direction& direction, Sum* values) {
    const auto column = [&](std::int64_t k) {
        return features.as<T>() + (direction.indices[k] - features.first_column) * features.column_stride;
    };
    accumulate_feature<T, Sum, true, kUnitStride>(column(0), features.row_stride, rows, n, direction.weights[0],
                                                  values);
    for (std::int64_t k = 1; k < direction.n_nonzeros; ++k) {
        accumulate_feature<T, Sum, false, kUnitStride>(column(k), features.row_stride, rows, n,
                                                       direction.weights[k], values);
    }
}

// Pads the values with +infinity to a multiple of kLane, too.
ValueRange measure_range(float* values, std::int64_t n) {
    for (std::int64_t k = n; k % kLane != 0; ++k) values[k] = kInfinity;
    ValueRange range{kInfinity, -kInfinity, false};
    std::int64_t i = 0;
    if (n >= kLane) {
        Floats low = Floats{} + kInfinity;
        Floats high = Floats{} - kInfinity;
        Ints missing = Ints{};
        for (; i + kLane <= n; i += kLane) {
            const Floats v = load<Floats>(values + i);
            low = v < low ? v : low;
            high = v > high ? v : high;
            missing |= v != v;
        }
        for (std::int64_t l = 0; l < kLane; ++l) {
            if (low[l] < range.minimum) range.minimum = low[l];
            if (high[l] > range.maximum) range.maximum = high[l];
            range.any_missing |= missing[l] != 0;
        }
    }
    for (; i < n; ++i) {
        const float v = values[i];
        if (v < range.minimum) range.minimum = v;
        if (v > range.maximum) range.maximum = v;
        range.any_missing |= v != v;
    }
    return range;
}

template <typename T>
void project_typed(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n_rows,
                   const Direction& direction, float* values) {
    for (std::int64_t start = 0; start < n_rows; start += kProjectBlock) {
        const std::int64_t n = n_rows - start < kProjectBlock ? n_rows - start : kProjectBlock;
        if (features.row_stride == 1) {
            project_block<T, float, true>(features, rows + start, n, direction, values + start);
        } else {
            project_block<T, float, false>(features, rows + start, n, direction, values + start);
        }
    }
}

template <typename T>
void project_sums(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n_rows,
                  const Direction& direction, float* values) {
    double sums[kProjectBlock];
    for (std::int64_t start = 0; start < n_rows; start += kProjectBlock) {
        const std::int64_t n = n_rows - start < kProjectBlock ? n_rows - start : kProjectBlock;
        project_block<T, double, false>(features, rows + start, n, direction, sums);
        for (std::int64_t i = 0; i < n; ++i) values[start + i] = static_cast<float>(sums[i]);
    }
}

ValueRange project(const FeatureMatrix& features, const std::uint32_t* rows, std::int64_t n_rows,
                   const Direction& direction, float* values) {
    switch (features.type) {
        case FeatureType::float32: project_typed<float>(features, rows, n_rows, direction, values); break;
        case FeatureType::float64: project_typed<double>(features, rows, n_rows, direction, values); break;
        case FeatureType::uint8: project_typed<std::uint8_t>(features, rows, n_rows, direction, values); break;
        case FeatureType::sums_int32: project_sums<std::int32_t>(features, rows, n_rows, direction, values); break;
        case FeatureType::sums_float64: project_sums<double>(features, rows, n_rows, direction, values); break;
    }
    return measure_range(values, n_rows);
}

// ---- all pairs -------------------------------------------------------------------------------------

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

SplitPosition best_of_pairs(const float* values, std::int64_t n_rows, const double* score) {
    SplitPosition best{kNoScore, kInfinity, false};
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

SplitPosition search_pairs(const float* values, std::int64_t n_rows, const ClassTargets& targets,
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

SplitPosition search_pairs_regression(const float* values, std::int64_t n_rows,
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

// ---- histograms ------------------------------------------------------------------------------------

// Monotone in the value, so that bins keep the order of the rows.
inline void find_bins(const float* values, std::int64_t n_rows, const Binning& binning, std::int32_t* bins) {
    const std::int32_t last = binning.n_bins - 1;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const auto bin = static_cast<std::int32_t>((values[i] - binning.minimum) * binning.scale);
        bins[i] = bin < last ? bin : last;
    }
}

void count_rows(const std::int32_t* bins, std::int64_t n_rows, std::int32_t n_bins, std::int32_t* rows) {
    for (std::int32_t b = 0; b <= n_bins; ++b) rows[b] = 0;
    for (std::int64_t i = 0; i < n_rows; ++i) ++rows[bins[i] + 1];
    for (std::int32_t b = 0; b < n_bins; ++b) rows[b + 1] += rows[b];
}

void require_leaf_rows_after_bins(const std::int32_t* rows, std::int32_t n_bins,
                                  std::int64_t min_samples_leaf, double* score) {
    for (std::int32_t b = 0; b < n_bins; ++b) {
        const bool enough =
            rows[b + 1] >= min_samples_leaf && rows[n_bins] - rows[b + 1] >= min_samples_leaf;
        score[b] = enough ? score[b] : kNoScore;
    }
}

// With D_k the excess of target k on the left over its share, a split's gain is N / (n m) sum_k D_k^2 with
// n + m = N the weights of its sides. Inside a bin |D_k| <= M_k, and always |D_k| <= min(n, m) mu_k, so
//     gain <= N min(sum M_k^2 / min(n m), sum M_k mu_k / max(n, m)),
// taken over the n that the bin allows. Arrays are indexed by bin; `before` is the weight left of each bin.
void bound_gains(const double* before, double total, double base, std::int32_t n_bins,
                 const double* sum_squared, const double* sum_weighted, double* bound) {
    for (std::int32_t b = 0; b < n_bins; ++b) {
        const double start = before[b];
        const double end = before[b + 1];
        const double product = smaller(start * (total - start), end * (total - end));
        const double side = larger(start, total - end);
        const double by_square = sum_squared[b] / product;
        const double by_weight = sum_weighted[b] / side;
        const double gain = total * (by_square < by_weight ? by_square : by_weight);
        const bool inside = end > start;
        bound[b] = inside ? base + gain : kNoScore;
    }
}

void sum_class_counts(const std::int32_t* bins, std::int64_t n_rows, const ClassTargets& targets,
                      std::int32_t n_bins, std::int32_t* counts) {
    const std::int32_t width = n_bins + 1;
    __builtin_memset(counts, 0, sizeof(std::int32_t) * static_cast<std::size_t>(width) *
                                    static_cast<std::size_t>(targets.n_classes));
    std::int32_t* shifted = counts + 1;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        shifted[targets.label[i] * width + bins[i]] += targets.count[i];
    }
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        std::int32_t* row = counts + k * width;
        std::int32_t running = 0;
        for (std::int32_t b = 0; b < width; ++b) {
            running += row[b];
            row[b] = running;
        }
    }
}

void bound_class_bins(const ClassTargets& targets, std::int32_t n_bins, const double* before, double base,
                      const HistogramScratch& scratch, double* sum_squared, double* sum_weighted) {
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
            const double most = larger(-low, high);
            sum_squared[b] += most * most;
            sum_weighted[b] += most * mu;
        }
    }
    bound_gains(before, total, base, n_bins, sum_squared, sum_weighted, scratch.bound);
}

void score_histogram(const float* values, std::int64_t n_rows, const ClassTargets& targets,
                     const Binning& binning, std::int64_t min_samples_leaf,
                     const HistogramScratch& scratch) {
    const std::int32_t n_bins = binning.n_bins;
    const std::int32_t width = n_bins + 1;
    find_bins(values, n_rows, binning, scratch.bins);
    sum_class_counts(scratch.bins, n_rows, targets, n_bins, scratch.counts);

    double* before = scratch.work;
    double* squares_left = before + (kMaxBins + 1);
    double* squares_right = squares_left + (kMaxBins + 1);
    for (std::int32_t b = 0; b < width; ++b) before[b] = 0.0;
    for (std::int32_t b = 0; b < n_bins; ++b) squares_left[b] = squares_right[b] = 0.0;
    double squares = 0.0;
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        const std::int32_t* cumulative = scratch.counts + k * width;
        const double class_total = targets.totals[k];
        squares += class_total * class_total;
        for (std::int32_t b = 0; b < width; ++b) before[b] += cumulative[b];
        for (std::int32_t b = 0; b < n_bins; ++b) {
            const double left = cumulative[b + 1];
            const double right = class_total - left;
            squares_left[b] += left * left;
            squares_right[b] += right * right;
        }
    }
    const double total = targets.total;
    for (std::int32_t b = 0; b < n_bins; ++b) {
        const double left = before[b + 1];
        const double s = moment_score(squares_left[b], left, squares_right[b], total - left);
        const bool valid = left > before[b] && left < total;
        scratch.score[b] = valid ? s : kNoScore;
    }
    if (min_samples_leaf > 1) {
        count_rows(scratch.bins, n_rows, n_bins, scratch.rows);
        require_leaf_rows_after_bins(scratch.rows, n_bins, min_samples_leaf, scratch.score);
    }
    if (!binning.exact) {
        bound_class_bins(targets, n_bins, before, squares / total, scratch, squares_left, squares_right);
    }
}

void score_histogram_regression(const float* values, std::int64_t n_rows, const RegressionTargets& targets,
                                const Binning& binning, std::int64_t min_samples_leaf,
                                const HistogramScratch& scratch) {
    const std::int32_t n_bins = binning.n_bins;
    const std::int32_t width = n_bins + 1;
    find_bins(values, n_rows, binning, scratch.bins);
    count_rows(scratch.bins, n_rows, n_bins, scratch.rows);
    double* weight = scratch.moments;
    double* sum = weight + (kMaxBins + 1);
    double* spread = scratch.work;  // sum of |sum - mean weight| in each bin
    for (std::int32_t b = 0; b < width; ++b) weight[b] = sum[b] = spread[b] = 0.0;
    const double mean = targets.total_sum / targets.total_weight;
    for (std::int64_t i = 0; i < n_rows; ++i) {
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
    for (std::int32_t b = 0; b < n_bins; ++b) {
        const double right = targets.total_sum - sum[b + 1];
        const double weight_right = targets.total_weight - weight[b + 1];
        const double s =
            moment_score(sum[b + 1] * sum[b + 1], weight[b + 1], right * right, weight_right);
        const bool valid = weight[b + 1] > weight[b] && weight_right > 0.0;
        scratch.score[b] = valid ? s : kNoScore;
    }
    if (min_samples_leaf > 1) {
        require_leaf_rows_after_bins(scratch.rows, n_bins, min_samples_leaf, scratch.score);
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
        const double most = larger(-low, high);
        sum_squared[b] = most * most;
        sum_weighted[b] = kInfinity;
    }
    const double base = targets.total_sum * targets.total_sum / targets.total_weight;
    bound_gains(weight, targets.total_weight, base, n_bins, sum_squared, sum_weighted, scratch.bound);
}

// ---- values next to a split ------------------------------------------------------------------------

float largest_in_bins(const float* values, const std::int32_t* bins, std::int64_t n_rows,
                      std::int32_t last_bin) {
    Floats most = Floats{} - kInfinity;
    const Ints last = Ints{} + last_bin;
    std::int64_t i = 0;
    for (; i + kLane <= n_rows; i += kLane) {
        const Floats v = load<Floats>(values + i);
        most = (load<Ints>(bins + i) <= last) & (v > most) ? v : most;
    }
    float largest = -kInfinity;
    for (std::int64_t l = 0; l < kLane; ++l) largest = most[l] > largest ? most[l] : largest;
    for (; i < n_rows; ++i) largest = bins[i] <= last_bin && values[i] > largest ? values[i] : largest;
    return largest;
}

float smallest_above(const float* values, std::int64_t n_rows, float lower) {
    Floats least = Floats{} + kInfinity;
    const Floats limit = Floats{} + lower;
    std::int64_t i = 0;
    for (; i + kLane <= n_rows; i += kLane) {
        const Floats v = load<Floats>(values + i);
        least = (v > limit) & (v < least) ? v : least;
    }
    float smallest = kInfinity;
    for (std::int64_t l = 0; l < kLane; ++l) smallest = least[l] < smallest ? least[l] : smallest;
    for (; i < n_rows; ++i) smallest = values[i] > lower && values[i] < smallest ? values[i] : smallest;
    return smallest;
}

}  // namespace

extern const SplitKernels SILVAN_CONCAT(kernels_, SILVAN_KERNELS);
const SplitKernels SILVAN_CONCAT(kernels_, SILVAN_KERNELS) = {
    SILVAN_STRING(SILVAN_KERNELS), project,       measure_range,
    search_pairs,                  search_pairs_regression,
    score_histogram,               score_histogram_regression,
    largest_in_bins,               smallest_above,
};

}  // namespace silvan
