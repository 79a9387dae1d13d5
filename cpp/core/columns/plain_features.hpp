// The simplest columns: a term of a direction is a coefficient times a feature.
#pragma once

#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"

namespace silvan {

// Other spaces derive from it, and read the directions that are not over features alone.
class PlainNodeColumns : public NodeColumns {
public:
    // `few_values` tells whether features of few values are kept as codes, too, which takes memory.
    PlainNodeColumns(const FeatureLayouts& layouts, const SplitKernels& kernels, bool few_values = true);

    std::unique_ptr<NodeColumns> for_thread() const override { return std::make_unique<PlainNodeColumns>(*this); }
    std::int64_t n_features() const override { return layouts_.columns.n_features; }
    std::int64_t n_columns() const override { return n_features(); }
    FeatureType feature_type() const override { return layouts_.columns.type; }
    ValueRange project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                       float* values) override;
    CodedColumn coded(const Direction& direction) const override {
        if (direction.n_nonzeros != 1 || direction.coefficients[0] != 1.0F) return {};
        return coded_->column(direction.indices[0]);
    }
    bool has_codes() const override { return !coded_->empty(); }
    bool has_fixed_features() const override { return finite_; }
    bool is_integral(const Direction& direction) const override;
    void read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                      double* values) override;
    bool equal_samples(std::uint32_t a, std::uint32_t b) const override;

protected:
    const FeatureMatrix& features() const { return layouts_.columns; }
    const SplitKernels& kernels() const { return kernels_; }

private:
    const FeatureLayouts& layouts_;
    const SplitKernels& kernels_;
    std::shared_ptr<const std::vector<std::uint8_t>> integral_;  // per feature
    std::shared_ptr<const CodedFeatures> coded_;
    bool finite_;
};

// The block of samples itself. Other spaces derive from it and project the directions that are not over features alone.
class PlainBlockColumns : public BlockColumns {
public:
    PlainBlockColumns(const FeatureMatrix& block, const SplitKernels& kernels) : block_(block), kernels_(kernels) {}

    void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                 float* values) override;

    float project_sample(const Direction& direction, std::uint32_t sample) override;

protected:
    const FeatureMatrix& block() const { return block_; }
    const SplitKernels& kernels() const { return kernels_; }

private:
    const FeatureMatrix block_;
    const SplitKernels& kernels_;
};

class PlainFeatureSpace final : public ColumnSpace {
public:
    explicit PlainFeatureSpace(std::int64_t n_features) : n_features_(n_features) {}

    std::int64_t n_features() const override { return n_features_; }
    std::unique_ptr<NodeColumns> read_training(const FeatureLayouts& layouts, const std::uint32_t* order,
                                               const SplitKernels& kernels) const override;
    std::unique_ptr<BlockColumns> read_block(const FeatureMatrix& block, const SplitKernels& kernels) const override;

private:
    std::int64_t n_features_;
};

}  // namespace silvan
