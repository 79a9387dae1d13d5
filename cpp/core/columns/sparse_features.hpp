// Features that are mostly zero: only the others are stored, by samples and by features.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/columns/column_space.hpp"

namespace silvan {

// Reads training samples of a FeatureMatrix with `sparse`, which must have columns. Values are those of the dense
// matrix, bit for bit: a zero adds nothing to a sum.
class SparseNodeColumns final : public NodeColumns {
public:
    explicit SparseNodeColumns(const SparseFeatures& features);

    std::unique_ptr<NodeColumns> for_thread() const override { return std::make_unique<SparseNodeColumns>(*this); }
    std::int64_t n_features() const override { return features_.n_features; }
    std::int64_t n_columns() const override { return features_.n_features; }
    FeatureType feature_type() const override { return FeatureType::float32; }
    void start(const NodeContext& node, std::uint64_t key) override;
    ValueRange project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                       float* values) override;
    bool project_nonzeros(const Direction& direction, const NodeContext& node, NonzeroValues& nonzeros) override;
    bool is_integral(const Direction& direction) const override;
    void read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                      double* values) override;
    bool equal_samples(std::uint32_t a, std::uint32_t b) const override;

private:
    void number_samples(const NodeContext& node);
    template <typename Visit>
    void visit_numbered(std::int32_t feature, const Visit& visit) const;

    const SparseFeatures& features_;
    std::shared_ptr<const std::vector<std::uint8_t>> integral_;  // per feature

    // Places of the samples in the node that directions are projected at: entries from `first_place_` on, as many as
    // the node has samples; smaller ones are of earlier nodes.
    bool numbered_ = false;
    std::uint32_t first_place_ = 0;
    std::uint32_t n_places_ = 0;
    std::vector<std::uint32_t> place_;
    std::vector<float> sums_;  // of directions of several terms, zero between calls
    std::vector<std::uint8_t> touched_;
};

// Samples of a sparse matrix as a dense block, to be read while the object lasts.
class DenseBlock {
public:
    FeatureMatrix fill(const SparseFeatures& features, std::int64_t first, std::int64_t last);

private:
    void clear();

    std::vector<float> values_;
    std::vector<std::size_t> filled_;  // where values are not zero
};

// Dense blocks for threads that need one at a time.
class DenseBlocks {
public:
    template <typename Use>
    void use(const Use& use) {
        auto block = take();
        use(*block);
        const std::lock_guard<std::mutex> lock(mutex_);
        free_.push_back(std::move(block));
    }

private:
    std::unique_ptr<DenseBlock> take();

    std::mutex mutex_;
    std::vector<std::unique_ptr<DenseBlock>> free_;
};

}  // namespace silvan
