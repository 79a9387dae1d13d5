// The samples of one node as points of the space in which the Gaussian criterion measures them.
//
// A split is good if both sides are compact (Criminisi & Shotton 2013): with W the weight of the node, W_i those
// of its sides and C the covariance,
//     gain = log|C| - sum_i W_i / W log|C_i|.
// The space has a dimension for each feature, or, where there are too many, for some directions drawn at the
// node. Coordinates are rounded to whole numbers, few enough bits for all sums of products to be exact in
// float64: a score does not depend on the order of the samples. They are measured in the node's own standard
// deviations, and `ridge` is added to every variance, so that no determinant is zero: a gain is between 0 and
// about -log(ridge) for each dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

struct GaussianOptions {
    bool full = true;                 // or the variances alone
    std::int64_t n_dimensions = 1;    // at most
    std::int64_t max_thresholds = 0;  // along a direction; 0: all
    double ridge = 1e-6;
    std::int32_t bits = 16;  // of a coordinate, besides its sign
};

// Sums over some samples of a node: the coordinates, and their products as a packed lower triangle (or squares).
struct GaussianSums {
    double weight = 0.0;
    std::vector<double> first;
    std::vector<double> second;
};

class GaussianSpace {
public:
    explicit GaussianSpace(const GaussianOptions& options) : options_(options) {}

    const GaussianOptions& options() const { return options_; }

    // Begins a node of so many samples; `weights` has one entry for each of them and must outlive the node.
    void start(std::int64_t n_samples, const double* weights, std::uint64_t key);

    // Adds a dimension: the values of the samples along some direction. Passed over if all are equal, or if some
    // are missing or too large to be subtracted from each other.
    void add_dimension(const float* values, const ValueRange& range);

    // Sums over all samples; after the last dimension.
    void finish();

    std::int64_t n_dimensions() const { return n_dimensions_; }
    double log_determinant() const { return total_log_determinant_; }  // relative to the node's own variances
    double impurity() const { return impurity_; }                      // log|C| in the units of the data
    const GaussianSums& totals() const { return totals_; }

    void clear(GaussianSums& sums) const;
    void add(std::int64_t sample, GaussianSums& sums) const;
    // What is in the totals and not in `left`.
    void subtract(const GaussianSums& left, GaussianSums& right) const;
    double log_determinant(const GaussianSums& sums);

    // Chooses which of `n` ascending thresholds are tried: all of them, or one from each of max_thresholds
    // equally long runs, at random.
    void choose_thresholds(std::int64_t n, std::vector<std::int64_t>& chosen);

private:
    GaussianOptions options_;
    Random random_{0};
    std::int64_t n_samples_ = 0;
    std::int64_t n_dimensions_ = 0;
    const double* weights_ = nullptr;
    std::vector<float> coordinates_;  // n_samples x options_.n_dimensions
    std::vector<double> scale_;       // by which values were multiplied
    std::vector<double> inverse_sd_;
    std::vector<double> factor_;  // Cholesky, packed lower triangle
    GaussianSums totals_;
    double total_log_determinant_ = 0.0;
    double impurity_ = 0.0;
};

}  // namespace silvan
