// The samples that fill the leaves of an honest tree: they follow the splits that other samples have decided.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/columns/column_space.hpp"

namespace silvan {

// The estimation samples of a node; of a node that none reaches, those of its nearest ancestor with some.
struct EstimationRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool reached = true;

    std::int64_t size() const { return end - begin; }
};

class EstimationSamples {
public:
    // The samples of the next tree are added in ascending order, with how often it drew them; none: it is not honest.
    void clear();
    void add(std::uint32_t sample, std::int32_t count);
    EstimationRange start();

    bool honest() const { return !samples_.empty(); }
    const std::uint32_t* samples(const EstimationRange& range) const { return samples_.data() + range.begin; }
    const std::int32_t* counts(const EstimationRange& range) const { return counts_.data() + range.begin; }

    // Sends the samples of a node to its children, left and right, in place; the set of samples in the node's range
    // stays what it was.
    std::pair<EstimationRange, EstimationRange> divide(const EstimationRange& range, NodeColumns& columns,
                                                       const Direction& direction, float threshold, bool missing_left);

private:
    std::vector<std::uint32_t> samples_;
    std::vector<std::int32_t> counts_;
    std::vector<std::uint32_t> right_samples_;
    std::vector<std::int32_t> right_counts_;
    std::vector<float> values_;
};

}  // namespace silvan
