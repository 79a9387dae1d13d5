// A tree that several threads grow: parts of it, and how they become one.
//
// All draws of a node are keyed by its place in the tree, so that a subtree can be grown anywhere. A thread that grows
// a tree, or a part of one, hands nodes over to threads that have nothing to do; what those make of them takes its
// place in the end, as if one thread had grown all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/forest.hpp"

namespace silvan {

struct TreePart;

// A node that another thread went on from, and where in the arrays of its part that happened: all nodes and leaves that
// the part had by then come before those of the other part.
struct HandedOver {
    std::int32_t node;
    std::size_t n_nodes, n_leaves, n_values;
    std::unique_ptr<TreePart> part;  // node 0 is the node
};

struct TreePart {
    TreeArrays arrays;
    std::vector<HandedOver> handed_over;  // in the order of growing, which is depth first
};

// Puts the parts of other threads, and theirs, in their places.
void join_parts(TreePart& tree);

}  // namespace silvan
