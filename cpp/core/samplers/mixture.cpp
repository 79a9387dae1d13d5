// Shares a node's directions out among the components' samplers.
#include "core/samplers/mixture.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace silvan {

namespace {

class MixtureSampler final : public ProjectionSampler {
public:
    MixtureSampler(std::vector<std::unique_ptr<ProjectionSampler>> components, const AliasTable& chances)
        : components_(std::move(components)), chances_(chances), counts_(components_.size()) {}

    void prepare(const NodeContext& root, Random& random) override {
        for (const auto& component : components_) component->prepare(root, random);
    }

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        std::fill(counts_.begin(), counts_.end(), 0);
        for (std::int64_t i = 0; i < n_directions; ++i) ++counts_[chances_.draw(random)];
        for (std::size_t i = 0; i < components_.size(); ++i) {
            if (counts_[i] > 0) components_[i]->sample(node, counts_[i], random, batch);
        }
    }

    bool ignores_nodes() const override {
        return std::all_of(components_.begin(), components_.end(),
                           [](const auto& component) { return component->ignores_nodes(); });
    }

    std::unique_ptr<ProjectionSampler> copy() const override {
        std::vector<std::unique_ptr<ProjectionSampler>> copies;
        for (const auto& component : components_) {
            copies.push_back(component->copy());
            if (copies.back() == nullptr) return nullptr;
        }
        return std::make_unique<MixtureSampler>(std::move(copies), chances_);
    }

private:
    std::vector<std::unique_ptr<ProjectionSampler>> components_;
    const AliasTable& chances_;
    std::vector<std::int64_t> counts_;
};

}  // namespace

Mixture::Mixture(Components components, const std::vector<double>& cumulative)
    : components_(std::move(components)), chances_(probabilities_from_cumulative(cumulative)) {
    if (components_.size() != chances_.size()) {
        throw std::invalid_argument("mixture: there must be one weight per component");
    }
    for (const auto& component : components_) {
        if (component->n_features() != n_features()) {
            throw std::invalid_argument("mixture: the components differ in their number of features");
        }
        columns_ = merge_columns(columns_, component->columns());
    }
}

std::unique_ptr<ProjectionSampler> Mixture::make_sampler(Random& random) const {
    std::vector<std::unique_ptr<ProjectionSampler>> samplers;
    samplers.reserve(components_.size());
    for (const auto& component : components_) samplers.push_back(component->make_sampler(random));
    return std::make_unique<MixtureSampler>(std::move(samplers), chances_);
}

}  // namespace silvan
