// Fills NodeTargets: local class numbers, exact totals, impurity and purity of a node.
#include "core/node_targets.hpp"

#include <algorithm>
#include <cmath>

namespace silvan {
namespace {

// A sum of products in twice the precision of double, so that it rounds alike for any order of the rows.
class ExactSum {
public:
    void add_product(double a, double b) {
        const double product = a * b;
        const double product_error = std::fma(a, b, -product);
        const double sum = high_ + product;
        const double part = sum - high_;
        low_ += (high_ - (sum - part)) + (product - part) + product_error;
        high_ = sum;
    }
    double value() const { return high_ + low_; }

private:
    double high_ = 0.0;
    double low_ = 0.0;
};

}  // namespace

NodeTargets::NodeTargets(const TrainingTargets& training, Criterion criterion, std::int64_t max_rows)
    : training_(training), criterion_(criterion) {
    if (is_classification()) local_class_.assign(static_cast<std::size_t>(training.n_outputs), -1);
    reserve_rows(max_rows);
}

void NodeTargets::reserve_rows(std::int64_t max_rows) {
    const auto n = static_cast<std::size_t>(max_rows);
    if (n <= std::max(label_.size(), weight_.size())) return;
    if (is_classification()) {
        label_.allocate(n);
    } else if (!is_gaussian()) {
        sum_.allocate(n * static_cast<std::size_t>(training_.n_outputs));
    }
    if (!has_integer_counts()) weight_.allocate(n);
}

void NodeTargets::load(const std::uint32_t* rows, std::int64_t n_rows, const std::int32_t* counts) {
    n_rows_ = n_rows;
    counts_ = counts;
    if (is_classification()) {
        load_classes(rows);
    } else if (is_gaussian()) {
        load_weights(rows);
    } else {
        load_regression(rows);
    }
}

void NodeTargets::collect_present_classes(const std::uint32_t* rows) {
    for (const std::int32_t code : classes_) local_class_[static_cast<std::size_t>(code)] = -1;
    classes_.clear();
    for (std::int64_t i = 0; i < n_rows_; ++i) {
        const std::int32_t code = training_.label[rows[i]];
        std::int32_t& local = local_class_[static_cast<std::size_t>(code)];
        if (local < 0) {
            local = 0;
            classes_.push_back(code);
            if (static_cast<std::int64_t>(classes_.size()) == training_.n_outputs) break;
        }
    }
    std::sort(classes_.begin(), classes_.end());
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        local_class_[static_cast<std::size_t>(classes_[k])] = static_cast<std::int32_t>(k);
    }
}

void NodeTargets::load_classes(const std::uint32_t* rows) {
    collect_present_classes(rows);
    totals_.assign(classes_.size(), 0.0);
    count_totals_.assign(classes_.size(), 0);
    for (std::int64_t i = 0; i < n_rows_; ++i) {
        const std::uint32_t row = rows[i];
        const std::int32_t local = local_class_[static_cast<std::size_t>(training_.label[row])];
        const auto at = static_cast<std::size_t>(i);
        label_[at] = local;
        if (training_.weight == nullptr) {
            count_totals_[static_cast<std::size_t>(local)] += counts_[i];
        } else {
            weight_[at] = counts_[i] * training_.weight[row];
            totals_[static_cast<std::size_t>(local)] += weight_[at];
        }
    }
    total_weight_ = 0.0;
    double squares = 0.0;
    double logs = 0.0;
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        if (training_.weight == nullptr) totals_[k] = count_totals_[k];
        total_weight_ += totals_[k];
        squares += totals_[k] * totals_[k];
        logs += x_log_x(totals_[k]);
    }
    pure_ = classes_.size() <= 1;
    if (criterion_ == Criterion::entropy) {
        base_score_ = logs - x_log_x(total_weight_);
        impurity_ = pure_ ? 0.0 : -base_score_ / total_weight_;
    } else {
        base_score_ = squares / total_weight_;
        impurity_ = pure_ ? 0.0 : 1.0 - base_score_ / total_weight_;
    }
}

void NodeTargets::load_weights(const std::uint32_t* rows) {
    total_weight_ = 0.0;
    for (std::int64_t i = 0; i < n_rows_; ++i) {
        const double weight = training_.weight == nullptr ? 1.0 : training_.weight[rows[i]];
        weight_[static_cast<std::size_t>(i)] = counts_[i] * weight;
        total_weight_ += weight_[static_cast<std::size_t>(i)];
    }
}

void NodeTargets::describe(const GaussianSpace& space) {
    pure_ = space.n_dimensions() == 0;
    base_score_ = -total_weight_ * space.log_determinant();
    impurity_ = space.impurity();
}

void NodeTargets::load_regression(const std::uint32_t* rows) {
    const std::int64_t n_outputs = training_.n_outputs;
    totals_.assign(static_cast<std::size_t>(n_outputs), 0.0);
    total_weight_ = 0.0;
    ExactSum squares;
    pure_ = true;
    const double* first = training_.value + static_cast<std::int64_t>(rows[0]) * n_outputs;
    for (std::int64_t i = 0; i < n_rows_; ++i) {
        const std::uint32_t row = rows[i];
        const double* value = training_.value + static_cast<std::int64_t>(row) * n_outputs;
        const double weight = counts_[i] * (training_.weight == nullptr ? 1.0 : training_.weight[row]);
        weight_[static_cast<std::size_t>(i)] = weight;
        total_weight_ += weight;
        for (std::int64_t k = 0; k < n_outputs; ++k) {
            const double sum = weight * value[k];
            sum_[static_cast<std::size_t>(i * n_outputs + k)] = sum;
            totals_[static_cast<std::size_t>(k)] += sum;
            squares.add_product(sum, value[k]);
            pure_ = pure_ && value[k] == first[k];
        }
    }
    base_score_ = 0.0;
    for (const double total : totals_) base_score_ += total * total;
    base_score_ /= total_weight_;
    const double decrease = std::max(0.0, squares.value() - base_score_);
    impurity_ = pure_ ? 0.0 : decrease / total_weight_ / static_cast<double>(n_outputs);
}

ClassTargets NodeTargets::class_view() const {
    return {label_.data(), counts_, count_totals_.data(), n_local_classes(),
            static_cast<std::int32_t>(total_weight_)};
}

RegressionTargets NodeTargets::regression_view() const {
    return {weight_.data(), sum_.data(), total_weight_, totals_[0]};
}

void NodeTargets::append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const {
    if (is_gaussian()) {
        outputs.push_back(0);
        values.push_back(total_weight_);
        return;
    }
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        outputs.push_back(is_classification() ? classes_[k] : static_cast<std::int32_t>(k));
        values.push_back(totals_[k] / total_weight_);
    }
}

}  // namespace silvan
