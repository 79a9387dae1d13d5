// Climbs from a random hyperplane to one that splits better, one coefficient at a time.
#include "core/samplers/perturbed_hyperplanes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/samplers/class_numbers.hpp"
#include "core/samplers/feature_draw.hpp"
#include "core/samplers/node_sample.hpp"
#include "core/stopping.hpp"

namespace silvan {

namespace {

// The best split of some samples by a number for each: the sum over both sides of squared sums of targets, divided by
// the weight of the side. Classes are indicators.
class SplitScore {
public:
    void read_classes(const TrainingTargets& targets, const NodeSample& sample) {
        classes_.read(targets, sample.samples(), sample.n_samples());
        n_sums_ = classes_.n_classes();
        group_.resize(sample.n_samples());
        target_.assign(sample.n_samples(), 1.0);
        for (std::size_t i = 0; i < group_.size(); ++i) group_[i] = classes_.of_sample(i);
        start(sample);
    }

    void read_output(const TrainingTargets& targets, const NodeSample& sample, std::size_t output) {
        const auto n_outputs = static_cast<std::size_t>(targets.n_outputs);
        n_sums_ = 1;
        group_.assign(sample.n_samples(), 0);
        target_.resize(sample.n_samples());
        const double first = sample.n_samples() > 0 ? targets.value[sample.samples()[0] * n_outputs + output] : 0.0;
        for (std::size_t i = 0; i < target_.size(); ++i) {
            target_[i] = targets.value[sample.samples()[i] * n_outputs + output] - first;
        }
        start(sample);
    }

    double best(const std::vector<double>& value) {
        std::sort(order_.begin(), order_.end(), [&value](std::size_t a, std::size_t b) { return value[a] < value[b]; });
        left_.assign(n_sums_, 0.0);
        double weight_left = 0.0;
        double best = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k + 1 < order_.size(); ++k) {
            const std::size_t i = order_[k];
            left_[group_[i]] += weight_[i] * target_[i];
            weight_left += weight_[i];
            if (!(value[i] < value[order_[k + 1]])) continue;
            best = std::max(best, score(weight_left));
        }
        return best;
    }

private:
    void start(const NodeSample& sample) {
        weight_ = sample.weight();
        total_weight_ = sample.total_weight();
        total_.assign(n_sums_, 0.0);
        for (std::size_t i = 0; i < group_.size(); ++i) total_[group_[i]] += weight_[i] * target_[i];
        order_.resize(group_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    double score(double weight_left) const {
        double left = 0.0;
        double right = 0.0;
        for (std::size_t c = 0; c < n_sums_; ++c) {
            left += left_[c] * left_[c];
            right += (total_[c] - left_[c]) * (total_[c] - left_[c]);
        }
        return left / weight_left + right / (total_weight_ - weight_left);
    }

    ClassNumbers classes_;
    std::size_t n_sums_ = 0;
    std::vector<std::size_t> group_;  // the sum that each sample adds to
    std::vector<double> target_;
    const double* weight_ = nullptr;
    double total_weight_ = 0.0;
    std::vector<double> total_, left_;
    std::vector<std::size_t> order_;
};

class PerturbedHyperplanesSampler final : public ProjectionSampler {
public:
    PerturbedHyperplanesSampler(std::int64_t n_features, PerturbedHyperplanes::Options options)
        : options_(options), features_(n_features, options.n_drawn) {}

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        for (std::int64_t i = 0; i < n_directions; ++i) {
            features_.draw(random);
            sample_.take(node, options_.max_samples, random);
            sample_.load(features_.features());
            if (!climb(node, random) || !append(batch)) features_.append_first(batch);
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override {
        return std::make_unique<PerturbedHyperplanesSampler>(*this);
    }

private:
    bool climb(const NodeContext& node, Random& random) {
        if (node.n_samples == 0 || sample_.n_samples() < 2) return false;
        sample_.standardize(deviation_, present_);
        if (present_.empty()) return false;
        read_targets(*node.targets, random);
        coefficients_.resize(present_.size());
        value_.assign(sample_.n_samples(), 0.0);
        for (std::size_t j = 0; j < coefficients_.size(); ++j) {
            coefficients_[j] = random.normal();
            add_column(j, coefficients_[j], value_);
        }
        double best = score_.best(value_);
        for (std::int64_t step = 0; step < options_.n_perturbations; ++step) {
            throw_if_stopped(static_cast<std::int64_t>(16 * value_.size()));  // which are sorted
            const std::size_t j = random.below(coefficients_.size());
            const double change = random.uniform() - 0.5;
            perturbed_ = value_;
            add_column(j, change, perturbed_);
            const double score = score_.best(perturbed_);
            if (score < best) continue;
            best = score;
            coefficients_[j] += change;
            value_.swap(perturbed_);
        }
        return true;
    }

    void read_targets(const TrainingTargets& targets, Random& random) {
        if (targets.label != nullptr) {
            score_.read_classes(targets, sample_);
        } else {
            const auto n_outputs = static_cast<std::size_t>(targets.n_outputs);
            score_.read_output(targets, sample_, n_outputs == 1 ? 0 : random.below(n_outputs));
        }
    }

    void add_column(std::size_t j, double coefficient, std::vector<double>& value) const {
        const double* x = sample_.column(j);
        for (std::size_t i = 0; i < value.size(); ++i) value[i] += coefficient * x[i];
    }

    // In the units of the features.
    bool append(ProjectionBatch& batch) {
        in_units_.assign(features_.features().size(), 0.0);
        for (std::size_t j = 0; j < present_.size(); ++j) in_units_[present_[j]] = coefficients_[j] / deviation_[j];
        return append_direction(features_.features(), in_units_.data(), batch);
    }

    PerturbedHyperplanes::Options options_;
    FeatureDraw features_;
    NodeSample sample_;
    SplitScore score_;
    std::vector<double> deviation_;
    std::vector<std::size_t> present_;
    std::vector<double> coefficients_;
    std::vector<double> value_, perturbed_;
    std::vector<double> in_units_;
};

}  // namespace

std::unique_ptr<ProjectionSampler> PerturbedHyperplanes::make_sampler(Random&) const {
    return std::make_unique<PerturbedHyperplanesSampler>(n_features_, options_);
}

}  // namespace silvan
