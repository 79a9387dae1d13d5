// The rows that fill the leaves of an honest tree: they follow the splits that other rows have decided.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/training_features.hpp"

namespace silvan {

// The estimation rows of a node; of a node that none reaches, those of its nearest ancestor with some.
struct EstimationRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool reached = true;

    std::int64_t size() const { return end - begin; }
};

class EstimationRows {
public:
    // The rows of the next tree, ascending; empty: the tree is not honest. The caller fills it, then starts.
    std::vector<std::uint32_t>& rows() { return rows_; }
    EstimationRange start();

    bool honest() const { return !rows_.empty(); }
    const std::uint32_t* data(const EstimationRange& range) const { return rows_.data() + range.begin; }

    // Sends the rows of a node to its children, left and right, in place; the set of rows in the node's range
    // stays what it was.
    std::pair<EstimationRange, EstimationRange> divide(const EstimationRange& range, const TrainingFeatures& features,
                                                       const SplitKernels& kernels, const Direction& direction,
                                                       float threshold, bool missing_left);

private:
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> right_;
    std::vector<float> values_;
};

}  // namespace silvan
