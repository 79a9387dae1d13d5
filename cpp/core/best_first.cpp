// Trees of limited leaves: TreeGrower splits the leaf next whose split gains most or, in trees that do not look at
// targets, one of all that can be split, each equally likely.
//
// All draws of a node are keyed by its place, so that these are the first splits of the tree without a limit. A leaf
// keeps only the direction of its split, and projects its samples again when its turn comes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/stopping.hpp"
#include "core/tree_grower.hpp"

namespace silvan {

void TreeGrower::grow_best_first(ProjectionSampler& sampler, TreeArrays& arrays) {
    // Equal gains go to the node that was made first.
    const auto gains_less = [](const SplitLeaf& a, const SplitLeaf& b) {
        return a.gain < b.gain || (a.gain == b.gain && a.open.node > b.open.node);
    };
    std::vector<SplitLeaf> queue;
    std::vector<OpenNode> leaves;
    arrays.add_nodes(1);
    for (std::int64_t n_leaves = 1;; ++n_leaves) {
        while (!open_.empty()) {
            const OpenNode open = open_.back();
            open_.pop_back();
            throw_if_stopped(open.end - open.begin);
            const Split split = describe_node(open, sampler, n_leaves < options_.max_leaf_nodes, arrays);
            if (split.found) {
                queue_leaf(open, split, queue);
                std::push_heap(queue.begin(), queue.end(), gains_less);
            } else {
                leaves.push_back(open);
            }
        }
        if (queue.empty() || n_leaves == options_.max_leaf_nodes) break;
        std::pop_heap(queue.begin(), queue.end(), gains_less);
        SplitLeaf next = std::move(queue.back());
        queue.pop_back();
        split_again(std::move(next), arrays);
    }
    for (const SplitLeaf& leaf : queue) leaves.push_back(leaf.open);
    // Members of leaves lie as the samples do.
    std::sort(leaves.begin(), leaves.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (const OpenNode& leaf : leaves) {
        search_->load(context_of(leaf), sampler);
        add_leaf(leaf, arrays);
    }
}

// A leaf waits for an exponential time from its parent's split on. Such times have no memory: of all leaves that wait,
// each is equally likely to be the next, and a node's draw depends on its place alone.
double TreeGrower::turn_of(std::uint64_t key, double time_of_parent) const {
    if (!options_.agnostic || options_.max_leaf_nodes == 0) return 0.0;
    return time_of_parent - std::log1p(-Random(turn_key(key)).uniform());
}

void TreeGrower::queue_leaf(const OpenNode& open, const Split& split, std::vector<SplitLeaf>& queue) const {
    const double gain = options_.agnostic ? -open.time : search_->impurity_decrease(split, tree_weight_);
    SplitLeaf leaf{open, split, gain, search_->middle(), redraw_, {}};
    const Direction direction = batch_.direction(split.direction);
    const std::int64_t n_features = columns_->n_features();
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const std::int32_t index = direction.indices[k];
        if (batch_.windows.empty() || index < n_features) {
            leaf.winner.add(index, direction.coefficients[k]);
        } else {
            leaf.winner.add_window(n_features, direction.windows[index - n_features], direction.coefficients[k]);
        }
    }
    leaf.winner.end_direction();
    leaf.split.direction = 0;
    queue.push_back(std::move(leaf));
}

// What was learnt at the node is learnt again, from the same stream.
void TreeGrower::split_again(SplitLeaf&& leaf, TreeArrays& arrays) {
    batch_ = std::move(leaf.winner);
    const NodeContext context = context_of(leaf.open);
    columns_->start(context, columns_key(leaf.open.key, leaf.redraw));
    columns_->project(batch_.direction(0), context.samples, context.n_samples, scratch_.values.current());
    scratch_.values.keep_current();
    add_split(leaf.open, leaf.split, leaf.middle, arrays);
}

}  // namespace silvan
