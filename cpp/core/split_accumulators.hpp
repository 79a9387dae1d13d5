// What the scanning engines of split search keep of the two sides, one type per criterion.
//
// Accumulators move rows from the right side to the left and know the score of the present division.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/criteria.hpp"
#include "core/node_targets.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

struct CountGini {  // whole multiplicities: sums of squares stay exact when updated
    const ClassTargets targets;
    std::vector<std::int64_t> left = std::vector<std::int64_t>(static_cast<std::size_t>(targets.n_classes));
    std::int64_t weight_left = 0, squares_left = 0, squares_right = 0;

    void clear() {
        std::fill(left.begin(), left.end(), 0);
        weight_left = squares_left = squares_right = 0;
        for (std::int32_t k = 0; k < targets.n_classes; ++k) {
            squares_right += static_cast<std::int64_t>(targets.totals[k]) * targets.totals[k];
        }
    }
    void start_at(const HistogramScratch& scratch, const Binning& binning, std::int32_t bin) {
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
    void add(std::int64_t row) {
        const std::int32_t k = targets.label[row];
        const std::int64_t count = targets.count[row];
        std::int64_t& on_left = left[static_cast<std::size_t>(k)];
        const std::int64_t on_right = targets.totals[k] - on_left;
        squares_left += count * (2 * on_left + count);
        squares_right -= count * (2 * on_right - count);
        on_left += count;
        weight_left += count;
    }
    double score() const {
        return moment_score(static_cast<double>(squares_left), static_cast<double>(weight_left),
                            static_cast<double>(squares_right),
                            static_cast<double>(targets.total - weight_left));
    }
};

struct Moments {  // squared error of any number of outputs
    const NodeTargets& targets;
    std::vector<double> left = std::vector<double>(targets.totals().size());
    double weight_left = 0.0;

    void clear() {
        std::fill(left.begin(), left.end(), 0.0);
        weight_left = 0.0;
    }
    void start_at(const HistogramScratch& scratch, const Binning&, std::int32_t bin) {
        weight_left = scratch.moments[bin];
        left[0] = scratch.moments[kMaxBins + 1 + bin];
    }
    void add(std::int64_t row) {
        const double* sums = targets.row_sums(row);
        for (std::size_t k = 0; k < left.size(); ++k) left[k] += sums[k];
        weight_left += targets.row_weight(row);
    }
    double score() const {
        double squares_left = 0.0;
        double squares_right = 0.0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            const double right = targets.totals()[k] - left[k];
            squares_left += left[k] * left[k];
            squares_right += right * right;
        }
        return moment_score(squares_left, weight_left, squares_right, targets.total_weight() - weight_left);
    }
};

struct WeightedGini : Moments {  // Gini with weights that are not whole numbers
    void add(std::int64_t row) {
        const double weight = targets.row_weight(row);
        left[static_cast<std::size_t>(targets.label()[row])] += weight;
        weight_left += weight;
    }
};

// Terms x log x are rounded to multiples of a power of two, so that updated sums are exact and equal divisions
// score alike, whatever the order in which rows were moved.
struct Entropy {
    const NodeTargets& targets;
    const double scale = entropy_scale(targets.total_weight());
    std::vector<double> left = std::vector<double>(targets.totals().size());
    std::vector<std::int64_t> terms_left = std::vector<std::int64_t>(left.size());
    std::vector<std::int64_t> terms_right = std::vector<std::int64_t>(left.size());
    double weight_left = 0.0;
    std::int64_t sum_left = 0, sum_right = 0;

    std::int64_t term(double x) const { return std::llround(x_log_x(x) * scale); }
    void clear() {
        weight_left = 0.0;
        sum_left = sum_right = 0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            left[k] = 0.0;
            terms_left[k] = 0;
            terms_right[k] = term(targets.totals()[k]);
            sum_right += terms_right[k];
        }
    }
    void add(std::int64_t row) {
        const double weight = targets.row_weight(row);
        const auto k = static_cast<std::size_t>(targets.label()[row]);
        left[k] += weight;
        weight_left += weight;
        sum_left -= terms_left[k];
        sum_right -= terms_right[k];
        terms_left[k] = term(left[k]);
        terms_right[k] = term(targets.totals()[k] - left[k]);
        sum_left += terms_left[k];
        sum_right += terms_right[k];
    }
    double score() const {
        const std::int64_t score = (sum_left - term(weight_left)) +
                                   (sum_right - term(targets.total_weight() - weight_left));
        return static_cast<double>(score) / scale;
    }
};

}  // namespace silvan
