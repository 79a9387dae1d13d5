// The engines of SplitSearch.
#include "core/split_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/forest.hpp"
#include "core/split_accumulators.hpp"

namespace silvan {
namespace {

constexpr double kNoScore = -std::numeric_limits<double>::infinity();
// Bounds are computed in rounded arithmetic; they are raised by this much before a bin is ruled out.
constexpr double kBoundSlack = 1e-11;

// Order-preserving map from floats to unsigned integers.
inline std::uint32_t ordered_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

inline std::uint64_t make_key(float value, std::int64_t row) {
    return (static_cast<std::uint64_t>(ordered_bits(value)) << 32) | static_cast<std::uint64_t>(row);
}

inline std::int64_t row_of(std::uint64_t key) { return static_cast<std::int64_t>(key & 0xFFFFFFFFU); }

}  // namespace

SplitSearch::SplitSearch(const SplitKernels& kernels, std::int64_t max_rows,
                         std::int64_t min_samples_leaf, const std::atomic<bool>& stop)
    : kernels_(kernels), min_samples_leaf_(min_samples_leaf), stop_(stop) {
    reserve_rows(max_rows);
}

void SplitSearch::reserve_rows(std::int64_t max_rows) {
    const auto padded = static_cast<std::size_t>((max_rows + kLane - 1) / kLane * kLane);
    if (padded <= bins_.size()) return;
    bins_.allocate(padded);
    room_for(static_cast<std::int64_t>(2 * padded));
}

void* SplitSearch::room_for(std::int64_t n) {
    if (room_.size() < static_cast<std::size_t>(n)) room_.allocate(static_cast<std::size_t>(n));
    values_ = room_.data();
    best_values_ = values_ + bins_.size();
    return room_.data();
}

Split SplitSearch::find(const std::uint32_t* rows, const NodeTargets& targets, const ProjectionBatch& batch,
                        NodeColumns& columns) {
    Split best;
    best.score = kNoScore;
    Found winner;
    double best_rank = kNoScore;
    for (std::int64_t j = 0; j < batch.size() && !stop_.load(std::memory_order_relaxed); ++j) {
        const Direction direction = direction_of(batch, j);
        const ValueRange range = columns.project(direction, rows, targets.n_rows(), values_);
        if (range.minimum > range.maximum) continue;
        if (range.minimum == range.maximum && !range.any_missing) continue;
        best.varies = true;
        const Found found = search_direction(targets, range, columns.is_integral(direction), best_rank);
        if (!found.found) continue;
        const double rank = columns.is_learnt(direction) ? rank_of(found, rows, targets, columns) : found.score;
        if (!(rank > best_rank)) continue;
        best_rank = rank;
        winner = found;
        best.found = true;
        best.has_missing = range.any_missing;
        best.direction = j;
        best.score = found.score;
        std::swap(values_, best_values_);
    }
    if (!best.found) return best;
    best.missing_left = winner.missing_left;
    if (winner.only_missing_right) {
        best.threshold = std::numeric_limits<float>::infinity();
    } else {
        const float upper = kernels_.smallest_above(best_values_, targets.n_rows(), winner.lower);
        const double middle = 0.5 * (static_cast<double>(winner.lower) + static_cast<double>(upper));
        best.threshold = static_cast<float>(middle);
        if (!(best.threshold < upper)) best.threshold = winner.lower;
    }
    return best;
}

double SplitSearch::rank_of(const Found& found, const std::uint32_t* rows, const NodeTargets& targets,
                            const NodeColumns& columns) {
    constexpr double kLeastShare = 1e-6;  // a split that nobody confirms is better than none
    const double seen = std::max(found.score - targets.base_score(), 0.0);
    const double confirmed = confirmed_gain(found, rows, targets, columns);
    return targets.base_score() + std::sqrt(std::clamp(confirmed, kLeastShare * seen, seen) * seen);
}

double SplitSearch::confirmed_gain(const Found& found, const std::uint32_t* rows, const NodeTargets& targets,
                                   const NodeColumns& columns) {
    const std::size_t n_sums = targets.totals().size();
    left_sums_.assign(n_sums, 0.0);
    right_sums_.assign(n_sums, 0.0);
    double weight_left = 0.0;
    double weight_right = 0.0;
    for (std::int64_t i = 0; i < targets.n_rows(); ++i) {
        if (columns.is_learnt_from(rows[i])) continue;
        const bool left = found.only_missing_right ? values_[i] == values_[i]
                                                   : goes_left(values_[i], found.lower, found.missing_left);
        const double weight = targets.row_weight(i);
        (left ? weight_left : weight_right) += weight;
        std::vector<double>& sums = left ? left_sums_ : right_sums_;
        if (targets.is_classification()) {
            sums[static_cast<std::size_t>(targets.label()[i])] += weight;
        } else {
            for (std::size_t k = 0; k < n_sums; ++k) sums[k] += targets.row_sums(i)[k];
        }
    }
    if (!(weight_left > 0.0 && weight_right > 0.0)) return 0.0;
    const double weight = weight_left + weight_right;
    const bool entropy = targets.criterion() == Criterion::entropy;
    double gain = entropy ? x_log_x(weight) - x_log_x(weight_left) - x_log_x(weight_right) : 0.0;
    for (std::size_t k = 0; k < n_sums; ++k) {
        const double left = left_sums_[k];
        const double right = right_sums_[k];
        const double both = left + right;
        gain += entropy ? x_log_x(left) + x_log_x(right) - x_log_x(both)
                        : left * left / weight_left + right * right / weight_right - both * both / weight;
    }
    return gain * (targets.total_weight() / weight);
}

bool SplitSearch::prefers_pairs(const NodeTargets& targets) const {
    const std::int64_t n = targets.n_rows();
    if (!targets.is_classification()) return n <= 48;
    if (targets.n_local_classes() == 2) return n <= 96 && targets.total_weight() <= 65535.0;
    return targets.n_local_classes() <= kMaxPairClasses && n <= 64 && targets.total_weight() <= 255.0;
}

bool SplitSearch::choose_binning(const NodeTargets& targets, const ValueRange& range, bool integral,
                                 Binning& binning) {
    const std::int64_t n = targets.n_rows();
    const std::int64_t n_sums = targets.is_classification() ? targets.n_local_classes() : 2;
    const float width = range.maximum - range.minimum;
    if (!(width <= std::numeric_limits<float>::max())) return false;
    binning.minimum = range.minimum;
    if (integral && width < static_cast<float>(kMaxBins) &&
        (static_cast<std::int64_t>(width) + 1) * n_sums <= 8 * n) {
        binning.n_bins = static_cast<std::int32_t>(width) + 1;
        binning.scale = 1.0F;
        binning.exact = true;
        return true;
    }
    const auto wanted = static_cast<std::int64_t>(4.0 * std::sqrt(static_cast<double>(n)));
    binning.n_bins = static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 16, kMaxBins));
    binning.scale = static_cast<float>(binning.n_bins) / width;
    binning.exact = false;
    return n_sums * binning.n_bins <= 8 * n && std::isfinite(binning.scale);
}

