// Runs of cells along an axis: how patches and windows choose their size and place.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/random.hpp"

namespace silvan {

enum class Boundary : std::uint8_t {
    corner,  // first cell u ~ U{0, W - min}, then size ~ U{min, min(max, W - u)}
    inside,  // size ~ U{min, max}, then uniform over the places that fit
    pad,     // size, then start ~ U{1 - size, W - 1}, clipped to the grid: all cells are covered equally often
    wrap,    // size, then start ~ U{0, W - 1}, indices modulo W
    subset,  // size, then a random subset of that size: an axis whose neighbours do not belong together
};

struct PatchAxis {
    std::int64_t length = 1;
    std::int64_t min_size = 1;
    std::int64_t max_size = 1;  // at most length
    Boundary boundary = Boundary::pad;
    std::int64_t reach = 0;  // how far the first cells of further patches lie from that of the first
};

// Cells [start, start + size) of an axis; they may stick out of it.
struct Span {
    std::int64_t start, size;
};

inline std::uint64_t as_count(std::int64_t n) { return static_cast<std::uint64_t>(n); }

inline std::int64_t draw_between(Random& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.below(as_count(high - low + 1)));
}

inline std::int64_t first_start(const PatchAxis& axis, std::int64_t size) {
    return axis.boundary == Boundary::pad ? 1 - size : 0;
}

inline std::int64_t last_start(const PatchAxis& axis, std::int64_t size) {
    const bool fits = axis.boundary == Boundary::corner || axis.boundary == Boundary::inside;
    return fits ? axis.length - size : axis.length - 1;
}

inline Span draw_span(const PatchAxis& axis, Random& random) {
    if (axis.boundary == Boundary::corner) {
        const std::int64_t start = draw_between(random, 0, axis.length - axis.min_size);
        const std::int64_t max_size = std::min(axis.max_size, axis.length - start);
        return {start, draw_between(random, axis.min_size, max_size)};
    }
    const std::int64_t size = draw_between(random, axis.min_size, axis.max_size);
    if (axis.boundary == Boundary::subset) return {0, size};
    return {draw_between(random, first_start(axis, size), last_start(axis, size)), size};
}

// Uniform over the spans of the same size that start within reach.
inline Span draw_near(const PatchAxis& axis, const Span& span, Random& random) {
    if (axis.boundary == Boundary::subset) return span;
    if (axis.boundary == Boundary::wrap) {
        const bool anywhere = 2 * axis.reach + 1 >= axis.length;
        const std::int64_t shift =
            anywhere ? draw_between(random, 0, axis.length - 1) : draw_between(random, -axis.reach, axis.reach);
        return {(span.start + shift + axis.length) % axis.length, span.size};
    }
    const std::int64_t low = std::max(first_start(axis, span.size), span.start - axis.reach);
    const std::int64_t high = std::min(last_start(axis, span.size), span.start + axis.reach);
    return {draw_between(random, low, high), span.size};
}

}  // namespace silvan
