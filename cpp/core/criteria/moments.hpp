// What criteria with sums of targets in float64 share: the sums of a side, and the score of Gini impurity with
// fractional weights and of squared error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/criteria/criterion.hpp"
#include "core/criteria/moment_score.hpp"

namespace silvan {

// The sums of the left side. The criterion has the totals of the node, and the weighted targets of a sample; one that
// has them otherwise adds samples by itself.
template <typename C>
struct SumAccumulator {
    const C& criterion;
    std::vector<double> left = std::vector<double>(criterion.totals().size());
    double weight_left = 0.0;

    void clear() {
        std::fill(left.begin(), left.end(), 0.0);
        weight_left = 0.0;
    }
    void add(std::int64_t sample) {
        const double* sums = criterion.sample_sums(sample);
        for (std::size_t k = 0; k < left.size(); ++k) left[k] += sums[k];
        weight_left += criterion.sample_weight(sample);
    }
};

template <typename C>
struct MomentAccumulator : SumAccumulator<C> {
    using SumAccumulator<C>::criterion, SumAccumulator<C>::left, SumAccumulator<C>::weight_left;

    double score() const {
        double squares_left = 0.0;
        double squares_right = 0.0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            const double right = criterion.totals()[k] - left[k];
            squares_left += left[k] * left[k];
            squares_right += right * right;
        }
        return moment_score(squares_left, weight_left, squares_right, criterion.total_weight() - weight_left);
    }
};

// What dividing some samples into these sides gains.
inline double moment_gain(const SideSums& left, const SideSums& right) {
    double gain = 0.0;
    for (std::size_t k = 0; k < left.sums.size(); ++k) {
        const double on_left = left.sums[k];
        const double on_right = right.sums[k];
        const double both = on_left + on_right;
        gain += moment_score(on_left * on_left, left.weight, on_right * on_right, right.weight) -
                both * both / (left.weight + right.weight);
    }
    return gain;
}

}  // namespace silvan
