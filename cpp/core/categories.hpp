// Categorical features: at each node, a category is worth what the node's own rows say of it.
//
// A categorical feature holds the numbers of its categories, 0, 1, ... A direction reads it through codes: the code
// of a category is how far its rows are, in the mean of a target, from all rows of the node, in standard deviations.
// Codes are learnt from a random half of the node's rows. All of them would order the categories of a useless
// feature so well, if it has many, that it would beat useful ones; the other half tells how much of the gain is
// real (see SplitSearch::rank_of).
// A category that is not in that half, or is new, has code 0 and is thus taken for an average one. Directions of a
// grown tree hold the codes: column n_features + j is the indicator of category j, counted feature after feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/split_kernels.hpp"
#include "core/views.hpp"

namespace silvan {

// Which features are categorical, and the columns of their categories.
class Categories {
public:
    Categories() = default;
    // The number of categories of each feature; 0 where it is a number.
    explicit Categories(const std::vector<std::int64_t>& n_categories);

    bool any() const { return !first_.empty(); }
    bool is_categorical(std::int32_t feature) const { return count(feature) > 0; }
    std::int64_t count(std::int32_t feature) const {
        const auto at = static_cast<std::size_t>(feature);
        return first_[at + 1] - first_[at];
    }
    std::int64_t largest_count() const { return largest_; }
    std::int64_t n_features() const { return static_cast<std::int64_t>(first_.size()) - 1; }

    // The column of the feature's first category, and the feature that a category's column belongs to.
    std::int64_t first_column(std::int32_t feature) const { return first_[static_cast<std::size_t>(feature)]; }
    std::int32_t feature_of(std::int64_t column) const {
        return static_cast<std::int32_t>(std::upper_bound(first_.begin(), first_.end(), column) - first_.begin()) - 1;
    }

private:
    std::vector<std::int64_t> first_;
    std::int64_t largest_ = 0;
};

// Whether the value of a categorical feature is the number of one of its categories.
inline bool is_category(float value, std::int64_t n_categories) {
    return value >= 0.0F && value < static_cast<float>(n_categories);
}

// values[i] += weight * (code of the category of rows[i]); missing categories make missing values.
void add_codes(const FeatureMatrix& features, std::int32_t feature, const float* codes, std::int64_t n_categories,
               float weight, const std::uint32_t* rows, std::int64_t n_rows, float* values);

// The codes of one node; holds the memory of a thread that grows trees.
class NodeCodes {
public:
    // `rank` is the place of each row in an order that does not depend on how the rows were given.
    NodeCodes(const Categories& categories, const std::uint32_t* rank);

    // Forgets the codes of other nodes. What is drawn for this one comes from the stream `key`.
    void start(const NodeContext& node, std::uint64_t key);

    // The codes of all categories of a categorical feature at the node; learnt at the first call.
    const float* of(std::int32_t feature);

    bool is_categorical(std::int32_t feature) const { return categories_.is_categorical(feature); }
    // The code of a value of the feature; missing where that is.
    float code_of(std::int32_t feature, float value) {
        if (value != value) return value;
        return is_category(value, categories_.count(feature)) ? of(feature)[static_cast<std::size_t>(value)] : 0.0F;
    }

    // Whether the codes of the node are learnt from this row.
    bool asks(std::uint32_t row) const { return (combine_keys(half_, rank_[row]) & 1U) == 0; }
    bool touches(const Direction& direction) const;
    // The part of a direction that is over numbers. Holds until the next call.
    Direction numbers_of(const Direction& direction);
    // Adds what the direction's categorical features are worth to the projected values of some rows.
    void add(const FeatureMatrix& features, const Direction& direction, const std::uint32_t* rows, std::int64_t n_rows,
             float* values);
    // The direction as a tree keeps it, over numbers and indicators of categories. Holds until the next call.
    Direction written_out(const Direction& direction);

private:
    struct Table {
        std::vector<float> code;            // zero but for the categories met
        std::vector<std::int32_t> met;      // ascending
        bool learnt = false;
    };

    void describe_targets();
    // Draws what the codes of a feature are means of; returns whether it varies.
    bool draw_target(Random& random);
    double target_of(std::int64_t row) const;
    void learn(std::int32_t feature, Table& table);

    const Categories& categories_;
    const std::uint32_t* rank_;
    NodeContext node_;
    std::uint64_t key_ = 0;
    std::uint64_t half_ = 0;
    std::vector<Table> tables_;          // of each feature, empty for numbers
    std::vector<std::int32_t> in_use_;   // features whose tables are learnt
    bool described_ = false;
    double total_weight_ = 0.0;
    std::vector<double> totals_;             // weight of each class, or weighted sum of each output
    std::vector<std::int32_t> present_;      // classes at the node, ascending
    std::vector<double> groups_;             // 0 or 1 for each of them
    std::vector<double> side_;               // the same by class
    std::int64_t output_ = 0;
    double mean_ = 0.0;
    double deviation_ = 0.0;
    std::vector<double> sum_;     // of each category
    std::vector<double> weight_;  // of each category
    std::vector<std::int32_t> indices_;
    std::vector<float> weights_;
};

// Values along a direction of a grown tree, over numbers and indicators of categories.
class CategoryReader {
public:
    explicit CategoryReader(const Categories& categories);

    void project(const SplitKernels& kernels, const FeatureMatrix& features, const std::uint32_t* rows,
                 std::int64_t n_rows, const Direction& direction, float* values);

private:
    const Categories& categories_;
    std::vector<float> code_;  // zero between calls
};

}  // namespace silvan
