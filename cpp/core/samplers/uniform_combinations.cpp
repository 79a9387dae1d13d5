// Draws subsets of one size, then their coefficients.
#include "core/samplers/uniform_combinations.hpp"

#include <algorithm>

#include "core/samplers/feature_subsets.hpp"
#include "core/samplers/random_coefficients.hpp"

namespace silvan {

namespace {

class UniformCombinationsSampler final : public ProjectionSampler {
public:
    UniformCombinationsSampler(std::int64_t n_features, std::int64_t n_nonzeros)
        : n_nonzeros_(n_nonzeros), subsets_(n_features) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const auto count = static_cast<std::size_t>(n_directions);
        if (sizes_.size() < count) sizes_.resize(count, static_cast<std::int32_t>(n_nonzeros_));
        const std::int64_t total = n_directions * n_nonzeros_;
        const ProjectionBatch::Tail tail = batch.extend(n_directions, total);
        for (std::int64_t i = 0; i < n_directions; ++i) tail.ends[i] = tail.begin + (i + 1) * n_nonzeros_;
        subsets_.draw(sizes_.data(), n_directions, random, tail.indices, tail.indices + total);
        draw_uniform_coefficients(total, random, tail.coefficients);
    }

    bool ignores_nodes() const override { return true; }

    std::unique_ptr<ProjectionSampler> copy() const override {
        return std::make_unique<UniformCombinationsSampler>(*this);
    }

private:
    std::int64_t n_nonzeros_;
    FeatureSubsets subsets_;
    std::vector<std::int32_t> sizes_;  // all alike
};

}  // namespace

UniformCombinations::UniformCombinations(std::int64_t n_features, std::int64_t n_nonzeros)
    : n_features_(n_features), n_nonzeros_(std::clamp<std::int64_t>(n_nonzeros, 1, n_features)) {}

std::unique_ptr<ProjectionSampler> UniformCombinations::make_sampler(Random&) const {
    return std::make_unique<UniformCombinationsSampler>(n_features_, n_nonzeros_);
}

}  // namespace silvan
