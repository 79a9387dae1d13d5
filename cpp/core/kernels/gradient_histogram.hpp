// Adds gradients up in the bins of columns, and scores the edges between bins.
#pragma once

#include <cstddef>

#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// Blocks are searched step by step, so that the searches of many values run at once. Cells are those of cell_of.
void encode(const EdgeTable& table, const float* values, std::int64_t n, std::uint8_t* codes) {
    constexpr std::int64_t kBlock = 64;
    const Floats last = Floats{} + static_cast<float>(kEdgeCells - 1);
    float v[kBlock] = {};
    std::int32_t place[kBlock];
    for (std::int64_t start = 0; start < n; start += kBlock) {
        const std::int64_t m = n - start < kBlock ? n - start : kBlock;
        __builtin_memcpy(v, values + start, static_cast<std::size_t>(m) * sizeof(float));
        for (std::int64_t i = 0; i < kBlock; i += kFloats) {
            Floats cell = (load<Floats>(v + i) - table.minimum) * table.scale;
            cell = cell > 0.0F ? cell : Floats{};
            cell = cell < last ? cell : last;
            store(place + i, __builtin_convertvector(cell, Ints));
        }
        for (std::int64_t i = 0; i < m; ++i) place[i] = table.first[place[i]];
        for (std::int32_t step = table.first_step; step > 0; step /= 2) {
            const float* edges = table.edges + step - 1;
            for (std::int64_t i = 0; i < m; ++i) place[i] += v[i] > edges[place[i]] ? step : 0;
        }
        for (std::int64_t i = 0; i < kBlock; i += kFloats) {
            const Floats known = load<Floats>(v + i);
            store(place + i, known == known ? load<Ints>(place + i) : Ints{} + table.missing_code);
        }
        std::uint8_t* out = codes + start * kColumnGroup;
        for (std::int64_t i = 0; i < m; ++i) out[i * kColumnGroup] = static_cast<std::uint8_t>(place[i]);
    }
}

using TwoInts = std::int32_t __attribute__((vector_size(8)));
using TwoLongs = std::int64_t __attribute__((vector_size(16)));

// Eight codes of one sample lie side by side, so that they are read at once: a sample of a small node costs a cache
// line for eight columns instead of one for each.
inline std::uint64_t load_codes(const std::uint8_t* codes, std::int64_t sample) {
    std::uint64_t word;
    __builtin_memcpy(&word, codes + sample * kColumnGroup, sizeof(word));
    return word;
}

// What is added to a bin for a sample: the gradient with a count above it, or gradient and hessian with the count
// above the hessian.
struct GradientOnly {
    static constexpr std::int64_t kWords = 1;
    std::int64_t unit;

    std::int64_t load(const std::int32_t* pairs, std::int64_t i) const { return pairs[i] + unit; }
    static void add(std::int64_t* bin, std::int64_t term) { *bin += term; }
};

struct GradientAndHessian {
    static constexpr std::int64_t kWords = 2;
    TwoLongs unit;

    TwoLongs load(const std::int32_t* pairs, std::int64_t i) const {
        return __builtin_convertvector(silvan::load<TwoInts>(pairs + 2 * i), TwoLongs) + unit;
    }
    static void add(std::int64_t* bin, const TwoLongs& term) { store(bin, silvan::load<TwoLongs>(bin) + term); }
};

template <typename Terms, bool kListed>
inline void add_all_columns(const HistogramInput& in, const Terms& terms, std::int64_t* const* columns) {
    constexpr std::int64_t kAhead = 24;  // samples whose codes are on their way from memory
    std::int64_t* const c0 = columns[0];
    std::int64_t* const c1 = columns[1];
    std::int64_t* const c2 = columns[2];
    std::int64_t* const c3 = columns[3];
    std::int64_t* const c4 = columns[4];
    std::int64_t* const c5 = columns[5];
    std::int64_t* const c6 = columns[6];
    std::int64_t* const c7 = columns[7];
    for (std::int64_t i = 0; i < in.n_samples; ++i) {
        if (kListed)
            __builtin_prefetch(in.codes + in.samples[i + kAhead < in.n_samples ? i + kAhead : i] * kColumnGroup);
        const std::uint64_t word = load_codes(in.codes, kListed ? in.samples[i] : in.first_sample + i);
        const auto term = terms.load(in.pairs, i);
        Terms::add(c0 + Terms::kWords * (word & 255U), term);
        Terms::add(c1 + Terms::kWords * (word >> 8 & 255U), term);
        Terms::add(c2 + Terms::kWords * (word >> 16 & 255U), term);
        Terms::add(c3 + Terms::kWords * (word >> 24 & 255U), term);
        Terms::add(c4 + Terms::kWords * (word >> 32 & 255U), term);
        Terms::add(c5 + Terms::kWords * (word >> 40 & 255U), term);
        Terms::add(c6 + Terms::kWords * (word >> 48 & 255U), term);
        Terms::add(c7 + Terms::kWords * (word >> 56), term);
    }
}

