// Draws single features.
#include "core/samplers/axis_aligned.hpp"

#include <algorithm>
#include <numeric>

#include "core/samplers/partial_shuffle.hpp"

namespace silvan {

namespace {

class AxisAlignedSampler final : public ProjectionSampler {
public:
    explicit AxisAlignedSampler(std::int64_t n_features) : n_features_(n_features), features_(n_features) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const std::int64_t count = std::min(n_directions, n_features_);
        const ProjectionBatch::Tail tail = batch.extend(count, count);
        features_.draw(count, random, tail.indices);
        std::fill_n(tail.coefficients, count, 1.0F);
        std::iota(tail.ends, tail.ends + count, tail.begin + 1);
    }

    PartialShuffle* single_features() override { return &features_; }

    bool ignores_nodes() const override { return true; }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<AxisAlignedSampler>(*this); }

private:
    std::int64_t n_features_;
    PartialShuffle features_;
};

}  // namespace

std::unique_ptr<ProjectionSampler> AxisAligned::make_sampler(Random&) const {
    return std::make_unique<AxisAlignedSampler>(n_features_);
}

}  // namespace silvan
