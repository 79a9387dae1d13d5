// Reads a node's samples into float64 columns.
#include "core/samplers/node_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dot.hpp"
#include "core/stopping.hpp"

namespace silvan {

void NodeSample::take(const NodeContext& node, std::int64_t max_samples, Random& random) {
    node_ = &node;
    thin(node.n_samples, max_samples, random);
}

void NodeSample::take_some_classes(const NodeContext& node, std::int64_t max_samples, Random& random) {
    node_ = &node;
    classes_.read(*node.targets, node.samples, static_cast<std::size_t>(node.n_samples));
    std::vector<std::uint8_t> chosen(classes_.n_classes());
    do {
        for (std::uint8_t& is_in : chosen) is_in = static_cast<std::uint8_t>(random.below(2));
    } while (std::find(chosen.begin(), chosen.end(), 1) == chosen.end());
    in_classes_.clear();
    for (std::int64_t i = 0; i < node.n_samples; ++i) {
        if (chosen[classes_.of_sample(static_cast<std::size_t>(i))] != 0) in_classes_.push_back(i);
    }
    thin(static_cast<std::int64_t>(in_classes_.size()), max_samples, random);
    for (std::int64_t& i : taken_) i = in_classes_[static_cast<std::size_t>(i)];
}

void NodeSample::thin(std::int64_t n_samples, std::int64_t max_samples, Random& random) {
    taken_.resize(static_cast<std::size_t>(std::min(n_samples, max_samples)));
    if (n_samples <= max_samples) {
        std::iota(taken_.begin(), taken_.end(), 0);
    } else {
        for (std::int64_t part = 0; part < max_samples; ++part) {
            const auto step = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n_samples)));
            taken_[static_cast<std::size_t>(part)] = (part * n_samples + step) / max_samples;
        }
    }
    undo_draw();
}

void NodeSample::draw(std::int64_t n_draws, Random& random) {
    count_.assign(taken_.size(), 0);
    for (std::int64_t i = 0; i < n_draws; ++i) ++count_[random.below(taken_.size())];
}

void NodeSample::undo_draw() { count_.assign(taken_.size(), 1); }

void NodeSample::start_reading(std::size_t n_columns) {
    n_columns_ = n_columns;
    samples_.clear();
    weight_.clear();
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        if (count_[i] == 0) continue;
        samples_.push_back(node_->samples[taken_[i]]);
        weight_.push_back(count_[i] * sample_weight(*node_, taken_[i]));
    }
    total_weight_ = sum(weight_.data(), weight_.size());
    values_.resize(n_columns_ * samples_.size());
}

void NodeSample::load(const std::vector<std::int32_t>& features) {
    start_reading(features.size());
    if (samples_.empty()) return;
    for (std::size_t j = 0; j < n_columns_; ++j) {
        node_->columns->read_feature(features[j], samples_.data(), static_cast<std::int64_t>(samples_.size()),
                                     column(j));
    }
    if (node_->columns->feature_type() != FeatureType::uint8) drop_incomplete_samples();
    center();
}

void NodeSample::drop_incomplete_samples() {
    const std::size_t n_read = samples_.size();
    // A sum is missing where one of its terms is: cheaper than asking them one by one. (Finite features have a
    // finite sum.)
    if (!std::isnan(sum(values_.data(), values_.size()))) return;
    std::vector<std::size_t> complete;
    for (std::size_t i = 0; i < n_read; ++i) {
        bool missing = false;
        for (std::size_t j = 0; j < n_columns_; ++j) missing = missing || std::isnan(values_[j * n_read + i]);
        if (!missing) complete.push_back(i);
    }
    // Each value moves towards the front, so none is overwritten before it is read.
    for (std::size_t j = 0; j < n_columns_; ++j) {
        for (std::size_t i = 0; i < complete.size(); ++i) {
            values_[j * complete.size() + i] = values_[j * n_read + complete[i]];
        }
    }
    for (std::size_t i = 0; i < complete.size(); ++i) {
        samples_[i] = samples_[complete[i]];
        weight_[i] = weight_[complete[i]];
    }
    samples_.resize(complete.size());
    weight_.resize(complete.size());
    values_.resize(n_columns_ * complete.size());
}

// The first value is taken off before the mean: a constant column becomes exactly zero.
void NodeSample::center() {
    total_weight_ = sum(weight_.data(), weight_.size());
    for (std::size_t j = 0; j < n_columns_ && !samples_.empty(); ++j) {
        double* x = column(j);
        const double first = x[0];
        for (std::size_t i = 0; i < samples_.size(); ++i) x[i] -= first;
        const double mean = dot(x, weight_.data(), samples_.size()) / total_weight_;
        for (std::size_t i = 0; i < samples_.size(); ++i) x[i] -= mean;
    }
}

void NodeSample::scale_by_weight() {
    scratch_.resize(samples_.size());
    for (std::size_t i = 0; i < samples_.size(); ++i) scratch_[i] = std::sqrt(weight_[i] / total_weight_);
    for (std::size_t j = 0; j < n_columns_; ++j) {
        double* x = column(j);
        for (std::size_t i = 0; i < samples_.size(); ++i) x[i] *= scratch_[i];
    }
}

void NodeSample::standardize(std::vector<double>& deviation, std::vector<std::size_t>& present) {
    deviation.clear();
    present.clear();
    for (std::size_t j = 0; j < n_columns_; ++j) {
        const double* x = column(j);
        scratch_.resize(samples_.size());
        for (std::size_t i = 0; i < samples_.size(); ++i) scratch_[i] = weight_[i] * x[i];
        const double squares = dot(scratch_.data(), x, samples_.size());
        if (!(squares > 0.0)) continue;
        deviation.push_back(std::sqrt(squares / total_weight_));
        double* to = column(present.size());
        const double scale = 1.0 / deviation.back();
        for (std::size_t i = 0; i < samples_.size(); ++i) to[i] = scale * x[i];
        present.push_back(j);
    }
    n_columns_ = present.size();
}

void covariances(const NodeSample& sample, std::vector<double>& matrix) {
    const std::size_t k = sample.n_columns();
    matrix.resize(k * k);
    for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t l = j; l < k; ++l) {
            throw_if_stopped(static_cast<std::int64_t>(sample.n_samples()));
            matrix[j * k + l] = dot(sample.column(j), sample.column(l), sample.n_samples());
        }
    }
}

bool append_direction(const std::vector<std::int32_t>& features, const double* coefficients, ProjectionBatch& batch) {
    constexpr double kNearlyLargest = 1.0 - 1e-6;
    double largest = 0.0;
    double squares = 0.0;
    for (std::size_t j = 0; j < features.size(); ++j) {
        largest = std::max(largest, std::abs(coefficients[j]));
        squares += coefficients[j] * coefficients[j];
    }
    if (!(squares > 0.0) || !std::isfinite(squares)) return false;
    std::size_t pivot = 0;
    while (std::abs(coefficients[pivot]) < kNearlyLargest * largest) ++pivot;
    const double scale = (coefficients[pivot] < 0.0 ? -1.0 : 1.0) / std::sqrt(squares);
    for (std::size_t j = 0; j < features.size(); ++j) {
        const auto coefficient = static_cast<float>(scale * coefficients[j]);
        if (coefficient != 0.0F) batch.add(features[j], coefficient);
    }
    batch.end_direction();
    return true;
}

}  // namespace silvan
