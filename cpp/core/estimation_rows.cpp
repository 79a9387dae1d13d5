// Sends estimation rows down a tree as it grows.
#include "core/estimation_rows.hpp"

#include "core/forest.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

void EstimationRows::clear() {
    rows_.clear();
    counts_.clear();
}

void EstimationRows::add(std::uint32_t row, std::int32_t count) {
    rows_.push_back(row);
    counts_.push_back(count);
}

EstimationRange EstimationRows::start() {
    const std::size_t n = rows_.size();
    if (right_rows_.size() < n) {
        right_rows_.resize(n);
        right_counts_.resize(n);
        values_.resize(n + static_cast<std::size_t>(kLane));
    }
    return {0, static_cast<std::int64_t>(n), true};
}

std::pair<EstimationRange, EstimationRange> EstimationRows::divide(const EstimationRange& range, NodeColumns& columns,
                                                                   const Direction& direction, float threshold,
                                                                   bool missing_left) {
    const std::int64_t n = range.size();
    if (n == 0) return {range, range};
    std::uint32_t* rows = rows_.data() + range.begin;
    columns.project(direction, rows, n, values_.data());
    partition_rows(counts_.data() + range.begin, right_counts_.data(), values_.data(), n, threshold, missing_left);
    const std::int64_t n_left =
        partition_rows(rows, right_rows_.data(), values_.data(), n, threshold, missing_left);
    const std::int64_t middle = range.begin + n_left;
    const EstimationRange none{range.begin, range.end, false};
    return {n_left > 0 ? EstimationRange{range.begin, middle, true} : none,
            n_left < n ? EstimationRange{middle, range.end, true} : none};
}

}  // namespace silvan
