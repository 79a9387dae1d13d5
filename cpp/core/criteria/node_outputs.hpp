// The numbers that a node's samples have as targets: what all criteria of regression load, with sums in float64.
#pragma once

#include <cstdint>
#include <vector>

#include "core/criteria/criterion.hpp"

namespace silvan {

class NodeOutputs {
public:
    explicit NodeOutputs(const TrainingTargets& training) : training_(training) {}

    void reserve_samples(std::int64_t max_samples);

    std::int64_t n_samples() const { return n_samples_; }
    bool is_pure() const { return pure_; }
    double total_weight() const { return total_weight_; }
    // Impurities are means over the outputs; classes of one output count as one.
    double n_averaged() const { return static_cast<double>(training_.n_averaged); }
    double sample_weight(std::int64_t i) const { return weight_[static_cast<std::size_t>(i)]; }
    double weight_up_to(const float* values, float threshold) const {
        return sum_weights_up_to(weight_.data(), values, n_samples_, threshold);
    }
    std::int64_t n_outputs() const { return training_.n_outputs; }
    const double* sample_sums(std::int64_t i) const { return sum_.data() + i * training_.n_outputs; }
    const std::vector<double>& totals() const { return totals_; }

    // The mean of each output; of classes, the probabilities that are not zero.
    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const;

    void clear_side(SideSums& side) const {
        side.weight = 0.0;
        side.sums.assign(totals_.size(), 0.0);
    }
    void add_to_side(std::int64_t i, SideSums& side) const {
        side.weight += sample_weight(i);
        for (std::size_t k = 0; k < totals_.size(); ++k) side.sums[k] += sample_sums(i)[k];
    }

protected:
    // Calls visit(sum, value) with the weighted and the plain target of every sample and output.
    template <typename Visit>
    void load_outputs(const NodeContext& node, const Visit& visit) {
        n_samples_ = node.n_samples;
        const std::int64_t n = training_.n_outputs;
        totals_.assign(static_cast<std::size_t>(n), 0.0);
        total_weight_ = 0.0;
        pure_ = true;
        const double* first = training_.value + static_cast<std::int64_t>(node.samples[0]) * n;
        for (std::int64_t i = 0; i < n_samples_; ++i) {
            const std::uint32_t sample = node.samples[i];
            const double* value = training_.value + static_cast<std::int64_t>(sample) * n;
            const double weight = node.counts[i] * (training_.weight == nullptr ? 1.0 : training_.weight[sample]);
            weight_[static_cast<std::size_t>(i)] = weight;
            total_weight_ += weight;
            for (std::int64_t k = 0; k < n; ++k) {
                const double sum = weight * value[k];
                sum_[static_cast<std::size_t>(i * n + k)] = sum;
                totals_[static_cast<std::size_t>(k)] += sum;
                visit(sum, value[k]);
                pure_ = pure_ && value[k] == first[k];
            }
        }
    }

    const TrainingTargets& training() const { return training_; }
    const double* weights() const { return weight_.data(); }
    const double* sums() const { return sum_.data(); }

private:
    TrainingTargets training_;
    std::int64_t n_samples_ = 0;
    bool pure_ = false;
    double total_weight_ = 0.0;
    Buffer<double> weight_;
    Buffer<double> sum_;  // weight times target, n_samples x n_outputs
    std::vector<double> totals_;
};

}  // namespace silvan
