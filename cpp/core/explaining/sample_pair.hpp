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

    void choose_sample(std::int64_t sample) {
        sample_ = static_cast<std::uint32_t>(sample);
        own_ = samples_.as<float>() + sample * samples_.row_stride;
    }
    void choose_background(std::int64_t other) {
        background_sample_ = static_cast<std::uint32_t>(other);
        other_ = background_.as<float>() + other * background_.row_stride;
    }

    // The features of the two.
    const float* own() const { return own_; }
    const float* other() const { return other_; }

    // One term per feature, in the order in which they are added. Holds until the next call.
    std::span<const PairTerm> read(const Direction& direction) {
        std::int64_t k = 0;
        for (; k < direction.n_nonzeros && direction.indices[k] < samples_.n_features; ++k) {
            const std::int32_t feature = direction.indices[k];
            const float coefficient = direction.coefficients[k];
            terms_[static_cast<std::size_t>(k)] = {feature, coefficient * own_[feature], coefficient * other_[feature]};
        }
        return {terms_.data(), k == direction.n_nonzeros ? static_cast<std::size_t>(k) : read_categories(direction, k)};
    }

    // No direction has more.
    std::size_t max_terms() const { return terms_.size(); }

private:
    // The terms from number `first` on, which are of categories; returns how many there are then.
    std::size_t read_categories(const Direction& direction, std::int64_t first);

    FeatureMatrix samples_;
    FeatureMatrix background_;
    std::optional<Categories> categories_;
    std::unique_ptr<BlockColumns> own_columns_;
    std::unique_ptr<BlockColumns> other_columns_;
    std::uint32_t sample_ = 0;
    std::uint32_t background_sample_ = 0;
    const float* own_ = nullptr;
    const float* other_ = nullptr;
    std::vector<PairTerm> terms_;
};

}  // namespace silvan
