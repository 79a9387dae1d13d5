// Draws weighted subsets by rejection, and by a pass over all weights where that would take long.
#include "core/samplers/weighted_combinations.hpp"

#include <algorithm>

namespace silvan {

namespace {

class WeightedCombinationsSampler final : public ProjectionSampler {
public:
    WeightedCombinationsSampler(const std::vector<double>& weights, const AliasTable& table,
                                std::pair<std::int64_t, std::int64_t> sizes, CoefficientKind coefficients)
        : weights_(weights), table_(table), sizes_(sizes), coefficients_(coefficients), taken_(weights.size(), 0) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const auto n_sizes = static_cast<std::uint64_t>(sizes_.second - sizes_.first + 1);
        const auto size = static_cast<std::size_t>(sizes_.first) + random.below(n_sizes);
        for (std::int64_t i = 0; i < n_directions; ++i) {
            draw_features(size, random);
            drawn_.resize(features_.size());
            draw_coefficients(coefficients_, static_cast<std::int64_t>(features_.size()), random, drawn_.data());
            for (std::size_t k = 0; k < features_.size(); ++k) batch.add(features_[k], drawn_[k]);
            batch.end_direction();
        }
    }

    bool ignores_nodes() const override { return true; }

    std::unique_ptr<ProjectionSampler> copy() const override {
        return std::make_unique<WeightedCombinationsSampler>(*this);
    }

private:
    void draw_features(std::size_t size, Random& random) {
        features_.clear();
        while (features_.size() < size) {
            const std::int64_t feature = draw_other(random);
            if (feature < 0) break;
            taken_[static_cast<std::size_t>(feature)] = 1;
            features_.push_back(static_cast<std::int32_t>(feature));
        }
        for (const std::int32_t feature : features_) taken_[static_cast<std::size_t>(feature)] = 0;
        std::sort(features_.begin(), features_.end());
    }

    // A feature that is not taken, by weight; -1 if there is none left.
    std::int64_t draw_other(Random& random) {
        constexpr int kTries = 16;
        for (int i = 0; i < kTries; ++i) {
            const auto feature = static_cast<std::size_t>(table_.draw(random));
            if (taken_[feature] == 0) return static_cast<std::int64_t>(feature);
        }
        double total = 0.0;
        for (std::size_t j = 0; j < weights_.size(); ++j) total += taken_[j] == 0 ? weights_[j] : 0.0;
        double rest = random.uniform() * total;
        std::int64_t last = -1;
        for (std::size_t j = 0; j < weights_.size(); ++j) {
            if (taken_[j] != 0 || !(weights_[j] > 0.0)) continue;
            last = static_cast<std::int64_t>(j);
            rest -= weights_[j];
            if (rest < 0.0) break;
        }
        return last;
    }

    const std::vector<double>& weights_;
    const AliasTable& table_;
    std::pair<std::int64_t, std::int64_t> sizes_;
    CoefficientKind coefficients_;
    std::vector<std::uint8_t> taken_;  // zero between directions
    std::vector<std::int32_t> features_;
    std::vector<float> drawn_;
};

}  // namespace

WeightedCombinations::WeightedCombinations(std::vector<double> weights, std::pair<std::int64_t, std::int64_t> sizes,
                                           CoefficientKind coefficients)
    : weights_(std::move(weights)),
      table_(weights_),
      min_size_(std::min(sizes.first, n_features())),
      max_size_(std::min(sizes.second, n_features())),
      coefficients_(coefficients) {}

std::unique_ptr<ProjectionSampler> WeightedCombinations::make_sampler(Random&) const {
    return std::make_unique<WeightedCombinationsSampler>(weights_, table_, std::pair(min_size_, max_size_),
                                                         coefficients_);
}

}  // namespace silvan
