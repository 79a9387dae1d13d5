// Sends estimation samples down a tree as it grows.
#include "core/estimation_samples.hpp"

#include "core/forest.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

void EstimationSamples::clear() {
    samples_.clear();
    counts_.clear();
}

void EstimationSamples::add(std::uint32_t sample, std::int32_t count) {
    samples_.push_back(sample);
    counts_.push_back(count);
}

EstimationRange EstimationSamples::start() {
    const std::size_t n = samples_.size();
    if (right_samples_.size() < n) {
        right_samples_.resize(n);
        right_counts_.resize(n);
        values_.resize(n + static_cast<std::size_t>(kLane));
    }
    return {0, static_cast<std::int64_t>(n), true};
}

std::pair<EstimationRange, EstimationRange> EstimationSamples::divide(const EstimationRange& range,
                                                                      NodeColumns& columns, const Direction& direction,
                                                                      float threshold, bool missing_left) {
    const std::int64_t n = range.size();
    if (n == 0) return {range, range};
    std::uint32_t* samples = samples_.data() + range.begin;
    columns.project(direction, samples, n, values_.data());
    partition_samples(counts_.data() + range.begin, right_counts_.data(), values_.data(), n, threshold, missing_left);
    const std::int64_t n_left =
        partition_samples(samples, right_samples_.data(), values_.data(), n, threshold, missing_left);
    const std::int64_t middle = range.begin + n_left;
    const EstimationRange none{range.begin, range.end, false};
    return {n_left > 0 ? EstimationRange{range.begin, middle, true} : none,
            n_left < n ? EstimationRange{middle, range.end, true} : none};
}

}  // namespace silvan
