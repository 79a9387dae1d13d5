// Sends estimation rows down a tree as it grows.
#include "core/estimation_rows.hpp"

#include <algorithm>

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

template <typename T>
std::int64_t EstimationRows::partition(T* entries, T* right, std::int64_t n, float threshold,
                                       bool missing_left) const {
    std::int64_t n_left = 0;
    std::int64_t n_right = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const T entry = entries[i];
        const bool left = goes_left(values_[static_cast<std::size_t>(i)], threshold, missing_left);
        entries[n_left] = entry;
        right[n_right] = entry;
        n_left += left ? 1 : 0;
        n_right += left ? 0 : 1;
    }
    std::copy_n(right, n_right, entries + n_left);
    return n_left;
}

std::pair<EstimationRange, EstimationRange> EstimationRows::divide(const EstimationRange& range,
                                                                   const TrainingFeatures& features,
                                                                   const SplitKernels& kernels,
                                                                   const Direction& direction, NodeCodes* codes,
                                                                   float threshold, bool missing_left) {
    const std::int64_t n = range.size();
    if (n == 0) return {range, range};
    std::uint32_t* rows = rows_.data() + range.begin;
    features.project(kernels, rows, n, direction, codes, values_.data());
    partition(counts_.data() + range.begin, right_counts_.data(), n, threshold, missing_left);
    const std::int64_t n_left = partition(rows, right_rows_.data(), n, threshold, missing_left);
    const std::int64_t middle = range.begin + n_left;
    const EstimationRange none{range.begin, range.end, false};
    return {n_left > 0 ? EstimationRange{range.begin, middle, true} : none,
            n_left < n ? EstimationRange{middle, range.end, true} : none};
}

}  // namespace silvan
