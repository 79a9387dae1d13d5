// Gives a grown tree its values, writes it out, and adds it to the scores of training samples.
#pragma once

#include <cstdint>
#include <vector>

#include "core/boosting/coded_tree.hpp"
#include "core/boosting/gradients.hpp"
#include "core/boosting/options.hpp"
#include "core/forest.hpp"
#include "core/shared_loops.hpp"

namespace silvan {

// A tree of the last round.
struct GrownTree {
    std::vector<CodedNode> nodes;
    std::vector<std::int32_t> leaf_of_node;  // or -1
    std::int64_t n_leaves = 0;
    std::int64_t first_output = 0;
    std::int64_t n_outputs = 1;
    std::vector<double> values;  // of the leaves, n_outputs each
};

// Numbers the leaves, and computes values from the gradients of the samples in them, for each output of the tree:
// `samples` are those that the tree was grown on, leaf by leaf. Returns the tree as prediction reads it.
TreeArrays value_leaves(const std::vector<WholeGradients>& outputs, const ColumnPool& pool, const BoostOptions& options,
                        const std::uint32_t* samples, GrownTree& tree, SharedLoops& loops);

// Adds the tree's values to the scores, n_outputs for each of n_samples samples, of those that it was grown on.
void add_by_leaf(const GrownTree& tree, const std::uint32_t* samples, std::int64_t n_samples, std::int64_t n_outputs,
                 double* scores, SharedLoops& loops);

// The same of any training samples, which are routed through the tree.
void add_by_route(const GrownTree& tree, const ColumnPool& pool, const Buffer<std::uint32_t>& samples,
                  std::int64_t n_outputs, double* scores, SharedLoops& loops);

}  // namespace silvan