// A column at a time, where a tree may split only some of the group.
template <typename Terms, bool kListed>
inline void add_some_columns(const HistogramInput& in, const Terms& terms, std::int64_t* const* columns) {
    for (std::int64_t j = 0; j < kColumnGroup; ++j) {
        if (columns[j] == nullptr) continue;
        const std::uint8_t* codes = in.codes + j;
        for (std::int64_t i = 0; i < in.n_samples; ++i) {
            const std::int64_t sample = kListed ? in.samples[i] : in.first_sample + i;
            const std::int64_t code = codes[sample * kColumnGroup];
            Terms::add(columns[j] + Terms::kWords * code, terms.load(in.pairs, i));
        }
    }
}

template <typename Terms>
inline void add_gradients_of(const HistogramInput& in, const Terms& terms, std::int64_t* const* columns) {
    bool all = true;
    for (std::int64_t j = 0; j < kColumnGroup; ++j) all = all && columns[j] != nullptr;
    if (in.samples != nullptr) {
        all ? add_all_columns<Terms, true>(in, terms, columns) : add_some_columns<Terms, true>(in, terms, columns);
    } else {
        all ? add_all_columns<Terms, false>(in, terms, columns) : add_some_columns<Terms, false>(in, terms, columns);
    }
}

void add_gradients(const HistogramInput& in, std::int64_t* const* columns) {
    if (in.n_words == 1) {
        add_gradients_of(in, GradientOnly{in.unit}, columns);
    } else {
        add_gradients_of(in, GradientAndHessian{TwoLongs{0, in.unit}}, columns);
    }
}

inline Doubles shrink(const Doubles& sum, double l1) {
    if (l1 == 0.0) return sum;
    const Doubles size = (sum < 0.0 ? -sum : sum) - l1;
    const Doubles shrunk = size > 0.0 ? size : Doubles{};
    return sum < 0.0 ? -shrunk : shrunk;
}

void add_edge_scores(const EdgeSums& sums, const double* total, double l1, double l2, double* score) {
    for (std::int64_t b = 0; b < sums.n_edges; b += kDoubles) {
        const Doubles g_left = load<Doubles>(sums.gradient + b);
        const Doubles h_left = load<Doubles>(sums.hessian + b);
        const Doubles left = shrink(g_left, l1);
        const Doubles right = shrink(total[0] - g_left, l1);
        const Doubles over = h_left + l2;
        const Doubles under = total[1] - h_left + l2;
        // One division for both sides: it is what the loop spends its time on.
        const Doubles gain = (left * left * under + right * right * over) / (over * under);
        store(score + b, load<Doubles>(score + b) + gain);
    }
}

std::int64_t best_edge(const EdgeLimits& limits, std::int64_t n_edges, const double* score) {
    Doubles best = Doubles{} + kNoScore;
    Longs place = Longs{};
    Longs here;
    for (std::int64_t l = 0; l < kDoubles; ++l) here[l] = l;
    for (std::int64_t b = 0; b < n_edges; b += kDoubles, here += kDoubles) {
        const Doubles weight = load<Doubles>(limits.weight + b);
        const Doubles count = load<Doubles>(limits.count + b);
        const Doubles s = load<Doubles>(score + b);
        const Longs better = (s > best) & (here < n_edges) & (weight >= limits.min_weight) &
                             (limits.total_weight - weight >= limits.min_weight) & (count >= limits.min_count) &
                             (limits.total_count - count >= limits.min_count);
        best = better ? s : best;
        place = better ? here : place;
    }
    std::int64_t winner = -1;
    double highest = kNoScore;
    for (std::int64_t l = 0; l < kDoubles; ++l) {
        if (best[l] > highest || (best[l] == highest && highest > kNoScore && place[l] < winner)) {
            highest = best[l];
            winner = place[l];
        }
    }
    return winner;
}

}  // namespace
}  // namespace silvan
