// The values of many drawn directions for the samples of a node, and those that correlate most with a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/columns/cell_spreads.hpp"
#include "core/samplers/node_sample.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

class ScreenedWindows {
public:
    // Reads the directions for the samples, and how each varies and goes with the target.
    void read(const NodeContext& node, const ProjectionBatch& drawn, const NodeSample& sample,
              const std::vector<double>& target);

    // Chooses up to `n_terms` columns that correlate most with the target, in their order. One that is missing for a
    // sample, constant, uncorrelated, or all but that for rounding takes no part: in other data it would be another
    // one.
    void choose(std::size_t n_terms, const ProjectionBatch& drawn, std::int64_t n_features, const CellSpreads& spreads);

    std::size_t n_chosen() const { return chosen_.size(); }
    // Of the chosen column k: its number among those that were drawn, its deviation, its mean product with the target
    // when divided by that, and its values, centred and divided likewise.
    std::size_t number(std::size_t k) const { return chosen_[k].number; }
    double deviation(std::size_t k) const { return chosen_[k].deviation; }
    double product(std::size_t k) const { return chosen_[k].product; }
    const double* standardized(std::size_t k) const { return values_.data() + k * n_samples_; }

private:
    struct Column {
        std::size_t number;
        double mean;       // less the first value
        double deviation;  // 0: it takes no part
        double product;
    };

    const float* read_column(std::size_t j) const { return read_.data() + j * stride_; }
    void measure(std::size_t j, const double* weight, double target_sum, double total_weight);
    void standardize();

    double smallest_product_ = 0.0;
    std::size_t n_samples_ = 0;
    std::size_t stride_ = 0;
    std::vector<std::uint32_t> samples_;
    std::vector<float> read_;       // column after column, padded
    std::vector<double> weighted_;  // the target times weights
    std::vector<Column> columns_, chosen_;
    std::vector<double> values_;
};

}  // namespace silvan