SplitSearch::Found SplitSearch::search_direction(const NodeTargets& targets, const ValueRange& range,
                                                 bool integral, double to_beat) {
    if (targets.is_gaussian()) return range.any_missing ? Found() : search_gaussian(targets.n_rows());
    const bool squared_single = targets.criterion() == Criterion::squared_error && targets.n_outputs() == 1;
    const bool counted_gini = targets.criterion() == Criterion::gini && targets.has_integer_counts();
    const bool finite = std::isfinite(range.minimum) && std::isfinite(range.maximum);
    if (range.any_missing || !finite || !(squared_single || counted_gini)) return search_sorted(targets);
    if (prefers_pairs(targets)) {
        const SplitPosition position =
            squared_single ? kernels_.search_pairs_regression(values_, targets.n_rows(),
                                                              targets.regression_view(), min_samples_leaf_)
                           : kernels_.search_pairs(values_, targets.n_rows(), targets.class_view(),
                                                   min_samples_leaf_);
        return {position.found, position.score, position.lower, false, false};
    }
    Binning binning;
    if (choose_binning(targets, range, integral, binning)) return search_histogram(targets, binning, to_beat);
    return search_sorted(targets);
}

// ---- sorted ----------------------------------------------------------------------------------------

// Sorts n keys from the one with this index on.
void SplitSearch::sort_keys(std::size_t first, std::size_t n) {
    constexpr std::size_t kRadixFrom = 1024;  // below, the passes over 3 x 2,048 buckets are not worth it
    std::uint64_t* keys = keys_.data() + first;
    if (n < kRadixFrom) {
        std::sort(keys, keys + n);
        return;
    }
    if (sorted_keys_.size() < n) sorted_keys_.resize(n);
    constexpr int kBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    std::vector<std::uint32_t> offsets(3 * kBuckets);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = keys[i] >> 32;
        for (std::size_t pass = 0; pass < 3; ++pass) {
            ++offsets[pass * kBuckets + ((key >> (kBits * static_cast<int>(pass))) & (kBuckets - 1))];
        }
    }
    std::uint64_t* from = keys;
    std::uint64_t* to = sorted_keys_.data();
    for (std::size_t pass = 0; pass < 3; ++pass) {
        std::uint32_t* offset = offsets.data() + pass * kBuckets;
        std::uint32_t running = 0;
        for (std::size_t b = 0; b < kBuckets; ++b) running += std::exchange(offset[b], running);
        const int shift = 32 + kBits * static_cast<int>(pass);
        for (std::size_t i = 0; i < n; ++i) to[offset[(from[i] >> shift) & (kBuckets - 1)]++] = from[i];
        std::swap(from, to);
    }
    std::copy(from, from + n, keys);
}

