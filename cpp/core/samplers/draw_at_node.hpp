// Draws the directions of one node outside a forest, as a tree that grows there would.
#pragma once

#include <cstdint>
#include <string>

#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// Which draw of which node: the path from the root is a string of L and R, and a node draws again (attempt 1, 2, ...)
// if no direction tells its samples apart.
struct NodePlace {
    std::uint64_t seed = 0;
    std::int64_t tree = 0;
    std::string path;
    std::uint64_t attempt = 0;
};

// Tree, depth and key of `root` and `node` are filled in here. Throws std::invalid_argument where the place is none.
void draw_at_node(const ProjectionDistribution& distribution, const NodePlace& place, NodeContext root,
                  NodeContext node, std::int64_t n_directions, ProjectionBatch& batch);

// The draws from [0, 1) that place the thresholds of the first n directions which vary at a node, where thresholds
// are drawn at random.
std::vector<double> draw_thresholds_at_node(const NodePlace& place, std::int64_t n);

}  // namespace silvan
