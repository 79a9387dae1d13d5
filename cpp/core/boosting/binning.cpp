// Chooses edges by quantiles, and finds the bins of values.
#include "core/boosting/binning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace silvan {
namespace {

// A number from `lower` on and below `upper`.
float between(float lower, float upper) {
    const float middle = lower / 2.0F + upper / 2.0F;
    return middle >= lower && middle < upper ? middle : lower;
}

// Closes a bin when it holds its share of the values that are left, or when the next value alone makes a bin.
std::vector<float> choose_edges(const std::vector<float>& sorted, std::int64_t max_bins) {
    std::vector<float> distinct;
    std::vector<std::int64_t> count;
    for (const float value : sorted) {
        if (distinct.empty() || value != distinct.back()) {
            distinct.push_back(value);
            count.push_back(0);
        }
        ++count.back();
    }
    std::vector<float> edges;
    const auto n_distinct = static_cast<std::int64_t>(distinct.size());
    auto left = static_cast<double>(sorted.size());
    std::int64_t bins_left = max_bins;
    double in_bin = 0.0;
    double share = left / static_cast<double>(bins_left);
    for (std::size_t i = 0; i + 1 < distinct.size(); ++i) {
        in_bin += static_cast<double>(count[i]);
        const bool own_bins = n_distinct <= max_bins;
        if (!own_bins && in_bin < share && static_cast<double>(count[i + 1]) < share) continue;
        edges.push_back(between(distinct[i], distinct[i + 1]));
        left -= in_bin;
        in_bin = 0.0;
        if (--bins_left == 1) break;
        share = left / static_cast<double>(bins_left);
    }
    return edges;
}

}  // namespace

ColumnBins::ColumnBins(std::vector<float>& values, std::int64_t max_bins) {
    values.erase(std::remove_if(values.begin(), values.end(), [](float v) { return std::isnan(v); }), values.end());
    std::sort(values.begin(), values.end());
    if (max_bins > 1) edges_ = choose_edges(values, max_bins);
    n_edges_ = static_cast<std::int64_t>(edges_.size());
    make_table();
}

// Cells are equal parts of the range of edges. The cell of a value never falls as values grow, so that the edges before
// a cell, those that fall into earlier ones, are below all its values, and only those in the cell need be compared.
void ColumnBins::make_table() {
    const auto n = static_cast<std::size_t>(n_edges_);
    std::size_t finite_first = 0;
    std::size_t finite_last = n;
    while (finite_first < n && std::isinf(edges_[finite_first])) ++finite_first;
    while (finite_last > finite_first && std::isinf(edges_[finite_last - 1])) --finite_last;
    if (finite_last > finite_first + 1) {
        minimum_ = edges_[finite_first];
        scale_ = static_cast<float>(kEdgeCells - 1) / (edges_[finite_last - 1] - minimum_);
        if (!std::isfinite(scale_)) scale_ = 0.0F;
    }
    std::vector<std::int32_t> inside(kEdgeCells, 0);
    for (std::size_t i = 0; i < n; ++i) ++inside[static_cast<std::size_t>(cell_of(edges_[i], minimum_, scale_))];
    first_.resize(kEdgeCells);
    std::int32_t before = 0;
    std::int32_t most = 0;
    for (std::size_t cell = 0; cell < first_.size(); ++cell) {
        first_[cell] = static_cast<std::uint8_t>(before);
        before += inside[cell];
        most = std::max(most, inside[cell]);
    }
    for (first_step_ = 1; 2 * first_step_ <= most; first_step_ *= 2) {
    }
    if (most == 0) first_step_ = 0;
    edges_.resize(static_cast<std::size_t>(2 * kMaxCodes), std::numeric_limits<float>::infinity());
}

}  // namespace silvan
