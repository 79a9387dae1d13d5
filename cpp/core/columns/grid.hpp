// A grid of features, and where its running sums lie: a sum over a box of any size takes two look-ups per axis.
//
// Features that lie on a grid (pixels, time steps, voxels) have running sums along its contiguous axes
// (summed-area tables). The sum over a box is then a sparse direction over running sums, with coefficient +1 or -1 at
// each of its corners: patches need no mechanism of their own. Columns of running sums are numbered after
// the features: index n_cells() + j of a direction is running sum j.
#pragma once

#include <cstdint>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

class Grid {
public:
    // `contiguous[a]` tells whether neighbours along axis a belong together (time, samples) or not (channels).
    Grid(std::vector<std::int64_t> shape, std::vector<std::uint8_t> contiguous);

    std::size_t n_axes() const { return shape_.size(); }
    const std::vector<std::int64_t>& shape() const { return shape_; }
    const std::vector<std::uint8_t>& contiguous() const { return contiguous_; }
    std::int64_t n_cells() const { return n_cells_; }
    std::int64_t n_sums() const { return n_sums_; }

    // Steps from a cell, or from a running sum, to the next one along axis a. Sums along a contiguous axis of
    // length s have s + 1 positions; position i covers the cells before i.
    std::int64_t cell_stride(std::size_t a) const { return cell_strides_[a]; }
    std::int64_t sum_stride(std::size_t a) const { return sum_strides_[a]; }

    bool operator==(const Grid& other) const { return shape_ == other.shape_ && contiguous_ == other.contiguous_; }

    // For each cell, the first running sum that covers it.
    std::vector<std::int64_t> places() const;

    // Whether running sum `sum` covers feature `cell`.
    bool covers(std::int64_t sum, std::int64_t cell) const;

private:
    std::vector<std::int64_t> shape_;
    std::vector<std::uint8_t> contiguous_;
    std::vector<std::int64_t> cell_strides_;
    std::vector<std::int64_t> sum_strides_;
    std::int64_t n_cells_ = 1;
    std::int64_t n_sums_ = 1;
};

// Appends a direction over features, or over running sums, written over the features alone.
void expand_direction(const Grid& grid, const Direction& direction, ExpandedDirections& expanded);

}  // namespace silvan
