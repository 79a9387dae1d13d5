// Categorical features: at each node, a category is worth what the node's own samples say of it.
//
// A categorical feature holds the numbers of its categories, 0, 1, ... A direction reads it through codes: the code
// of a category is how far its samples are, in the mean of a target, from all samples of the node, in standard
// deviations. Codes are learnt from a random half of the node's samples. All of them would order the categories of a
// useless feature so well, if it has many, that it would beat useful ones; the other half tells how much of the gain is
// real (see NodeColumns::is_learnt_from).
// A category that is not in that half, or is new, has code 0 and is thus taken for an average one. Directions of a
// grown tree hold the codes: column n_features + j is the indicator of category j, counted feature after feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/columns/plain_features.hpp"
#include "core/random.hpp"

namespace silvan {

// Which features are categorical, and the columns of their categories.
class Categories {
public:
    // The number of categories of each feature; 0 where it is a number.
    explicit Categories(const std::vector<std::int64_t>& n_categories);

    bool is_categorical(std::int32_t feature) const { return count(feature) > 0; }
    std::int64_t count(std::int32_t feature) const {
        const auto at = static_cast<std::size_t>(feature);
        return first_[at + 1] - first_[at];
    }
    std::int64_t largest_count() const { return largest_; }
    std::int64_t n_features() const { return static_cast<std::int64_t>(first_.size()) - 1; }
    std::int64_t n_columns() const { return first_.back(); }

    // The column of the feature's first category, and the feature that a category's column belongs to.
    std::int64_t first_column(std::int32_t feature) const { return first_[static_cast<std::size_t>(feature)]; }
    std::int32_t feature_of(std::int64_t column) const {
        return static_cast<std::int32_t>(std::upper_bound(first_.begin(), first_.end(), column) - first_.begin()) - 1;
    }

private:
    std::vector<std::int64_t> first_;
    std::int64_t largest_ = 0;
};

// The codes of one node; holds the memory of a thread that grows trees.
class CategoryNodeColumns final : public PlainNodeColumns {
public:
    // `rank` is the place of each sample in an order that does not depend on how the samples were given.
    CategoryNodeColumns(const FeatureLayouts& layouts, const Categories& categories,
                        std::shared_ptr<const std::vector<std::uint32_t>> rank, const SplitKernels& kernels);

    std::unique_ptr<NodeColumns> for_thread() const override { return std::make_unique<CategoryNodeColumns>(*this); }
    void start(const NodeContext& node, std::uint64_t key) override;
    ValueRange project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                       float* values) override;
    // What categories are worth differs from node to node.
    CodedColumn coded(const Direction& direction) const override {
        return is_learnt(direction) ? CodedColumn() : PlainNodeColumns::coded(direction);
    }
    bool has_fixed_features() const override { return false; }
    // Codes are no whole numbers.
    bool is_integral(const Direction& direction) const override {
        return !is_learnt(direction) && PlainNodeColumns::is_integral(direction);
    }
    // Over numbers and indicators of categories.
    Direction written_out(const Direction& direction) override;
    void read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                      double* values) override;
    bool is_learnt(const Direction& direction) const override;
    bool is_learnt_from(std::uint32_t sample) const override {
        return (combine_keys(half_, (*rank_)[sample]) & 1U) == 0;
    }

private:
    struct Table {
        std::vector<float> code;        // zero but for the categories met
        std::vector<std::int32_t> met;  // ascending
        bool learnt = false;
    };

    // The codes of all categories of a categorical feature at the node; learnt at the first call.
    const float* codes_of(std::int32_t feature);
    // The part of a direction that is over numbers. Holds until the next call.
    Direction numbers_of(const Direction& direction);
    void describe_targets();
    // Draws what the codes of a feature are means of; returns whether it varies.
    bool draw_target(Random& random);
    double target_of(std::int64_t sample) const;
    void learn(std::int32_t feature, Table& table);

    const Categories& categories_;
    std::shared_ptr<const std::vector<std::uint32_t>> rank_;
    NodeContext node_;
    std::uint64_t key_ = 0;
    std::uint64_t half_ = 0;
    std::vector<Table> tables_;         // of each feature, empty for numbers
    std::vector<std::int32_t> in_use_;  // features whose tables are learnt
    bool described_ = false;
    double total_weight_ = 0.0;
    std::vector<double> totals_;         // weight of each class, or weighted sum of each output
    std::vector<std::int32_t> present_;  // classes at the node, ascending
    std::vector<double> groups_;         // 0 or 1 for each of them
    std::vector<double> side_;           // the same by class
    std::int64_t output_ = 0;
    double mean_ = 0.0;
    double deviation_ = 0.0;
    std::vector<double> sum_;     // of each category
    std::vector<double> weight_;  // of each category
    std::vector<std::int32_t> indices_;
    std::vector<float> coefficients_;
};

class CategorySpace final : public ColumnSpace {
public:
    CategorySpace(std::int64_t n_features, const std::vector<std::int64_t>& n_categories);

    std::int64_t n_features() const override { return categories_.n_features(); }
    std::int64_t n_columns() const override { return categories_.n_columns(); }
    ColumnDescription describe() const override { return {{}, {}, n_categories_, {}}; }
    void check(const FeatureMatrix& samples) const override;
    void place_samples(const std::uint32_t* ranks) override { ranks_ = ranks; }
    std::unique_ptr<NodeColumns> read_training(const FeatureLayouts& layouts, const std::uint32_t* order,
                                               const SplitKernels& kernels) const override;
    std::unique_ptr<BlockColumns> read_block(const FeatureMatrix& block, const SplitKernels& kernels) const override;
    // The coefficient of a categorical feature is the root mean square of what its categories are worth.
    void expand(const Direction& direction, ExpandedDirections& expanded) const override;

private:
    std::vector<std::int64_t> n_categories_;
    Categories categories_;
    const std::uint32_t* ranks_ = nullptr;  // see place_samples
};

}  // namespace silvan
