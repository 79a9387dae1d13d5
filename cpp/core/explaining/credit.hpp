// What the features of a sample have been credited with, and how far sampling may have missed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/forest.hpp"

namespace silvan {

// The values of a leaf that are not zero.
struct LeafValues {
    const std::int32_t* outputs;
    const double* values;
    std::int64_t n;

    LeafValues(const ForestView& forest, std::int64_t leaf)
        : outputs(forest.value_outputs + forest.value_indptr[leaf]),
          values(forest.values + forest.value_indptr[leaf]),
          n(forest.value_indptr[leaf + 1] - forest.value_indptr[leaf]) {}
};

// Credit of each feature and output: n_features x n_outputs.
class Credit {
public:
    Credit(std::int64_t n_features, std::int64_t n_outputs)
        : n_outputs_(static_cast<std::size_t>(n_outputs)),
          values_(static_cast<std::size_t>(n_features * n_outputs)),
          touched_(static_cast<std::size_t>(n_features)) {}

    void add(std::int32_t feature, const LeafValues& leaf, double weight) {
        touch(feature);
        double* credit = at(feature);
        for (std::int64_t k = 0; k < leaf.n; ++k) credit[leaf.outputs[k]] += weight * leaf.values[k];
    }

    std::size_t n_outputs() const { return n_outputs_; }
    const std::vector<std::int32_t>& features() const { return features_; }
    double* at(std::int32_t feature) { return values_.data() + static_cast<std::size_t>(feature) * n_outputs_; }

    // Remembers that a feature may have credit.
    void touch(std::int32_t feature) {
        std::uint8_t& touched = touched_[static_cast<std::size_t>(feature)];
        if (touched == 0) features_.push_back(feature);
        touched = 1;
    }

    void clear() {
        for (const std::int32_t feature : features_) {
            std::fill_n(at(feature), n_outputs_, 0.0);
            touched_[static_cast<std::size_t>(feature)] = 0;
        }
        features_.clear();
    }

private:
    std::size_t n_outputs_;
    std::vector<double> values_;
    std::vector<std::uint8_t> touched_;   // per feature
    std::vector<std::int32_t> features_;  // that were touched
};

}  // namespace silvan
