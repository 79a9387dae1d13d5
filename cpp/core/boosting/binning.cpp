// Chooses edges by quantiles, and finds the bins of values.
#include "core/boosting/binning.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "core/search/sort_keys.hpp"

namespace silvan {
namespace {

// A number from `lower` on and below `upper`.
float between(float lower, float upper) {
    const float middle = lower / 2.0F + upper / 2.0F;
    return middle >= lower && middle < upper ? middle : lower;
}

// The values that are not missing, in order.
std::vector<float> sort_values(const float* values, std::int64_t n, SortMemory& memory) {
    sort_samples(values, n, memory);
    std::vector<float> sorted(memory.keys.size());
    std::transform(memory.keys.begin(), memory.keys.end(), sorted.begin(),
                   [values](std::uint64_t key) { return values[sample_of(key)]; });
    return sorted;
}

// Closes a bin when it holds its share of the values that are left, or when the next value alone makes a bin.
std::vector<float> choose_edges(const std::vector<float>& sorted, std::int64_t max_bins) {
    const std::size_t n = sorted.size();
    std::int64_t n_distinct = n > 0 ? 1 : 0;
    for (std::size_t i = 1; i < n; ++i) n_distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
    const bool own_bins = n_distinct <= max_bins;
    const auto end_of_run = [&](std::size_t begin) {
        std::size_t end = begin;
        while (end < n && sorted[end] == sorted[begin]) ++end;
        return end;
    };
    std::vector<float> edges;
    edges.reserve(static_cast<std::size_t>(std::min(n_distinct, max_bins)));
    std::int64_t bins_left = max_bins;
    std::size_t bin = 0;  // where the open bin begins
    double share = static_cast<double>(n) / static_cast<double>(bins_left);
    for (std::size_t next = n > 0 ? end_of_run(0) : n; next < n && bins_left > 1;) {
        const std::size_t after = end_of_run(next);
        if (own_bins || static_cast<double>(next - bin) >= share || static_cast<double>(after - next) >= share) {
            edges.push_back(between(sorted[next - 1], sorted[next]));
            bin = next;
            share = static_cast<double>(n - bin) / static_cast<double>(--bins_left);
        }
        next = after;
    }
    return edges;
}

}  // namespace

ColumnBins::ColumnBins(const float* values, std::int64_t n, std::int64_t max_bins, SortMemory& memory) {
    if (max_bins > 1) edges_ = choose_edges(sort_values(values, n, memory), max_bins);
    n_edges_ = static_cast<std::int64_t>(edges_.size());
    make_table();
}

// Cells are equal parts of a range. The cell of a value never falls as values grow, so that the edges before a cell,
// those that fall into earlier ones, are below all its values, and only those in the cell need be compared. Where a few
// edges lie far from the others, the range leaves them out: they share the outermost cells.
void ColumnBins::make_table() {
    std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
    for (const std::int64_t outside : {std::int64_t{0}, n_edges_ / 64, n_edges_ / 32, n_edges_ / 16, n_edges_ / 8}) {
        const CellRange range = cover(outside);
        const std::int32_t most = fill_cells(range, nullptr);
        const auto step = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(most)));
        if (step >= fewest) continue;
        fewest = first_step_ = step;
        range_ = range;
    }
    first_.resize(kEdgeCells);
    fill_cells(range_, first_.data());
    edges_.resize(static_cast<std::size_t>(2 * kMaxCodes), std::numeric_limits<float>::infinity());
}

ColumnBins::CellRange ColumnBins::cover(std::int64_t outside) const {
    const auto first =
        std::find_if(edges_.begin() + outside, edges_.end() - outside, [](float edge) { return !std::isinf(edge); });
    auto last = edges_.end() - outside;
    while (last != first && std::isinf(*(last - 1))) --last;
    CellRange range;
    if (last - first < 2) return range;
    range.minimum = *first;
    range.scale = static_cast<float>(kEdgeCells - 1) / (*(last - 1) - range.minimum);
    if (!std::isfinite(range.scale)) range.scale = 0.0F;
    return range;
}

// Writes how many edges lie before each cell, unless `first` is nullptr, and returns the edges in the fullest.
std::int32_t ColumnBins::fill_cells(const CellRange& range, std::uint8_t* first) const {
    std::array<std::uint8_t, kEdgeCells> inside{};
    std::int32_t most = 0;
    for (std::int64_t i = 0; i < n_edges_; ++i) {
        const std::int32_t cell = cell_of(edges_[static_cast<std::size_t>(i)], range.minimum, range.scale);
        most = std::max<std::int32_t>(most, ++inside[static_cast<std::size_t>(cell)]);
    }
    std::int32_t before = 0;
    for (std::size_t cell = 0; first != nullptr && cell < inside.size(); ++cell) {
        first[cell] = static_cast<std::uint8_t>(before);
        before += inside[cell];
    }
    return most;
}

}  // namespace silvan
