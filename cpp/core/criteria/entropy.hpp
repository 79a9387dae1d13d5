// Entropy: maximises sum_k xlogx(S_k) - xlogx(W) over both sides, S_k the weights of the classes and W their sum.
#pragma once

#include <cmath>

#include "core/criteria/node_classes.hpp"

namespace silvan {

inline double x_log_x(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

// A power of two that makes x_log_x(x) * scale at most about 2^51 for all x up to `weight`.
inline double entropy_scale(double weight) {
    const double largest = weight * std::abs(std::log2(weight)) + weight + 1.0;
    return std::ldexp(1.0, 50 - std::ilogb(largest));
}

class Entropy final : public NodeClasses {
public:
    using NodeClasses::NodeClasses;

    void load(const NodeContext& node) {
        load_classes(node);
        double logs = 0.0;
        for (const double total : totals()) logs += x_log_x(total);
        base_score_ = logs - x_log_x(total_weight());
    }
    double base_score() const { return base_score_; }
    double impurity() const { return is_pure() ? 0.0 : -base_score_ / total_weight(); }

    double gain(const SideSums& left, const SideSums& right) const {
        double gain = x_log_x(left.weight + right.weight) - x_log_x(left.weight) - x_log_x(right.weight);
        for (std::size_t k = 0; k < left.sums.size(); ++k) {
            gain += x_log_x(left.sums[k]) + x_log_x(right.sums[k]) - x_log_x(left.sums[k] + right.sums[k]);
        }
        return gain;
    }

    // Terms x log x are rounded to multiples of a power of two, so that updated sums are exact and equal divisions
    // score alike, whatever the order in which samples were moved.
    struct Accumulator {
        const Entropy& criterion;
        const double scale = entropy_scale(criterion.total_weight());
        std::vector<double> left = std::vector<double>(criterion.totals().size());
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
                terms_right[k] = term(criterion.totals()[k]);
                sum_right += terms_right[k];
            }
        }
        void add(std::int64_t sample) {
            const double weight = criterion.sample_weight(sample);
            const auto k = static_cast<std::size_t>(criterion.label(sample));
            left[k] += weight;
            weight_left += weight;
            sum_left -= terms_left[k];
            sum_right -= terms_right[k];
            terms_left[k] = term(left[k]);
            terms_right[k] = term(criterion.totals()[k] - left[k]);
            sum_left += terms_left[k];
            sum_right += terms_right[k];
        }
        double score() const {
            const std::int64_t score =
                (sum_left - term(weight_left)) + (sum_right - term(criterion.total_weight() - weight_left));
            return static_cast<double>(score) / scale;
        }
    };

private:
    double base_score_ = 0.0;
};

}  // namespace silvan
