// Entropy of the classes of several outputs, which are read as indicators: the mean over the outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/criteria/entropy.hpp"
#include "core/criteria/moments.hpp"
#include "core/criteria/node_outputs.hpp"

namespace silvan {

class OutputEntropy final : public NodeOutputs {
public:
    using NodeOutputs::NodeOutputs;

    // Every score is added up anew from terms that are rounded to multiples of a power of two (see Entropy).
    struct Accumulator : SumAccumulator<OutputEntropy> {
        double score() const { return criterion.score(left, weight_left); }
    };

    void load(const NodeContext& node) {
        load_outputs(node, [](double, double) {});
        scale_ = entropy_scale(total_weight() * static_cast<double>(n_outputs()));
        base_score_ = static_cast<double>(side_terms(totals(), total_weight())) / scale_;
    }
    double base_score() const { return base_score_; }
    double impurity() const { return is_pure() ? 0.0 : -base_score_ / total_weight() / n_averaged(); }

    double score(const std::vector<double>& left, double weight_left) const {
        std::int64_t terms = side_terms(left, weight_left) - weight_term(total_weight() - weight_left);
        for (std::size_t k = 0; k < left.size(); ++k) terms += term(totals()[k] - left[k]);
        return static_cast<double>(terms) / scale_;
    }
    double gain(const SideSums& left, const SideSums& right) const {
        double gain =
            n_averaged() * (x_log_x(left.weight + right.weight) - x_log_x(left.weight) - x_log_x(right.weight));
        for (std::size_t k = 0; k < left.sums.size(); ++k) {
            gain += x_log_x(left.sums[k]) + x_log_x(right.sums[k]) - x_log_x(left.sums[k] + right.sums[k]);
        }
        return gain;
    }

private:
    std::int64_t term(double x) const { return std::llround(x_log_x(x) * scale_); }
    std::int64_t weight_term(double weight) const { return training().n_averaged * term(weight); }
    std::int64_t side_terms(const std::vector<double>& sums, double weight) const {
        std::int64_t terms = -weight_term(weight);
        for (const double sum : sums) terms += term(sum);
        return terms;
    }

    double scale_ = 1.0;
    double base_score_ = 0.0;
};

}  // namespace silvan
