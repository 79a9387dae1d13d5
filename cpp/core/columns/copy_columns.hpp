// Copies a matrix of any layout into columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/stopping.hpp"
#include "core/thread_team.hpp"

namespace silvan {

// A matrix of numbers of type T; strides count elements.
template <typename T>
struct MatrixView {
    const T* data;
    std::int64_t n_samples, n_columns, row_stride, column_stride;
};

// Tiles keep both the samples that are read and the columns that are written in the first-level cache.
template <typename From, typename To>
void copy_columns(const MatrixView<From>& x, To* columns, const ThreadTeam& team) {
    constexpr std::int64_t kTileSamples = 256;
    constexpr std::int64_t kTileColumns = 16;
    team.for_blocks(x.n_samples, kTileSamples, [&](std::int64_t i0, std::int64_t i1) {
        throw_if_stopped(kTileSamples * x.n_columns);
        for (std::int64_t j0 = 0; j0 < x.n_columns; j0 += kTileColumns) {
            const std::int64_t j1 = std::min(x.n_columns, j0 + kTileColumns);
            for (std::int64_t j = j0; j < j1; ++j) {
                const From* from = x.data + j * x.column_stride;
                To* to = columns + j * x.n_samples;
                for (std::int64_t i = i0; i < i1; ++i) to[i] = static_cast<To>(from[i * x.row_stride]);
            }
        }
    });
}

}  // namespace silvan