SplitSearch::Found SplitSearch::search_sorted(const NodeTargets& targets) {
    const std::int64_t n = targets.n_rows();
    keys_.resize(static_cast<std::size_t>(n));
    missing_rows_.clear();
    std::int64_t n_keys = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const float v = values_[i];
        if (std::isnan(v)) {
            missing_rows_.push_back(static_cast<std::uint32_t>(i));
        } else {
            keys_[static_cast<std::size_t>(n_keys++)] = make_key(v, i);
        }
    }
    keys_.resize(static_cast<std::size_t>(n_keys));
    sort_keys(0, static_cast<std::size_t>(n_keys));
    Found best;
    if (targets.criterion() == Criterion::entropy) {
        Entropy accumulator{targets};
        scan_sorted(targets, accumulator, best);
    } else if (!targets.is_classification()) {
        Moments accumulator{targets};
        scan_sorted(targets, accumulator, best);
    } else if (targets.has_integer_counts()) {
        CountGini accumulator{targets.class_view()};
        scan_sorted(targets, accumulator, best);
    } else {
        WeightedGini accumulator{{targets}};
        scan_sorted(targets, accumulator, best);
    }
    return best;
}

template <typename Accumulator>
void SplitSearch::scan_sorted(const NodeTargets& targets, Accumulator& accumulator, Found& best) {
    const auto n_keys = static_cast<std::int64_t>(keys_.size());
    const std::int64_t n = targets.n_rows();
    const auto value_at = [this](std::int64_t i) {
        return values_[row_of(keys_[static_cast<std::size_t>(i)])];
    };
    for (const bool missing_left : {false, true}) {
        if (missing_left && missing_rows_.empty()) break;
        accumulator.clear();
        std::int64_t rows_left = 0;
        if (missing_left) {
            for (const std::uint32_t row : missing_rows_) accumulator.add(row);
            rows_left = static_cast<std::int64_t>(missing_rows_.size());
        }
        for (std::int64_t i = 0; i < n_keys; ++i) {
            accumulator.add(row_of(keys_[static_cast<std::size_t>(i)]));
            ++rows_left;
            const bool last = i + 1 == n_keys;
            if (last ? rows_left == n : !(value_at(i) < value_at(i + 1))) continue;
            if (rows_left < min_samples_leaf_ || n - rows_left < min_samples_leaf_) continue;
            const double score = accumulator.score();
            if (best.found && !(score > best.score)) continue;
            best = {true, score, value_at(i), missing_left, last};
        }
    }
}

// ---- gaussian --------------------------------------------------------------------------------------

