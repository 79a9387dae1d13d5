// Chooses the space of a description, and what spaces have in common.
#include "core/columns/column_space.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "core/columns/category_codes.hpp"
#include "core/columns/plain_features.hpp"
#include "core/columns/running_sums.hpp"
#include "core/columns/window_space.hpp"
#include "core/stopping.hpp"

namespace silvan {

void NodeColumns::start(const NodeContext&, std::uint64_t) {}

bool NodeColumns::is_learnt(const Direction&) const { return false; }

bool NodeColumns::is_learnt_from(std::uint32_t) const { return false; }

void ColumnSpace::check(const FeatureMatrix& samples) const {
    if (samples.n_features != n_features()) {
        throw std::invalid_argument("X has another number of features than the forest");
    }
}

void ColumnSpace::expand(const Direction& direction, ExpandedDirections& expanded) const {
    throw_if_stopped(direction.n_nonzeros);
    expanded.indices.insert(expanded.indices.end(), direction.indices, direction.indices + direction.n_nonzeros);
    expanded.coefficients.insert(expanded.coefficients.end(), direction.coefficients,
                                 direction.coefficients + direction.n_nonzeros);
    expanded.indptr.push_back(static_cast<std::int64_t>(expanded.indices.size()));
}

std::unique_ptr<ColumnSpace> make_column_space(std::int64_t n_features, const ColumnDescription& description) {
    const bool grid = !description.grid_shape.empty();
    const bool categories = !description.n_categories.empty();
    const bool windows = !description.windows.empty();
    if (grid && categories) throw std::invalid_argument("categories have no running sums");
    if (windows && (grid || categories)) throw std::invalid_argument("windows need columns of their own");
    if (windows) return std::make_unique<WindowSpace>(n_features, description.windows);
    if (grid) {
        return std::make_unique<RunningSumSpace>(n_features, Grid(description.grid_shape, description.grid_contiguous));
    }
    if (categories) return std::make_unique<CategorySpace>(n_features, description.n_categories);
    return std::make_unique<PlainFeatureSpace>(n_features);
}

ColumnDescription merge_columns(const ColumnDescription& first, const ColumnDescription& second) {
    if (first == ColumnDescription{} || first == second) return second;
    if (second == ColumnDescription{}) return first;
    const WindowDescription& mine = first.windows;
    const WindowDescription& theirs = second.windows;
    if (mine.empty() || mine.channel_shapes != theirs.channel_shapes || mine.wraps != theirs.wraps) {
        throw std::invalid_argument("these distributions draw over different columns");
    }
    ColumnDescription both = first;
    for (std::size_t a = 0; a < theirs.max_size.size(); ++a) {
        both.windows.max_size[a] = std::max(mine.max_size[a], theirs.max_size[a]);
    }
    both.windows.statistics.clear();
    std::set_union(mine.statistics.begin(), mine.statistics.end(), theirs.statistics.begin(), theirs.statistics.end(),
                   std::back_inserter(both.windows.statistics));
    return both;
}

}  // namespace silvan
