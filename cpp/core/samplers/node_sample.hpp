// The samples of a node as a direction is fitted to them: thinned, resampled, complete and centred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/samplers/class_numbers.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

class NodeSample {
public:
    // Takes the samples of the node. Of more than `max_samples` it takes that many: a point uniform in each of
    // max_samples equal parts of the line on which every sample has length 1. All samples are equally likely, and
    // one that lies in two parts may be taken twice.
    void take(const NodeContext& node, std::int64_t max_samples, Random& random);

    // The same, but only from samples whose class is in a random subset of the classes: each is in with probability
    // 1/2, and at least one is. The node must have samples.
    void take_some_classes(const NodeContext& node, std::int64_t max_samples, Random& random);

    // Draws `n_draws` of the samples taken, with replacement; a sample counts as often as it is drawn.
    void draw(std::int64_t n_draws, Random& random);
    // Lets every sample that was taken count once again.
    void undo_draw();
    std::int64_t n_taken() const { return static_cast<std::int64_t>(taken_.size()); }

    // Reads these features of the samples, centred, and leaves out samples with a missing value among them.
    void load(const std::vector<std::int32_t>& features);

    // Reads none: there are samples and weights alone.
    void load_none() { start_reading(0); }

    std::size_t n_samples() const { return samples_.size(); }
    std::size_t n_columns() const { return n_columns_; }
    double total_weight() const { return total_weight_; }
    const std::uint32_t* samples() const { return samples_.data(); }
    const double* weight() const { return weight_.data(); }
    double* column(std::size_t j) { return values_.data() + j * samples_.size(); }
    const double* column(std::size_t j) const { return values_.data() + j * samples_.size(); }

    // Multiplies sample i by the square root of its share of the weight: products of columns are then covariances.
    void scale_by_weight();

    // Divides each column by its standard deviation and writes that to `deviation`. Columns without any are
    // dropped from the sample; `present` lists those that stay.
    void standardize(std::vector<double>& deviation, std::vector<std::size_t>& present);

private:
    void thin(std::int64_t n_samples, std::int64_t max_samples, Random& random);
    void start_reading(std::size_t n_columns);
    void drop_incomplete_samples();
    void center();

    const NodeContext* node_ = nullptr;
    std::size_t n_columns_ = 0;
    double total_weight_ = 0.0;
    std::vector<std::int64_t> taken_;     // places among the node's samples
    std::vector<std::int32_t> count_;     // of each sample taken
    std::vector<std::uint32_t> samples_;  // those that count and are complete
    std::vector<double> weight_;          // of each of them
    std::vector<double> values_;          // column after column
    std::vector<double> scratch_;         // a number for each sample
    ClassNumbers classes_;
    std::vector<std::int64_t> in_classes_;
};

// The covariances of the columns of a sample that is scaled by weight: the lower triangle of a column-major
// matrix.
void covariances(const NodeSample& sample, std::vector<double>& matrix);

// Appends the direction with these coefficients, scaled to unit length; the first coefficient that is as large
// as any (but for rounding) is positive. Returns false, and appends nothing, if all are zero or one is not
// finite.
bool append_direction(const std::vector<std::int32_t>& features, const double* coefficients, ProjectionBatch& batch);

}  // namespace silvan
