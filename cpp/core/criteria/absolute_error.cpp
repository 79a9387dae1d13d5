// Medians of both sides of a split, as samples move from one to the other.
#include "core/criteria/absolute_error.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace silvan {

void AbsoluteError::load(const NodeContext& node) {
    load_outputs(node, [](double, double) {});
    outputs_.resize(static_cast<std::size_t>(n_outputs()));
    left_sums_.assign(outputs_.size(), 0.0);
    base_score_ = 0.0;
    for (std::int64_t k = 0; k < n_outputs(); ++k) load_output(k);
}

void AbsoluteError::load_output(std::int64_t k) {
    Output& output = outputs_[static_cast<std::size_t>(k)];
    const auto n = static_cast<std::size_t>(n_samples());
    // The targets themselves: sums are exact, and so are their quotients.
    values_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto sample = static_cast<std::int64_t>(i);
        values_[i] = sample_sums(sample)[k] / sample_weight(sample);
    }
    const auto value_of = [this](std::int32_t i) { return values_[static_cast<std::size_t>(i)]; };
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) { return value_of(a) < value_of(b); });
    output.values.clear();
    output.rank.resize(n);
    for (const std::int32_t i : order_) {
        if (output.values.empty() || value_of(i) != output.values.back()) output.values.push_back(value_of(i));
        output.rank[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(output.values.size());
    }
    const std::size_t n_ranks = output.values.size();
    output.all.assign(n_ranks + 1, {});
    output.left.assign(n_ranks + 1, {});
    for (std::size_t i = 0; i < n; ++i) {
        const auto sample = static_cast<std::int64_t>(i);
        output.all[static_cast<std::size_t>(output.rank[i])] += {sample_weight(sample), sample_sums(sample)[k]};
    }
    const double half = 0.5 * total_weight();
    double up_to = 0.0;
    for (std::size_t r = 1; r <= n_ranks; ++r) {
        const double before = up_to;
        up_to += output.all[r].weight;
        if (before < half && up_to >= half) {
            const bool between = up_to == half && r < n_ranks;
            output.median = between ? 0.5 * output.values[r - 1] + 0.5 * output.values[r] : output.values[r - 1];
        }
    }
    for (std::size_t r = 1; r <= n_ranks; ++r) {
        const std::size_t parent = r + (r & (~r + 1));
        if (parent <= n_ranks) output.all[parent] += output.all[r];
    }
    base_score_ += side_score(output, {total_weight(), totals()[static_cast<std::size_t>(k)]},
                              [&output](std::size_t r) { return output.all[r]; });
}

void AbsoluteError::append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        outputs.push_back(static_cast<std::int32_t>(k));
        values.push_back(outputs_[k].median);
    }
}

void AbsoluteError::clear_left() {
    std::fill(left_sums_.begin(), left_sums_.end(), 0.0);
    for (Output& output : outputs_) std::fill(output.left.begin(), output.left.end(), Moments{});
}

void AbsoluteError::move_left(std::int64_t sample) {
    const double weight = sample_weight(sample);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        Output& output = outputs_[k];
        const Moments moved{weight, sample_sums(sample)[k]};
        left_sums_[k] += moved.sum;
        for (auto r = static_cast<std::size_t>(output.rank[static_cast<std::size_t>(sample)]); r < output.left.size();
             r += r & (~r + 1)) {
            output.left[r] += moved;
        }
    }
}

// Goes down the tree of partial sums to the last rank that is below the median, as `is_below` tells from the weight up
// to it, and returns that rank; `below` is what lies up to it.
template <typename Entry, typename IsBelow>
std::size_t AbsoluteError::last_below(const Output& output, const Entry& entry, const IsBelow& is_below,
                                      Moments& below) {
    const std::size_t n_ranks = output.values.size();
    std::size_t rank = 0;
    for (std::size_t step = std::bit_floor(n_ranks); step > 0; step /= 2) {
        if (rank + step > n_ranks) continue;
        Moments reached = below;
        reached += entry(rank + step);
        if (!is_below(reached.weight)) continue;
        rank += step;
        below = reached;
    }
    return std::min(rank, n_ranks - 1);
}

template <typename Entry>
double AbsoluteError::side_score(const Output& output, const Moments& total, const Entry& entry) {
    const double half = 0.5 * total.weight;
    Moments below;
    const std::size_t rank = last_below(output, entry, [half](double weight) { return weight < half; }, below);
    const Moments above = total - below;
    return -((above.sum - below.sum) - output.values[rank] * (above.weight - below.weight));
}

// The middle of two targets where each has half of the weight on its side, as in leaves.
template <typename Entry>
double AbsoluteError::side_median(const Output& output, double weight, const Entry& entry) {
    const double half = 0.5 * weight;
    Moments less;
    Moments most;
    const std::size_t first = last_below(output, entry, [half](double up_to) { return up_to < half; }, less);
    const std::size_t last = last_below(output, entry, [half](double up_to) { return up_to <= half; }, most);
    return first == last ? output.values[first] : 0.5 * output.values[first] + 0.5 * output.values[last];
}

SidePair AbsoluteError::medians(double weight_left) const {
    const Output& output = outputs_[0];
    return {side_median(output, weight_left, [&output](std::size_t r) { return output.left[r]; }),
            side_median(output, total_weight() - weight_left,
                        [&output](std::size_t r) { return output.all[r] - output.left[r]; })};
}

double AbsoluteError::score(double weight_left) const {
    double score_left = 0.0;
    double score_right = 0.0;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        const Output& output = outputs_[k];
        const Moments left{weight_left, left_sums_[k]};
        score_left += side_score(output, left, [&output](std::size_t r) { return output.left[r]; });
        score_right += side_score(output, Moments{total_weight(), totals()[k]} - left,
                                  [&output](std::size_t r) { return output.all[r] - output.left[r]; });
    }
    return score_left + score_right;
}

// Only directions with learnt values ask for this, once each.
double AbsoluteError::gain(const SideSums& left, const SideSums& right) const {
    std::vector<double> both = left.sums;
    both.insert(both.end(), right.sums.begin(), right.sums.end());
    double gain = 0.0;
    for (std::int64_t k = 0; k < n_outputs(); ++k) {
        gain += score_samples(k, left.sums) + score_samples(k, right.sums) - score_samples(k, both);
    }
    return gain;
}

double AbsoluteError::score_samples(std::int64_t k, std::vector<double> samples) const {
    const Output& output = outputs_[static_cast<std::size_t>(k)];
    const auto rank_of = [&output](double sample) { return output.rank[static_cast<std::size_t>(sample)]; };
    std::sort(samples.begin(), samples.end(), [&](double a, double b) { return rank_of(a) < rank_of(b); });
    double weight = 0.0;
    for (const double sample : samples) weight += sample_weight(static_cast<std::int64_t>(sample));
    double up_to = 0.0;
    double median = 0.0;
    for (const double sample : samples) {
        up_to += sample_weight(static_cast<std::int64_t>(sample));
        median = output.values[static_cast<std::size_t>(rank_of(sample) - 1)];
        if (up_to >= 0.5 * weight) break;
    }
    double deviations = 0.0;
    for (const double sample : samples) {
        const double value = output.values[static_cast<std::size_t>(rank_of(sample) - 1)];
        deviations +=
            sample_weight(static_cast<std::int64_t>(sample)) * (value > median ? value - median : median - value);
    }
    return -deviations;
}

}  // namespace silvan
