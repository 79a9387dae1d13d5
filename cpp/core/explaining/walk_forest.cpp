// Packs the nodes that random orders walk along.
#include "core/explaining/walk_forest.hpp"

#include <algorithm>
#include <span>

#include "core/stopping.hpp"

namespace silvan {

WalkForest::WalkForest(const ForestView& forest, PairReader& reader) : forest_(forest) {
    nodes_.reserve(static_cast<std::size_t>(forest.tree_offsets[forest.n_trees]));
    for (std::int64_t tree = 0; tree < forest.n_trees; ++tree) add_tree(tree, reader);
}

void WalkForest::add_tree(std::int64_t tree, PairReader& reader) {
    const TreeView nodes(forest_, tree);
    const std::int64_t n_nodes = forest_.tree_offsets[tree + 1] - forest_.tree_offsets[tree];
    std::vector<std::int32_t> features;
    bool single = true;
    for (std::int32_t node = 0; node < n_nodes; ++node) {
        const Direction direction = nodes.direction(node);
        throw_if_stopped(4 * direction.n_nonzeros + 8);
        const std::span<const PairTerm> terms = reader.read(direction);
        const bool numbers =
            direction.n_nonzeros > 0 && direction.indices[direction.n_nonzeros - 1] < forest_.n_features;
        nodes_.push_back({nodes.threshold[node], nodes.left[node],
                          numbers ? static_cast<std::uint32_t>(terms.size()) : 0U, nodes.missing_left[node] != 0,
                          static_cast<std::int64_t>(terms_.size())});
        for (std::size_t k = 0; numbers && k < terms.size(); ++k) {
            terms_.push_back({direction.indices[k], direction.coefficients[k]});
        }
        for (const PairTerm& term : terms) features.push_back(term.feature);
        single = single && terms.size() <= 1;
    }
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    features.shrink_to_fit();
    features_.push_back(std::move(features));
    single_.push_back(single);
}

}  // namespace silvan
