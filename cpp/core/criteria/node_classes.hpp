// The classes of a node's samples: what all criteria of classification load, and the leaf value that they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/criteria/criterion.hpp"

namespace silvan {

class NodeClasses {
public:
    explicit NodeClasses(const TrainingTargets& training);

    void reserve_samples(std::int64_t max_samples);

    std::int64_t n_samples() const { return n_samples_; }
    bool is_pure() const { return classes_.size() <= 1; }
    double total_weight() const { return total_weight_; }
    double n_averaged() const { return 1.0; }
    double sample_weight(std::int64_t i) const {
        return is_counted() ? static_cast<double>(counts_[i]) : weight_[static_cast<std::size_t>(i)];
    }
    double weight_up_to(const float* values, float threshold) const {
        if (!is_counted()) return sum_weights_up_to(weight_.data(), values, n_samples_, threshold);
        std::int32_t count = 0;
        for (std::int64_t i = 0; i < n_samples_; ++i) count += values[i] <= threshold ? counts_[i] : 0;
        return count;
    }
    std::int32_t label(std::int64_t i) const { return label_[static_cast<std::size_t>(i)]; }
    const std::vector<double>& totals() const { return totals_; }  // weight of each class of the node
    std::int32_t n_classes() const { return static_cast<std::int32_t>(classes_.size()); }

    // The probabilities that are not zero.
    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const;

    void clear_side(SideSums& side) const {
        side.weight = 0.0;
        side.sums.assign(totals_.size(), 0.0);
    }
    void add_to_side(std::int64_t i, SideSums& side) const {
        const double weight = sample_weight(i);
        side.weight += weight;
        side.sums[static_cast<std::size_t>(label(i))] += weight;
    }

    // The probability of the second of two classes.
    double mean_of(const SideSums& side) const { return side.sums.back() / side.weight; }

protected:
    void load_classes(const NodeContext& node);
    // Only where samples count by their multiplicities alone.
    ClassTargets counted() const;

private:
    bool is_counted() const { return training_.weight == nullptr; }
    void collect_present_classes(const std::uint32_t* samples);
    void count_few_classes(const std::uint32_t* samples);
    void load_weights(const std::uint32_t* samples);

    TrainingTargets training_;
    std::int64_t n_samples_ = 0;
    double total_weight_ = 0.0;
    Buffer<std::int32_t> label_;              // classes, numbered within the node
    const std::int32_t* counts_ = nullptr;    // multiplicities of the node's samples
    Buffer<double> weight_;                   // where counts are not all that matters
    std::vector<double> totals_;              // per local class
    std::vector<std::int32_t> count_totals_;  // the same where samples are counted
    std::vector<std::int32_t> classes_;       // local class -> class code, ascending
    std::vector<std::int32_t> local_class_;   // class code -> local class, -1 where absent
};

}  // namespace silvan