// Rows in the order of their values join the left side; thresholds are tried where both sides are large enough.
SplitSearch::Found SplitSearch::search_gaussian(std::int64_t n) {
    keys_.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        keys_[static_cast<std::size_t>(i)] = make_key(values_[static_cast<std::size_t>(i)], i);
    }
    sort_keys(0, static_cast<std::size_t>(n));
    const auto value_at = [this](std::int64_t i) {
        return values_[static_cast<std::size_t>(row_of(keys_[static_cast<std::size_t>(i)]))];
    };
    borders_.clear();
    for (std::int64_t rows_left = std::max<std::int64_t>(1, min_samples_leaf_);
         rows_left <= n - std::max<std::int64_t>(1, min_samples_leaf_); ++rows_left) {
        if (value_at(rows_left - 1) < value_at(rows_left)) borders_.push_back(rows_left);
    }
    space_->choose_thresholds(static_cast<std::int64_t>(borders_.size()), chosen_);
    space_->clear(left_);
    Found best;
    std::int64_t next = 0;
    for (const std::int64_t choice : chosen_) {
        const std::int64_t rows_left = borders_[static_cast<std::size_t>(choice)];
        for (; next < rows_left; ++next) space_->add(row_of(keys_[static_cast<std::size_t>(next)]), left_);
        space_->subtract(left_, right_);
        const double score =
            -(left_.weight * space_->log_determinant(left_) + right_.weight * space_->log_determinant(right_));
        if (best.found && !(score > best.score)) continue;
        best = {true, score, value_at(rows_left - 1), false, false};
    }
    return best;
}

// ---- histogram -------------------------------------------------------------------------------------

void SplitSearch::reserve_bins(std::int64_t n_counts) {
    constexpr auto kEntries = static_cast<std::size_t>(kMaxBins) + 1;
    if (flagged_.empty()) {
        bin_rows_.allocate(kEntries);
        moments_.allocate(2 * kEntries);
        bin_score_.allocate(kEntries);
        bin_bound_.allocate(kEntries);
        bin_work_.allocate(3 * kEntries);
        flagged_.resize(kEntries);
    }
    if (counts_.size() < static_cast<std::size_t>(n_counts)) counts_.resize(static_cast<std::size_t>(n_counts));
}

HistogramScratch SplitSearch::scratch() {
    return {bins_.data(),      counts_.data(),    bin_rows_.data(), moments_.data(),
            bin_score_.data(), bin_bound_.data(), bin_work_.data()};
}

// Lists the rows of bins that may hold a better split than those known.
std::int64_t SplitSearch::collect_flagged(const NodeTargets& targets, const Binning& binning, double to_beat,
                                          double border) {
    const std::int64_t n_rows = targets.n_rows();
    double most = 0.0;  // at least the number of flagged rows: a class count is 1 or more
    for (std::int32_t b = 0; b < binning.n_bins; ++b) {
        const auto at = static_cast<std::size_t>(b);
        const double raised = bin_bound_[at] + std::abs(bin_bound_[at]) * kBoundSlack;
        const bool flag = raised > to_beat && raised >= border;
        flagged_[at] = flag ? 1 : 0;
        const double inside = targets.is_classification() ? moments_[at + 1] - moments_[at]
                                                          : bin_rows_[at + 1] - bin_rows_[at];
        most += flag ? inside : 0.0;
    }
    if (most == 0.0) return 0;
    const auto room = static_cast<std::size_t>(std::min(most, static_cast<double>(n_rows))) + 1;
    if (flagged_rows_.size() < room) flagged_rows_.resize(room);
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const auto at = static_cast<std::size_t>(i);
        flagged_rows_[static_cast<std::size_t>(n)] = static_cast<std::uint32_t>(i);
        n += flagged_[static_cast<std::size_t>(bins_[at])];
    }
    return n;
}

