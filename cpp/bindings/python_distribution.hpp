// A projection distribution that is a Python function: what a user's subclass becomes in the core.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "core/samplers/projection_sampler.hpp"

namespace silvan::bindings {

// What Python sees of a node: valid during the call that it was made for, an error afterwards. Arrays are
// copies, made when asked for.
class NodeView {
public:
    NodeView(const NodeContext& node, std::int64_t n_features) : node_(&node), n_features_(n_features) {}

    std::int64_t tree() const { return node().tree; }
    std::int64_t depth() const { return node().depth; }
    std::int64_t n_samples() const { return node().n_samples; }
    nanobind::object samples() const;
    nanobind::object features() const;
    nanobind::object targets() const;
    nanobind::object weights() const;

    void close() { node_ = nullptr; }

private:
    const NodeContext& node() const;

    const NodeContext* node_;
    std::int64_t n_features_;
};

// Each node calls sample(node, n_directions, key) -> (indptr int64, indices int32, coefficients float32) under the
// GIL; `key` is a 64-bit number from the node's stream. What comes back is checked, and a fault raises
// ValueError with `name` in front. The sampler may live on any thread.
class PythonDistribution final : public ProjectionDistribution {
public:
    PythonDistribution(std::int64_t n_features, nanobind::callable sample, std::string name);

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

    // For Python's garbage collector, which must see through this object to the function and back.
    const nanobind::callable& function() const { return sample_; }
    void release_function() { sample_.reset(); }

private:
    std::int64_t n_features_;
    nanobind::callable sample_;
    std::string name_;
};

}  // namespace silvan::bindings
