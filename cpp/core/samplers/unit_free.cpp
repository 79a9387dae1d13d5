// Shows another sampler rescaled features, and rescales the directions that it has appended to a batch.
#include "core/samplers/unit_free.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace silvan {

namespace {

constexpr std::int32_t kMaxExponent = 126;  // 2^-126 is the smallest normal float

// The columns of a node as the other sampler sees them: features are read in multiples of their spread, and nothing
// but features is there to be read.
class ScaledColumns final : public NodeColumns {
public:
    explicit ScaledColumns(const std::vector<float>& factors) : factors_(factors) {}

    void show(NodeColumns& columns) { columns_ = &columns; }

    std::unique_ptr<NodeColumns> for_thread() const override { return std::make_unique<ScaledColumns>(*this); }
    std::int64_t n_features() const override { return columns_->n_features(); }
    std::int64_t n_columns() const override { return columns_->n_features(); }
    FeatureType feature_type() const override { return FeatureType::float32; }
    void read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                      double* values) override {
        columns_->read_feature(feature, samples, n_samples, values);
        const double factor = factors_[static_cast<std::size_t>(feature)];
        for (std::int64_t i = 0; i < n_samples; ++i) values[i] *= factor;
    }
    bool equal_samples(std::uint32_t a, std::uint32_t b) const override { return columns_->equal_samples(a, b); }
    ValueRange project(const Direction&, const std::uint32_t*, std::int64_t, float*) override {
        throw std::logic_error("samplers read features, and directions are projected by the search");
    }
    bool is_integral(const Direction&) const override { return false; }

private:
    const std::vector<float>& factors_;
    NodeColumns* columns_ = nullptr;
};

class UnitFreeSampler final : public ProjectionSampler {
public:
    UnitFreeSampler(std::unique_ptr<ProjectionSampler> sampler, const std::vector<float>& factors)
        : sampler_(std::move(sampler)), factors_(factors), columns_(factors) {}

    void prepare(const NodeContext& root, Random& random) override { sampler_->prepare(scaled(root), random); }

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const auto first = static_cast<std::size_t>(batch.size());
        sampler_->sample(scaled(node), n_directions, random, batch);
        for (std::size_t i = first; i + 1 < batch.indptr.size(); ++i) {
            const auto start = static_cast<std::size_t>(batch.indptr[i]);
            const auto end = static_cast<std::size_t>(batch.indptr[i + 1]);
            if (end - start < 2) continue;
            for (std::size_t k = start; k < end; ++k) {
                batch.coefficients[k] *= factors_[static_cast<std::size_t>(batch.indices[k])];
            }
        }
    }

    bool ignores_nodes() const override { return sampler_->ignores_nodes(); }
    PartialShuffle* single_features() override { return sampler_->single_features(); }

    std::unique_ptr<ProjectionSampler> copy() const override {
        auto sampler = sampler_->copy();
        return sampler == nullptr ? nullptr : std::make_unique<UnitFreeSampler>(std::move(sampler), factors_);
    }

private:
    NodeContext scaled(NodeContext node) {
        if (node.columns != nullptr) {
            columns_.show(*node.columns);
            node.columns = &columns_;
        }
        return node;
    }

    std::unique_ptr<ProjectionSampler> sampler_;
    const std::vector<float>& factors_;
    ScaledColumns columns_;
};

}  // namespace

UnitFree::UnitFree(std::shared_ptr<const ProjectionDistribution> distribution,
                   const std::vector<std::int32_t>& exponents)
    : distribution_(std::move(distribution)) {
    if (distribution_->columns() != ColumnDescription{}) {
        throw std::invalid_argument("unit_free: the directions are not over features alone");
    }
    if (static_cast<std::int64_t>(exponents.size()) != n_features()) {
        throw std::invalid_argument("unit_free: there must be one exponent per feature");
    }
    factors_.reserve(exponents.size());
    for (const std::int32_t exponent : exponents) {
        if (exponent < -kMaxExponent || exponent > kMaxExponent) {
            throw std::invalid_argument("unit_free: exponents must lie between -126 and 126");
        }
        factors_.push_back(std::ldexp(1.0F, -exponent));
    }
}

std::unique_ptr<ProjectionSampler> UnitFree::make_sampler(Random& random) const {
    return std::make_unique<UnitFreeSampler>(distribution_->make_sampler(random), factors_);
}

}  // namespace silvan