// Scans the flagged bins; `accumulator` starts anew at each bin's running sums.
template <typename Accumulator>
void SplitSearch::refine_bins(const Binning& binning, Accumulator& accumulator, std::int64_t n_flagged,
                              Found& best, std::int32_t best_bin) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    // A bin of one value has no split inside.
    std::vector<float> low(static_cast<std::size_t>(binning.n_bins), kInfinity);
    std::vector<float> high(static_cast<std::size_t>(binning.n_bins), -kInfinity);
    for (std::int64_t i = 0; i < n_flagged; ++i) {
        const std::uint32_t row = flagged_rows_[static_cast<std::size_t>(i)];
        const auto bin = static_cast<std::size_t>(bins_[row]);
        low[bin] = std::min(low[bin], values_[row]);
        high[bin] = std::max(high[bin], values_[row]);
    }
    // Rows go to the place of their bin, and are sorted there.
    std::vector<std::uint32_t> end(static_cast<std::size_t>(binning.n_bins) + 1);
    for (std::int64_t i = 0; i < n_flagged; ++i) {
        const auto bin = static_cast<std::size_t>(bins_[flagged_rows_[static_cast<std::size_t>(i)]]);
        end[bin + 1] += low[bin] < high[bin] ? 1 : 0;
    }
    for (std::size_t bin = 0; bin + 1 < end.size(); ++bin) end[bin + 1] += end[bin];
    const std::size_t n_keys = end.back();
    keys_.resize(n_keys);
    for (std::int64_t i = 0; i < n_flagged; ++i) {
        const std::uint32_t row = flagged_rows_[static_cast<std::size_t>(i)];
        const auto bin = static_cast<std::size_t>(bins_[row]);
        if (low[bin] < high[bin]) keys_[end[bin]++] = make_key(values_[row], row);
    }
    for (std::size_t bin = 0, first = 0; first < n_keys; first = end[bin++]) {
        if (end[bin] > first) sort_keys(first, end[bin] - first);
    }
    const HistogramScratch histogram = scratch();
    const bool count_leaf_rows = min_samples_leaf_ > 1;
    const std::int64_t n_rows = count_leaf_rows ? bin_rows_[static_cast<std::size_t>(binning.n_bins)] : 0;
    std::int32_t bin = -1;
    std::int64_t rows_left = 0;
    for (std::size_t i = 0; i < n_keys; ++i) {
        const std::int64_t row = row_of(keys_[i]);
        if (bins_[static_cast<std::size_t>(row)] != bin) {
            bin = bins_[static_cast<std::size_t>(row)];
            accumulator.start_at(histogram, binning, bin);
            if (count_leaf_rows) rows_left = bin_rows_[static_cast<std::size_t>(bin)];
        }
        accumulator.add(row);
        ++rows_left;
        if (i + 1 == n_keys) break;
        const std::int64_t next = row_of(keys_[i + 1]);
        const float value = values_[row];
        if (bins_[static_cast<std::size_t>(next)] != bin || !(value < values_[next]))
            continue;
        if (count_leaf_rows && (rows_left < min_samples_leaf_ || n_rows - rows_left < min_samples_leaf_))
            continue;
        const double score = accumulator.score();
        if (!best.found || score > best.score || (score == best.score && bin <= best_bin)) {
            best = {true, score, value, false, false};
            best_bin = -1;  // later positions are higher: they must be strictly better
        }
    }
}

SplitSearch::Found SplitSearch::search_histogram(const NodeTargets& targets, const Binning& binning,
                                                 double to_beat) {
    const bool regression = !targets.is_classification();
    reserve_bins(regression ? 0 : static_cast<std::int64_t>(targets.n_local_classes()) * (binning.n_bins + 1));
    const HistogramScratch histogram = scratch();
    if (regression) {
        kernels_.score_histogram_regression(values_, targets.n_rows(), targets.regression_view(),
                                            binning, min_samples_leaf_, histogram);
    } else {
        kernels_.score_histogram(values_, targets.n_rows(), targets.class_view(), binning,
                                 min_samples_leaf_, histogram);
    }
    Found best;
    best.score = kNoScore;
    std::int32_t best_bin = -1;
    for (std::int32_t b = 0; b < binning.n_bins; ++b) {
        if (bin_score_[static_cast<std::size_t>(b)] > best.score) {
            best.score = bin_score_[static_cast<std::size_t>(b)];
            best_bin = b;
        }
    }
    if (best_bin >= 0 && best.score > to_beat) {
        best.found = true;
        best.lower = kernels_.largest_in_bins(values_, bins_.data(), targets.n_rows(), best_bin);
    }
    if (binning.exact) return best;
    const std::int64_t n_flagged = collect_flagged(targets, binning, to_beat, best.score);
    if (n_flagged == 0) return best;
    if (regression) {
        Moments accumulator{targets};
        refine_bins(binning, accumulator, n_flagged, best, best_bin);
    } else {
        CountGini accumulator{targets.class_view()};
        refine_bins(binning, accumulator, n_flagged, best, best_bin);
    }
    return best;
}

}  // namespace silvan
