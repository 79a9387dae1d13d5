// The training features in the layouts that growing reads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/split_kernels.hpp"
#include "core/views.hpp"

namespace silvan {

struct FeatureLayouts {
    FeatureMatrix columns;  // column-major: large nodes stream through columns
    FeatureMatrix rows;     // the same values row-major, or without data where the caller has none
    // Whether features of few values are worth keeping as bytes, too (CodedFeatures): where nodes read features.
    bool has_few_values = true;

    // The layout that touches fewer cache lines. Trees grow depth first, so the samples of a small node stay
    // in the second-level cache while its subtree grows: reading them row by row beats columns, where each sample
    // of a small node is a miss for each feature. Features that lie side by side, as in a patch, share the lines
    // of a sample in larger nodes, too.
    const FeatureMatrix& layout_for(const Direction& direction, std::int64_t n_samples) const;

    // Whole rows are read where they are at hand in the stored type.
    const FeatureMatrix& rows_or_columns() const {
        return rows.data != nullptr && rows.type == columns.type ? rows : columns;
    }
};

class ValueCodes;

// Features of at most 256 distinct values as bytes, each sample's side by side: a small node finds all of a
// sample's features in a cache line or two, and engines count bytes faster than they compare floats. Not made where
// fewer than half of the features have so few values.
class CodedFeatures {
public:
    CodedFeatures() = default;  // of none
    explicit CodedFeatures(const FeatureMatrix& columns);

    bool empty() const { return coded_.empty(); }

    // Whether a node of so many samples should read the direction here.
    bool serve(const Direction& direction, std::int64_t n_samples) const;

    const FeatureCodes& view() const { return view_; }

    // A feature by its codes, where they tell all that a search needs.
    CodedColumn column(std::int32_t feature) const {
        const auto at = static_cast<std::size_t>(feature);
        if (at >= n_codes_.size() || n_codes_[at] == 0) return {};
        const std::uint8_t* contiguous = columns_.size() == 0 ? nullptr : columns_.data() + feature * n_samples_;
        return {view_.codes + feature, contiguous, view_.tables + 256 * static_cast<std::int64_t>(feature),
                view_.row_stride,      n_samples_, n_codes_[at]};
    }

    // Whether two samples have the same features, as far as codes can tell.
    enum class Same : std::uint8_t { yes, no, unknown };
    Same compare(std::uint32_t a, std::uint32_t b) const;

private:
    void order_codes(std::vector<ValueCodes>& values);
    void copy_columns();

    std::vector<std::uint8_t> coded_;    // per feature, or empty
    std::vector<std::int32_t> n_codes_;  // per feature: 0 where it has none, misses values or has both zeros
    std::vector<float> tables_;
    Buffer<std::uint8_t> codes_;
    Buffer<std::uint8_t> columns_;  // the same column by column, where they exceed the cache
    FeatureCodes view_;
    std::int64_t n_samples_ = 0;
    bool exceeds_cache_ = false;  // whether the features as they are do
    bool has_all_ = false;        // every feature has codes
    bool is_ambiguous_ = false;   // samples with other codes may have the same features
};

// For each feature 1 if it has whole numbers below 2^20 only.
std::vector<std::uint8_t> find_integral_features(const FeatureMatrix& columns);

// Whether no value is missing or infinite.
bool are_all_finite(const FeatureMatrix& columns);

}  // namespace silvan
