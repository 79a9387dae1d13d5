// What a direction is fitted to: two groups of the classes, or one of the outputs, drawn for each fit.
#pragma once

#include <cstddef>
#include <vector>

#include "core/dot.hpp"
#include "core/samplers/class_numbers.hpp"
#include "core/samplers/node_sample.hpp"

namespace silvan {

class TargetDraw {
public:
    // Draws the target of the samples: 0 or 1 for classes, one output centred otherwise, exactly zero where it is
    // constant. Returns false where there is nothing to tell apart.
    bool draw(const TrainingTargets& targets, const NodeSample& sample, Random& random) {
        return targets.label != nullptr ? draw_sides(targets, sample, random) : draw_output(targets, sample, random);
    }

    const std::vector<double>& values() const { return values_; }

private:
    bool draw_sides(const TrainingTargets& targets, const NodeSample& sample, Random& random) {
        classes_.read(targets, sample.samples(), sample.n_samples());
        if (classes_.n_classes() < 2) return false;
        draw_groups(classes_.n_classes(), random, side_);
        values_.resize(sample.n_samples());
        for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = side_[classes_.of_sample(i)];
        return true;
    }

    bool draw_output(const TrainingTargets& targets, const NodeSample& sample, Random& random) {
        const auto n_outputs = static_cast<std::size_t>(targets.n_outputs);
        const std::size_t output = n_outputs == 1 ? 0 : random.below(n_outputs);
        if (sample.n_samples() < 2) return false;
        values_.resize(sample.n_samples());
        const double first = targets.value[sample.samples()[0] * n_outputs + output];
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i] = targets.value[sample.samples()[i] * n_outputs + output] - first;
        }
        const double mean = dot(sample.weight(), values_.data(), values_.size()) / sample.total_weight();
        for (double& value : values_) value -= mean;
        return true;
    }

    ClassNumbers classes_;
    std::vector<double> side_;
    std::vector<double> values_;
};

}  // namespace silvan
