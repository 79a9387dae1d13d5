// Follows a path to a node's stream and asks the distribution there.
#include "core/samplers/draw_at_node.hpp"

#include <stdexcept>

namespace silvan {
namespace {

std::uint64_t follow_path(std::uint64_t key, const std::string& path) {
    for (const char step : path) {
        if (step != 'L' && step != 'R') throw std::invalid_argument("path may hold L and R only");
        key = child_key(key, step == 'L' ? Side::left : Side::right);
    }
    return key;
}

}  // namespace

void draw_at_node(const ProjectionDistribution& distribution, const NodePlace& place, NodeContext root,
                  NodeContext node, std::int64_t n_directions, ProjectionBatch& batch) {
    if (place.tree < 0) throw std::invalid_argument("tree must not be negative");
    const auto tree = static_cast<std::uint64_t>(place.tree);
    root.tree = node.tree = place.tree;
    root.key = stream_key(place.seed, tree, Purpose::root_node);
    node.depth = static_cast<std::int64_t>(place.path.size());
    node.key = follow_path(root.key, place.path);
    Random tree_random(stream_key(place.seed, tree, Purpose::tree_sampler));
    const auto sampler = distribution.make_sampler(tree_random);
    sampler->prepare(root, tree_random);
    Random node_random(attempt_key(node.key, place.attempt));
    sampler->sample(node, n_directions, node_random, batch);
}

std::vector<double> draw_thresholds_at_node(const NodePlace& place, std::int64_t n) {
    const std::uint64_t root = stream_key(place.seed, static_cast<std::uint64_t>(place.tree), Purpose::root_node);
    Random random(thresholds_key(follow_path(root, place.path)));
    std::vector<double> draws(static_cast<std::size_t>(n));
    for (double& draw : draws) draw = random.uniform();
    return draws;
}

}  // namespace silvan
