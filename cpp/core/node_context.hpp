// What is known about a node: its samples, how much they count, and how their columns are read.
#pragma once

#include <cstdint>

#include "core/training_targets.hpp"

namespace silvan {

class NodeColumns;

// Columns and targets are those of the whole training set, indexed by sample; whoever reads them for a node may look
// at the node's own samples only. Without samples there is nothing to look at, and the pointers may be null.
struct NodeContext {
    NodeColumns* columns = nullptr;
    const TrainingTargets* targets = nullptr;
    const std::uint32_t* samples = nullptr;  // ascending sample numbers of the node
    const std::int32_t* counts = nullptr;    // how often the tree drew each sample of the node
    std::int64_t n_samples = 0;
    std::int64_t tree = 0;
    std::int64_t depth = 0;
    std::uint64_t key = 0;
};

// How much sample number `i` of the node counts: how often it was drawn times its weight.
inline double sample_weight(const NodeContext& node, std::int64_t i) {
    return node.counts[i] * (node.targets->weight == nullptr ? 1.0 : node.targets->weight[node.samples[i]]);
}

}  // namespace silvan
