// Loads the targets of a node for squared error.
#include "core/criteria/squared_error.hpp"

#include <cmath>

namespace silvan {
namespace {

// A sum of products in twice the precision of double, so that it rounds alike for any order of the samples.
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

void SquaredError::reserve_samples(std::int64_t max_samples) {
    const auto n = static_cast<std::size_t>(max_samples);
    if (n <= weight_.size()) return;
    sum_.allocate(n * static_cast<std::size_t>(training_.n_outputs));
    weight_.allocate(n);
}

void SquaredError::load(const NodeContext& node) {
    n_samples_ = node.n_samples;
    const std::int64_t n_outputs = training_.n_outputs;
    totals_.assign(static_cast<std::size_t>(n_outputs), 0.0);
    total_weight_ = 0.0;
    ExactSum squares;
    pure_ = true;
    const double* first = training_.value + static_cast<std::int64_t>(node.samples[0]) * n_outputs;
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const std::uint32_t sample = node.samples[i];
        const double* value = training_.value + static_cast<std::int64_t>(sample) * n_outputs;
        const double weight = node.counts[i] * (training_.weight == nullptr ? 1.0 : training_.weight[sample]);
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

void SquaredError::append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const {
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        outputs.push_back(static_cast<std::int32_t>(k));
        values.push_back(totals_[k] / total_weight_);
    }
}

}  // namespace silvan
