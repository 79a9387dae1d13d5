// Principal components of random groups of features: the distribution of Rotation Forest (Rodriguez et al. 2006).
#pragma once

#include "core/lapack.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// A random permutation of the features is cut into groups of `group_size` (the last may be smaller), and a group
// gives the principal components of its features, largest variance first.
//
// Per node, the components are those of the node's samples, and those without variance are left out (a group with
// none at all gives its first feature). Groups are used up one after the other until there are n_directions;
// after the last group comes another permutation.
//
// Per tree, each group has a sample of the tree's samples: a random subset of the classes, and of their samples a
// bootstrap sample of 3/4. All components are kept, so that they are a rotation, and a node gets
// min(n_directions, n_features) of them, uniform without replacement.
//
// Either way samples are thinned to `max_samples` first (see NodeSample).
class PrincipalComponents final : public ProjectionDistribution {
public:
    struct Options {
        std::int64_t group_size;
        bool per_tree;
        std::int64_t max_samples;
    };

    PrincipalComponents(std::int64_t n_features, Options options, const Lapack& lapack)
        : n_features_(n_features), options_(options), lapack_(lapack) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::int64_t n_features_;
    Options options_;
    const Lapack& lapack_;
};

}  // namespace silvan
