// Counts of each class in the bins before each border of a histogram.
#pragma once

#include <cstddef>

#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// Counts of the classes first .. first + kClasses - 1 in the bins up to `last_bin`.
template <std::size_t kClasses>
inline void count_below(const std::uint16_t* bins, std::int64_t n_samples, const ClassTargets& targets,
                        std::int32_t last_bin, std::int32_t first, std::int32_t* sums) {
    Ints sum[kClasses] = {};
    std::int64_t i = 0;
    for (; i + kFloats <= n_samples; i += kFloats) {
        const Ints below = __builtin_convertvector(load<Shorts>(bins + i), Ints) <= last_bin;
        const Ints count = below & load<Ints>(targets.count + i);
        const Ints label = load<Ints>(targets.label + i) - first;
        for (std::size_t k = 0; k < kClasses; ++k) sum[k] += (label == static_cast<std::int32_t>(k)) & count;
    }
    for (std::size_t k = 0; k < kClasses; ++k) sums[k] = sum_of_entries(sum[k]);
    for (; i < n_samples; ++i) {
        const auto k = static_cast<std::size_t>(targets.label[i] - first);  // huge where the class is before
        if (bins[i] <= last_bin && k < kClasses) sums[k] += targets.count[i];
    }
}

// Few bins and classes: a pass for each border and no table, where each sample would wait for the last one that fell
// in the same cell.
void sum_few_class_counts(const std::uint16_t* bins, std::int64_t n_samples, const ClassTargets& targets,
                          std::int32_t n_bins, std::int32_t* counts) {
    const std::int32_t width = n_bins + 1;
    for (std::int32_t b = 0; b + 1 < n_bins; ++b) {
        for (std::int32_t first = 0; first < targets.n_classes; first += 4) {
            std::int32_t sums[4];
            const std::int32_t n_classes = smaller(4, targets.n_classes - first);
            if (n_classes <= 2) {
                count_below<2>(bins, n_samples, targets, b, first, sums);
            } else {
                count_below<4>(bins, n_samples, targets, b, first, sums);
            }
            for (std::int32_t k = 0; k < n_classes; ++k) counts[(first + k) * width + b + 1] = sums[k];
        }
    }
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        counts[k * width] = 0;
        counts[k * width + n_bins] = targets.totals[k];
    }
}

constexpr std::int32_t kTables = 4;
constexpr std::int32_t kTableCells = 1024;

// Samples take turns in kTables tables, so that few of them wait for the last one that fell in the same cell; the
// sums go to the first table.
void fill_tables(const std::uint16_t* bins, std::int64_t n_samples, const ClassTargets& targets, std::int32_t width,
                 std::int32_t n_cells, std::int32_t* counts) {
    std::int32_t others[kTables - 1][kTableCells];
    const auto bytes = sizeof(std::int32_t) * static_cast<std::size_t>(n_cells);
    for (auto& other : others) __builtin_memset(other, 0, bytes);
    std::int64_t i = 0;
    for (; i + kTables <= n_samples; i += kTables) {
        counts[targets.label[i] * width + bins[i]] += targets.count[i];
        for (std::int64_t t = 1; t < kTables; ++t) {
            others[t - 1][targets.label[i + t] * width + bins[i + t]] += targets.count[i + t];
        }
    }
    for (; i < n_samples; ++i) counts[targets.label[i] * width + bins[i]] += targets.count[i];
    for (std::int32_t c = 0; c < n_cells; ++c) counts[c] += others[0][c] + others[1][c] + others[2][c];
}

// counts[k * (n_bins + 1) + b]: how many of class k are in the bins before b.
void sum_class_counts(const std::uint16_t* bins, std::int64_t n_samples, const ClassTargets& targets,
                      std::int32_t n_bins, std::int32_t* counts) {
    constexpr std::int32_t kFewCells = 8;
    if ((n_bins - 1) * targets.n_classes <= kFewCells) {
        sum_few_class_counts(bins, n_samples, targets, n_bins, counts);
        return;
    }
    const std::int32_t width = n_bins + 1;
    const std::int32_t n_cells = width * targets.n_classes;
    __builtin_memset(counts, 0, sizeof(std::int32_t) * static_cast<std::size_t>(n_cells));
    std::int32_t* shifted = counts + 1;  // running sums then have what is before each bin
    if (n_cells <= kTableCells && 2 * n_cells <= n_samples) {
        fill_tables(bins, n_samples, targets, width, n_cells - 1, shifted);
    } else {
        for (std::int64_t i = 0; i < n_samples; ++i) {
            shifted[targets.label[i] * width + bins[i]] += targets.count[i];
        }
    }
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        std::int32_t* sample = counts + k * width;
        std::int32_t running = 0;
        for (std::int32_t b = 0; b < width; ++b) {
            running += sample[b];
            sample[b] = running;
        }
    }
}

}  // namespace
}  // namespace silvan
