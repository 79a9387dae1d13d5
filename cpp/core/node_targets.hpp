// The targets of one node's rows, laid out for split search; filled once per node, read once per direction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/criteria.hpp"
#include "core/gaussian_space.hpp"
#include "core/split_kernels.hpp"
#include "core/training_targets.hpp"

namespace silvan {

class NodeTargets {
public:
    NodeTargets(const TrainingTargets& training, Criterion criterion, std::int64_t max_rows);

    // Makes room for nodes of so many rows.
    void reserve_rows(std::int64_t max_rows);

    // Reads the targets of these rows; `counts` has the multiplicity of each, and must stay.
    void load(const std::uint32_t* rows, std::int64_t n_rows, const std::int32_t* counts);

    bool is_classification() const { return training_.label != nullptr; }
    bool is_gaussian() const { return criterion_ == Criterion::gaussian; }
    // Integer counts: whole multiplicities and no further weights.
    bool has_integer_counts() const { return is_classification() && training_.weight == nullptr; }
    // Takes what a node without targets is worth from the space that measures its rows.
    void describe(const GaussianSpace& space);

    bool is_pure() const { return pure_; }
    Criterion criterion() const { return criterion_; }
    std::int64_t n_rows() const { return n_rows_; }
    std::int64_t n_outputs() const { return training_.n_outputs; }
    std::int32_t n_local_classes() const { return static_cast<std::int32_t>(classes_.size()); }
    double total_weight() const { return total_weight_; }
    double impurity() const { return impurity_; }

    // What the split score is when nothing is split: score - base_score() is the decrease times weight.
    double base_score() const { return base_score_; }

    ClassTargets class_view() const;
    RegressionTargets regression_view() const;

    const std::int32_t* label() const { return label_.data(); }
    double row_weight(std::int64_t i) const {
        const auto at = static_cast<std::size_t>(i);
        return has_integer_counts() ? static_cast<double>(counts_[i]) : weight_[at];
    }
    const double* row_weights() const { return weight_.data(); }
    const double* row_sums(std::int64_t i) const { return sum_.data() + i * training_.n_outputs; }
    const std::vector<double>& totals() const { return totals_; }

    // Appends the node's leaf value: class probabilities that are not zero, mean targets, or, without
    // targets, its weight.
    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const;

private:
    void load_classes(const std::uint32_t* rows);
    void load_weights(const std::uint32_t* rows);
    void load_regression(const std::uint32_t* rows);
    void collect_present_classes(const std::uint32_t* rows);

    TrainingTargets training_;
    Criterion criterion_;
    std::int64_t n_rows_ = 0;
    bool pure_ = false;
    double total_weight_ = 0.0;
    double base_score_ = 0.0;
    double impurity_ = 0.0;
    Buffer<std::int32_t> label_;              // classes, numbered within the node
    const std::int32_t* counts_ = nullptr;    // multiplicities of the node's rows
    Buffer<double> weight_;                   // where counts are not all that matters
    Buffer<double> sum_;                      // regression: weight times target, n_rows x n_outputs
    std::vector<double> totals_;              // per local class, or per output
    std::vector<std::int32_t> count_totals_;  // per local class, integer counts only
    std::vector<std::int32_t> classes_;       // local class -> class code, ascending
    std::vector<std::int32_t> local_class_;   // class code -> local class, -1 where absent
};

}  // namespace silvan
