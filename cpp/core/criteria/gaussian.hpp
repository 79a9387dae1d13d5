// The criterion of unsupervised forests: maximises -W log|C| over both sides, C the covariance of their samples.
#pragma once

#include <vector>

#include "core/criteria/criterion.hpp"
#include "core/criteria/gaussian_space.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

class Gaussian final {
public:
    Gaussian(const TrainingTargets& training, const GaussianOptions& options)
        : training_(training), options_(options), space_(options) {}

    struct Accumulator {
        Gaussian& criterion;
        double weight_left = 0.0;

        void clear() {
            weight_left = 0.0;
            criterion.space_.clear(criterion.left_);
        }
        void add(std::int64_t sample) {
            weight_left += criterion.sample_weight(sample);
            criterion.space_.add(sample, criterion.left_);
        }
        double score() const { return criterion.score_division(); }
    };

    void reserve_samples(std::int64_t max_samples);
    // Reads weights; what the node is worth comes from `measure`.
    void load(const NodeContext& node);
    void measure(const NodeContext& node, ProjectionSampler& sampler);

    std::int64_t n_samples() const { return n_samples_; }
    bool is_pure() const { return space_.n_dimensions() == 0; }
    double total_weight() const { return total_weight_; }
    double impurity() const { return space_.impurity(); }
    double base_score() const { return -total_weight_ * space_.log_determinant(); }
    double n_averaged() const { return 1.0; }
    double sample_weight(std::int64_t i) const { return weight_[static_cast<std::size_t>(i)]; }
    double weight_up_to(const float* values, float threshold) const {
        return sum_weights_up_to(weight_.data(), values, n_samples_, threshold);
    }

    // The node's weight.
    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const;

    void choose_thresholds(std::int64_t n, std::vector<std::int64_t>& chosen) { space_.choose_thresholds(n, chosen); }

private:
    void add_dimensions(const NodeContext& node, const ProjectionBatch& batch);
    double score_division();

    TrainingTargets training_;
    GaussianOptions options_;
    GaussianSpace space_;
    std::int64_t n_samples_ = 0;
    double total_weight_ = 0.0;
    Buffer<double> weight_;
    GaussianSums left_, right_;
    ProjectionBatch features_;  // every feature by itself
    ProjectionBatch drawn_;
    std::vector<float> values_;
};

}  // namespace silvan
