// Scores of Poisson deviance.
#include "core/criteria/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/criteria/exact_sum.hpp"

namespace silvan {
namespace {

double x_log(double x, double y) { return x > 0.0 ? x * std::log(y) : 0.0; }

double side_score(const std::vector<double>& sums, double weight) {
    double score = 0.0;
    for (const double sum : sums) score += x_log(sum, sum / weight);
    return score;
}

bool any_zero(const std::vector<double>& sums) {
    return std::any_of(sums.begin(), sums.end(), [](double sum) { return sum <= 0.0; });
}

}  // namespace

void Poisson::load(const NodeContext& node) {
    ExactSum terms;
    load_outputs(node, [&terms](double sum, double value) {
        if (value > 0.0) terms.add_product(sum, std::log(value));
    });
    base_score_ = side_score(totals(), total_weight());
    const double decrease = std::max(0.0, terms.value() - base_score_);
    impurity_ = is_pure() ? 0.0 : decrease / total_weight() / n_averaged();
}

double Poisson::score(const std::vector<double>& left, double weight_left) const {
    const double weight_right = total_weight() - weight_left;
    double score_left = 0.0;
    double score_right = 0.0;
    for (std::size_t k = 0; k < left.size(); ++k) {
        const double right = totals()[k] - left[k];
        // An output without any event in the node does not forbid a split.
        if (totals()[k] > 0.0 && (left[k] <= 0.0 || right <= 0.0)) return -std::numeric_limits<double>::infinity();
        score_left += x_log(left[k], left[k] / weight_left);
        score_right += x_log(right, right / weight_right);
    }
    return score_left + score_right;
}

double Poisson::gain(const SideSums& left, const SideSums& right) const {
    if (any_zero(left.sums) || any_zero(right.sums)) return 0.0;
    SideSums both = left;
    both.weight += right.weight;
    for (std::size_t k = 0; k < both.sums.size(); ++k) both.sums[k] += right.sums[k];
    return side_score(left.sums, left.weight) + side_score(right.sums, right.weight) -
           side_score(both.sums, both.weight);
}

}  // namespace silvan
