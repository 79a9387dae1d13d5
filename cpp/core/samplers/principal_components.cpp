// Fits the components of a group, for each node or once for a tree.
#include "core/samplers/principal_components.hpp"

#include <algorithm>
#include <cmath>

#include "core/samplers/node_sample.hpp"
#include "core/samplers/partial_shuffle.hpp"

namespace silvan {

namespace {

// Variances below this share of the largest are rounding errors.
constexpr double kNoVariance = 1e-13;
// Weights below this are, too; the feature may be constant or missing, and should not take part.
constexpr double kNoWeight = 1e-12;
constexpr double kBootstrapShare = 0.75;

// The components of the columns of a sample.
class ComponentFit {
public:
    explicit ComponentFit(const Lapack& lapack) : solver_(lapack) {}

    void fit(NodeSample& sample) {
        n_ = sample.n_columns();
        sample.scale_by_weight();
        covariances(sample, vectors_);
        variance_.assign(n_, 0.0);
        if (!solver_.decompose_symmetric(static_cast<int>(n_), vectors_.data(), variance_.data())) {
            std::fill(variance_.begin(), variance_.end(), 0.0);
        }
        for (double& weight : vectors_) weight = std::abs(weight) < kNoWeight ? 0.0 : weight;
    }

    // Component 0 has the largest variance.
    const double* component(std::size_t i) const { return vectors_.data() + (n_ - 1 - i) * n_; }

    bool varies(std::size_t i) const {
        const double largest = variance_.back();
        return largest > 0.0 && variance_[n_ - 1 - i] > kNoVariance * largest;
    }

private:
    DenseSolver solver_;
    std::size_t n_ = 0;
    std::vector<double> vectors_;
    std::vector<double> variance_;  // ascending
};

class NodeComponentsSampler final : public ProjectionSampler {
public:
    NodeComponentsSampler(std::int64_t n_features, PrincipalComponents::Options options, const Lapack& lapack)
        : n_features_(n_features), options_(options), features_(n_features), fit_(lapack) {}

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const std::int64_t target = batch.size() + n_directions;
        while (batch.size() < target) {
            // Each group gives a direction at least: more features will not be needed.
            const std::int64_t missing = target - batch.size();
            permutation_.resize(static_cast<std::size_t>(std::min(n_features_, missing * options_.group_size)));
            features_.draw(static_cast<std::int64_t>(permutation_.size()), random, permutation_.data());
            for (std::size_t first = 0; first < permutation_.size() && batch.size() < target;
                 first += static_cast<std::size_t>(options_.group_size)) {
                add_group(node, first, target, random, batch);
            }
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<NodeComponentsSampler>(*this); }

private:
    void add_group(const NodeContext& node, std::size_t first, std::int64_t target, Random& random,
                   ProjectionBatch& batch) {
        const std::size_t end = std::min(permutation_.size(), first + static_cast<std::size_t>(options_.group_size));
        group_.assign(permutation_.begin() + static_cast<std::ptrdiff_t>(first),
                      permutation_.begin() + static_cast<std::ptrdiff_t>(end));
        std::sort(group_.begin(), group_.end());
        sample_.take(node, options_.max_samples, random);
        sample_.load(group_);
        fit_.fit(sample_);
        const std::int64_t before = batch.size();
        for (std::size_t i = 0; i < group_.size() && batch.size() < target && fit_.varies(i); ++i) {
            append_direction(group_, fit_.component(i), batch);
        }
        if (batch.size() > before) return;
        batch.add(permutation_[first], 1.0F);
        batch.end_direction();
    }

    std::int64_t n_features_;
    PrincipalComponents::Options options_;
    PartialShuffle features_;
    std::vector<std::int32_t> permutation_;
    std::vector<std::int32_t> group_;
    NodeSample sample_;
    ComponentFit fit_;
};

class TreeComponentsSampler final : public ProjectionSampler {
public:
    TreeComponentsSampler(std::int64_t n_features, PrincipalComponents::Options options, const Lapack& lapack)
        : n_features_(n_features), options_(options), features_(n_features), fit_(lapack) {}

    void prepare(const NodeContext& root, Random& random) override {
        std::vector<std::int32_t> permutation(static_cast<std::size_t>(n_features_));
        features_.draw(n_features_, random, permutation.data());
        rotation_.clear();
        const auto group_size = static_cast<std::size_t>(options_.group_size);
        for (std::size_t first = 0; first < permutation.size(); first += group_size) {
            const std::size_t end = std::min(permutation.size(), first + group_size);
            std::vector<std::int32_t> group(permutation.begin() + static_cast<std::ptrdiff_t>(first),
                                            permutation.begin() + static_cast<std::ptrdiff_t>(end));
            std::sort(group.begin(), group.end());
            take_samples(root, random);
            sample_.load(group);
            fit_.fit(sample_);
            for (std::size_t i = 0; i < group.size(); ++i) append_direction(group, fit_.component(i), rotation_);
        }
    }

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        chosen_.resize(static_cast<std::size_t>(std::min(n_directions, n_features_)));
        features_.draw(static_cast<std::int64_t>(chosen_.size()), random, chosen_.data());
        for (const std::int32_t i : chosen_) {
            const auto at = static_cast<std::size_t>(i);
            for (auto k = static_cast<std::size_t>(rotation_.indptr[at]);
                 k < static_cast<std::size_t>(rotation_.indptr[at + 1]); ++k) {
                batch.add(rotation_.indices[k], rotation_.coefficients[k]);
            }
            batch.end_direction();
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<TreeComponentsSampler>(*this); }

private:
    void take_samples(const NodeContext& root, Random& random) {
        if (root.n_samples > 0 && root.targets->label != nullptr) {
            sample_.take_some_classes(root, options_.max_samples, random);
        } else {
            sample_.take(root, options_.max_samples, random);
        }
        if (sample_.n_taken() == 0) return;
        const double share = kBootstrapShare * static_cast<double>(sample_.n_taken());
        sample_.draw(std::max<std::int64_t>(1, static_cast<std::int64_t>(share)), random);
    }

    std::int64_t n_features_;
    PrincipalComponents::Options options_;
    PartialShuffle features_;
    ProjectionBatch rotation_;
    std::vector<std::int32_t> chosen_;
    NodeSample sample_;
    ComponentFit fit_;
};

}  // namespace

std::unique_ptr<ProjectionSampler> PrincipalComponents::make_sampler(Random&) const {
    if (options_.per_tree) return std::make_unique<TreeComponentsSampler>(n_features_, options_, lapack_);
    return std::make_unique<NodeComponentsSampler>(n_features_, options_, lapack_);
}

}  // namespace silvan
