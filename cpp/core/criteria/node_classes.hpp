// The classes of a node's rows: what all criteria of classification load, and the leaf value that they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/criteria/criterion.hpp"

namespace silvan {

class NodeClasses {
public:
    explicit NodeClasses(const TrainingTargets& training);

    void reserve_rows(std::int64_t max_rows);

    std::int64_t n_rows() const { return n_rows_; }
    bool is_pure() const { return classes_.size() <= 1; }
    double total_weight() const { return total_weight_; }
    double n_averaged() const { return 1.0; }
    double row_weight(std::int64_t i) const {
        return is_counted() ? static_cast<double>(counts_[i]) : weight_[static_cast<std::size_t>(i)];
    }
    double weight_up_to(const float* values, float threshold) const {
        if (!is_counted()) return sum_weights_up_to(weight_.data(), values, n_rows_, threshold);
        std::int32_t count = 0;
        for (std::int64_t i = 0; i < n_rows_; ++i) count += values[i] <= threshold ? counts_[i] : 0;
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
        const double weight = row_weight(i);
        side.weight += weight;
        side.sums[static_cast<std::size_t>(label(i))] += weight;
    }

protected:
    void load_classes(const NodeContext& node);
    // Only where rows count by their multiplicities alone.
    ClassTargets counted() const;

private:
    bool is_counted() const { return training_.weight == nullptr; }
    void collect_present_classes(const std::uint32_t* rows);

    TrainingTargets training_;
    std::int64_t n_rows_ = 0;
    double total_weight_ = 0.0;
    Buffer<std::int32_t> label_;              // classes, numbered within the node
    const std::int32_t* counts_ = nullptr;    // multiplicities of the node's rows
    Buffer<double> weight_;                   // where counts are not all that matters
    std::vector<double> totals_;              // per local class
    std::vector<std::int32_t> count_totals_;  // the same where rows are counted
    std::vector<std::int32_t> classes_;       // local class -> class code, ascending
    std::vector<std::int32_t> local_class_;   // class code -> local class, -1 where absent
};

}  // namespace silvan
