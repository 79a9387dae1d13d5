// Sends estimation rows down a tree as it grows.
#include "core/estimation_rows.hpp"

#include <algorithm>

#include "core/forest.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

EstimationRange EstimationRows::start() {
    right_.resize(std::max(right_.size(), rows_.size()));
    values_.resize(std::max(values_.size(), rows_.size() + static_cast<std::size_t>(kLane)));
    return {0, static_cast<std::int64_t>(rows_.size()), true};
}

std::pair<EstimationRange, EstimationRange> EstimationRows::divide(const EstimationRange& range,
                                                                   const TrainingFeatures& features,
                                                                   const SplitKernels& kernels,
                                                                   const Direction& direction, float threshold,
                                                                   bool missing_left) {
    if (range.size() == 0) return {range, range};
    std::uint32_t* rows = rows_.data() + range.begin;
    features.project(kernels, rows, range.size(), direction, values_.data());
    std::int64_t n_left = 0;
    std::size_t n_right = 0;
    for (std::int64_t i = 0; i < range.size(); ++i) {
        const std::uint32_t row = rows[i];
        const bool left = goes_left(values_[static_cast<std::size_t>(i)], threshold, missing_left);
        rows[n_left] = row;
        right_[n_right] = row;
        n_left += left ? 1 : 0;
        n_right += left ? 0 : 1;
    }
    std::copy_n(right_.begin(), n_right, rows + n_left);
    const std::int64_t middle = range.begin + n_left;
    const EstimationRange none{range.begin, range.end, false};
    return {n_left > 0 ? EstimationRange{range.begin, middle, true} : none,
            n_right > 0 ? EstimationRange{middle, range.end, true} : none};
}

}  // namespace silvan
