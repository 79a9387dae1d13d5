// Values of a column as codes of one byte: edges between bins, and the bin of each value.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/search/scratch.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

inline constexpr std::int64_t kMaxCodes = 256;

// Value v has the code of the first edge with v <= edge, or n_edges above all; a missing one has the code after that.
// A split after bin b is thus the threshold edges[b], for training samples and all others.
class ColumnBins {
public:
    // A column that tells nothing apart.
    ColumnBins() { make_table(); }

    // Of some values of training samples; missing ones have no part in it. Every distinct value has a bin where there
    // are at most `max_bins`, else bins hold about equally many values.
    ColumnBins(const float* values, std::int64_t n, std::int64_t max_bins, SortMemory& memory);

    std::int64_t n_edges() const { return n_edges_; }
    // Bins of values, and the one of missing values.
    std::int64_t n_bins() const { return n_edges_ + 2; }
    std::int64_t missing_code() const { return n_edges_ + 1; }
    // The last one parts missing values from all others.
    float edge(std::int64_t bin) const {
        return bin < n_edges_ ? edges_[static_cast<std::size_t>(bin)] : std::numeric_limits<float>::infinity();
    }

    EdgeTable table() const {
        return {edges_.data(), first_.data(), range_.minimum,
                range_.scale,  first_step_,   static_cast<std::int32_t>(missing_code())};
    }

private:
    // The part of the values that cells are equal parts of.
    struct CellRange {
        float minimum = 0.0F;
        float scale = 0.0F;
    };

    void make_table();
    CellRange cover(std::int64_t outside) const;
    std::int32_t fill_cells(const CellRange& range, std::uint8_t* first) const;

    std::int64_t n_edges_ = 0;
    std::vector<float> edges_;  // ascending, and infinities behind them, which searches run into
    // Where the search begins: a cell for each part of the range, with the edges before it.
    std::vector<std::uint8_t> first_;
    CellRange range_;
    std::int32_t first_step_ = 0;
};

}  // namespace silvan
