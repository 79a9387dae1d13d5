// The random features that one node-fitted direction may use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/samplers/partial_shuffle.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

class FeatureDraw {
public:
    FeatureDraw(std::int64_t n_features, std::int64_t n_drawn)
        : shuffle_(n_features), features_(static_cast<std::size_t>(n_drawn)) {}

    // Draws distinct features, uniformly.
    void draw(Random& random) {
        shuffle_.draw(static_cast<std::int64_t>(features_.size()), random, features_.data());
        first_ = features_.front();
        std::sort(features_.begin(), features_.end());
    }

    // Ascending.
    const std::vector<std::int32_t>& features() const { return features_; }

    // What stands in for a direction that cannot be fitted: the feature that was drawn first.
    void append_first(ProjectionBatch& batch) const {
        batch.add(first_, 1.0F);
        batch.end_direction();
    }

private:
    PartialShuffle shuffle_;
    std::vector<std::int32_t> features_;
    std::int32_t first_ = 0;
};

}  // namespace silvan
