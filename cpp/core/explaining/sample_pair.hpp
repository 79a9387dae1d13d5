// A sample and a background sample, read side by side: what every feature adds to a direction from either of them.
//
// A hybrid of the two takes each feature from one of them. Its value along a direction is the sum of the chosen terms
// in the order of prediction, so that hybrids go where prediction would send them, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/columns/category_codes.hpp"
#include "core/forest.hpp"
#include "core/views.hpp"

namespace silvan {

// What a feature adds to a direction.
struct PairTerm {
    std::int32_t feature;
    float own;    // from the sample that is explained
    float other;  // from the background sample

    bool is_same() const { return own == other || (own != own && other != other); }
    bool may_be_missing() const { return own != own || other != other; }
};

// Reads directions over features and categories; each thread has its own.
class PairReader {
public:
    // Both matrices are float32 with rows that lie side by side, and must outlive the reader. Throws
    // std::invalid_argument where directions are over other columns.
    PairReader(const ForestView& forest, const FeatureMatrix& samples, const FeatureMatrix& background);

    void choose_sample(std::int64_t sample) { sample_ = sample; }
    void choose_background(std::int64_t other) { other_ = other; }

    // Whether the direction reads a single feature.
    bool reads_one_feature(const Direction& direction) const {
        return feature_of(direction.indices[0]) == feature_of(direction.indices[direction.n_nonzeros - 1]);
    }

    // One term per feature, in the order in which they are added. Holds until the next call.
    std::span<const PairTerm> read(const Direction& direction);

private:
    std::int32_t feature_of(std::int32_t column) const {
        return column < samples_.n_features ? column : categories_->feature_of(column);
    }
    void read_categories(const Direction& direction, std::int64_t first);

    FeatureMatrix samples_;
    FeatureMatrix background_;
    std::optional<Categories> categories_;
    std::unique_ptr<BlockColumns> own_columns_;
    std::unique_ptr<BlockColumns> other_columns_;
    std::int64_t sample_ = 0;
    std::int64_t other_ = 0;
    std::vector<PairTerm> terms_;
    std::size_t n_terms_ = 0;
};

}  // namespace silvan
