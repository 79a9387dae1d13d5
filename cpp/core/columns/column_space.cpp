// Chooses the space of a description, and what spaces have in common.
#include "core/columns/column_space.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "core/columns/category_codes.hpp"
#include "core/columns/plain_features.hpp"
#include "core/columns/running_sums.hpp"
#include "core/columns/window_pool.hpp"
#include "core/columns/window_space.hpp"
#include "core/stopping.hpp"

namespace silvan {

namespace {

constexpr std::int64_t kMaxColumns = std::numeric_limits<std::int32_t>::max();

}  // namespace

void NodeColumns::start(const NodeContext&, std::uint64_t) {}

CodedColumn NodeColumns::coded(const Direction&) const { return {}; }

std::int64_t NodeColumns::count_distinct(const std::uint32_t*, std::int64_t n_samples) const { return n_samples; }

bool NodeColumns::is_learnt(const Direction&) const { return false; }

bool NodeColumns::is_learnt_from(std::uint32_t) const { return false; }

void ColumnSpace::check(const FeatureMatrix& samples) const {
    if (samples.n_features != n_features()) {
        throw std::invalid_argument("X has another number of features than the forest");
    }
}

std::unique_ptr<NodeColumns> ColumnSpace::read_pool(const FeatureLayouts&, const std::shared_ptr<WindowPool>&,
                                                    const SplitKernels&, const ThreadTeam*) const {
    throw std::invalid_argument("only windows have a pool");
}

void ColumnSpace::expand(const Direction& direction, ExpandedDirections& expanded) const {
    throw_if_stopped(direction.n_nonzeros);
    expanded.indices.insert(expanded.indices.end(), direction.indices, direction.indices + direction.n_nonzeros);
    expanded.coefficients.insert(expanded.coefficients.end(), direction.coefficients,
                                 direction.coefficients + direction.n_nonzeros);
    expanded.indptr.push_back(static_cast<std::int64_t>(expanded.indices.size()));
}

namespace {

// Cells and running sums are numbered by the indices of directions.
void check_grid(std::int64_t n_features, const ColumnDescription& description) {
    const auto& shape = description.grid_shape;
    std::int64_t n_cells = 1;
    std::int64_t n_sums = 1;
    bool fits = description.grid_contiguous.size() == shape.size();
    for (std::size_t a = 0; fits && a < shape.size(); ++a) {
        const std::int64_t length = shape[a];
        fits = length >= 1 && length <= n_features / n_cells;
        if (!fits) break;
        const std::int64_t n_ends = length + (description.grid_contiguous[a] != 0 ? 1 : 0);
        fits = n_sums <= kMaxColumns / n_ends;
        n_cells *= length;
        n_sums *= n_ends;
    }
    if (!fits || n_cells != n_features || n_sums > kMaxColumns - n_cells) {
        throw std::invalid_argument("the grid needs a cell for each feature, and no more sums than can be numbered");
    }
}

void check_categories(std::int64_t n_features, const std::vector<std::int64_t>& n_categories) {
    std::int64_t n_columns = n_features;
    for (const std::int64_t count : n_categories) {
        if (count < 0 || count > kMaxColumns - n_columns) {
            throw std::invalid_argument("n_categories must not be negative, nor too many to be numbered");
        }
        n_columns += count;
    }
}

}  // namespace

std::unique_ptr<ColumnSpace> make_column_space(std::int64_t n_features, const ColumnDescription& description) {
    if (n_features < 1 || n_features > kMaxColumns) throw std::invalid_argument("there must be 1 to 2^31 - 1 features");
    const bool grid = !description.grid_shape.empty();
    const bool categories = !description.n_categories.empty();
    const bool windows = !description.windows.empty();
    if (grid && categories) throw std::invalid_argument("categories have no running sums");
    if (windows && (grid || categories)) throw std::invalid_argument("windows need columns of their own");
    if (windows) return std::make_unique<WindowSpace>(n_features, description.windows);
    if (grid) {
        check_grid(n_features, description);
        return std::make_unique<RunningSumSpace>(n_features, Grid(description.grid_shape, description.grid_contiguous));
    }
    if (categories) {
        check_categories(n_features, description.n_categories);
        return std::make_unique<CategorySpace>(n_features, description.n_categories);
    }
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
