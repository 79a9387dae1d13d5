// Where cells and running sums lie, and which cells a direction over sums covers.
#include "core/columns/grid.hpp"

#include <algorithm>
#include <utility>

namespace silvan {

Grid::Grid(std::vector<std::int64_t> shape, std::vector<std::uint8_t> contiguous)
    : shape_(std::move(shape)),
      contiguous_(std::move(contiguous)),
      cell_strides_(shape_.size()),
      sum_strides_(shape_.size()) {
    for (std::size_t a = shape_.size(); a-- > 0;) {
        cell_strides_[a] = n_cells_;
        sum_strides_[a] = n_sums_;
        n_cells_ *= shape_[a];
        n_sums_ *= shape_[a] + (contiguous_[a] != 0 ? 1 : 0);
    }
}

std::vector<std::int64_t> Grid::places() const {
    std::vector<std::int64_t> place(static_cast<std::size_t>(n_cells_));
    for (std::int64_t cell = 0; cell < n_cells_; ++cell) {
        std::int64_t rest = cell;
        std::int64_t at = 0;
        for (std::size_t a = 0; a < n_axes(); ++a) {
            at += (rest / cell_strides_[a] + (contiguous_[a] != 0 ? 1 : 0)) * sum_strides_[a];
            rest %= cell_strides_[a];
        }
        place[static_cast<std::size_t>(cell)] = at;
    }
    return place;
}

bool Grid::covers(std::int64_t sum, std::int64_t cell) const {
    for (std::size_t a = 0; a < n_axes(); ++a) {
        const std::int64_t at = sum / sum_strides_[a];
        const std::int64_t position = cell / cell_strides_[a];
        sum -= at * sum_strides_[a];
        cell -= position * cell_strides_[a];
        if (contiguous_[a] != 0 ? position >= at : position != at) return false;
    }
    return true;
}

namespace {

// A coefficient at a running sum, whose number counts along the axes that are left.
struct Corner {
    std::int64_t sum;
    float coefficient;
};

using Corners = std::vector<Corner>;

// Cells [begin, end) of an axis that the same corners cover.
struct Slab {
    std::int64_t begin, end;
    Corners corners;
};

// Adds the coefficients of corners in the same place, and drops those that cancel.
void merge_corners(Corners& corners) {
    std::sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) { return a.sum < b.sum; });
    std::size_t n = 0;
    for (const Corner corner : corners) {
        if (n > 0 && corners[n - 1].sum == corner.sum) {
            corners[n - 1].coefficient += corner.coefficient;
        } else {
            corners[n++] = corner;
        }
    }
    corners.resize(n);
    std::erase_if(corners, [](const Corner& corner) { return corner.coefficient == 0.0F; });
}

// Divides an axis where corners begin or cease to cover it; corners ascend, and so do the slabs.
std::vector<Slab> cut_axis(const Grid& grid, std::size_t axis, const Corners& corners) {
    const std::int64_t stride = grid.sum_stride(axis);
    const bool contiguous = grid.contiguous()[axis] != 0;
    std::vector<Slab> slabs;
    Corners covering;
    for (std::size_t last = corners.size(); last > 0;) {
        const std::int64_t at = corners[last - 1].sum / stride;
        for (; last > 0 && corners[last - 1].sum / stride == at; --last) {
            covering.push_back({corners[last - 1].sum % stride, corners[last - 1].coefficient});
        }
        merge_corners(covering);
        const std::int64_t before = last > 0 ? corners[last - 1].sum / stride : 0;
        if (!covering.empty()) slabs.push_back({contiguous ? before : at, contiguous ? at : at + 1, covering});
        if (!contiguous) covering.clear();
    }
    std::reverse(slabs.begin(), slabs.end());
    return slabs;
}

// Takes time in proportion to the cells of a patch, not of the grid.
void add_cells(const Grid& grid, std::size_t axis, std::int64_t cell, const Corners& corners,
               ExpandedDirections& expanded) {
    if (axis == grid.n_axes()) {
        expanded.indices.push_back(static_cast<std::int32_t>(cell));
        expanded.coefficients.push_back(corners.front().coefficient);
        return;
    }
    for (const Slab& slab : cut_axis(grid, axis, corners)) {
        for (std::int64_t at = slab.begin; at < slab.end; ++at) {
            add_cells(grid, axis + 1, cell + at * grid.cell_stride(axis), slab.corners, expanded);
        }
    }
}

}  // namespace

void expand_direction(const Grid& grid, const Direction& direction, ExpandedDirections& expanded) {
    const bool over_sums = direction.n_nonzeros > 0 && direction.indices[0] >= grid.n_cells();
    if (!over_sums) {
        expanded.indices.insert(expanded.indices.end(), direction.indices, direction.indices + direction.n_nonzeros);
        expanded.coefficients.insert(expanded.coefficients.end(), direction.coefficients,
                                     direction.coefficients + direction.n_nonzeros);
    } else {
        Corners corners;
        for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
            corners.push_back({direction.indices[k] - grid.n_cells(), direction.coefficients[k]});
        }
        add_cells(grid, 0, 0, corners, expanded);
    }
    expanded.indptr.push_back(static_cast<std::int64_t>(expanded.indices.size()));
}

}  // namespace silvan
