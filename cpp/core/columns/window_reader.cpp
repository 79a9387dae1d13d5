// The corners of a direction's boxes are found once; what is left for each sample is a few loads and additions.
#include "core/columns/window_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace silvan {
namespace {

constexpr std::int64_t kBlock = 64;

// The sum over a box: of sums up to the end along an axis less those up to its start, axis after axis. Integers are
// exact modulo the width of their type.
template <std::size_t kAxes, typename Sum>
inline Sum sum_of(const Sum* sums, const std::int32_t* corner) {
    if constexpr (kAxes == 0) {
        return sums[corner[0]];
    } else {
        constexpr std::size_t kHalf = std::size_t{1} << (kAxes - 1);
        return static_cast<Sum>(sum_of<kAxes - 1>(sums, corner + kHalf) - sum_of<kAxes - 1>(sums, corner));
    }
}

template <std::size_t kAxes>
BoxCorners corners_of(const ChannelGrid& grid, const Box& box) {
    BoxCorners corners{};
    std::int64_t cells = 1;
    for (std::size_t a = 0; a < kAxes; ++a) {
        const std::size_t half = std::size_t{1} << (kAxes - 1 - a);
        for (std::size_t k = 0; k < (std::size_t{1} << kAxes); ++k) {
            const std::int32_t at = (k & half) != 0 ? box.end[a] : box.start[a];
            corners.corner[k] += static_cast<std::int32_t>(at * grid.sum_stride[a]);
        }
        cells *= box.end[a] - box.start[a];
    }
    corners.n_cells = static_cast<double>(cells);
    corners.inverse = 1.0 / corners.n_cells;
    return corners;
}

BoxCorners find_corners(const ChannelGrid& grid, std::size_t n_axes, const Box& box) {
    if (n_axes == 1) return corners_of<1>(grid, box);
    return n_axes == 2 ? corners_of<2>(grid, box) : corners_of<3>(grid, box);
}

constexpr std::size_t at(SumPlane plane) { return static_cast<std::size_t>(plane); }

}  // namespace

void WindowReader::project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                           float* values) {
    prepare(direction);
    const std::size_t n_axes = sums_.grids().n_axes();
    for (std::int64_t start = 0; start < n_samples; start += kBlock) {
        const std::int64_t n = std::min(kBlock, n_samples - start);
        if (n_axes == 1) {
            project_block<1>(samples + start, n, values + start);
        } else if (n_axes == 2) {
            project_block<2>(samples + start, n, values + start);
        } else {
            project_block<3>(samples + start, n, values + start);
        }
    }
    if (sums_.has_missing()) mark_missing(samples, n_samples, values);
}

void WindowReader::prepare(const Direction& direction) {
    const ChannelGrids& grids = sums_.grids();
    const std::size_t last = grids.n_axes() - 1;
    terms_.clear();
    corners_.clear();
    boxes_.clear();
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const Window& window = direction.windows[direction.indices[k] - grids.n_cells()];
        const auto channel = static_cast<std::size_t>(window.channel);
        Box boxes[kMaxBoxes];
        const std::size_t n_boxes = grids.list_boxes(window, boxes);
        Term term{static_cast<double>(direction.coefficients[k]),
                  window.statistic,
                  window.shift < 0,
                  channel,
                  corners_.size(),
                  n_boxes,
                  0.0,
                  0.0};
        for (std::size_t b = 0; b < n_boxes; ++b) {
            corners_.push_back(find_corners(grids[channel], grids.n_axes(), boxes[b]));
        }
        boxes_.insert(boxes_.end(), boxes, boxes + n_boxes);
        const double steps = window.box.end[last] - window.box.start[last];
        term.factor = steps > 1.0 ? 6.0 / (corners_.back().n_cells * (steps * steps - 1.0)) : 0.0;
        term.middle = window.box.end[last] + window.box.start[last] - 1;
        terms_.push_back(term);
    }
}

template <std::size_t kAxes>
void WindowReader::project_block(const std::uint32_t* samples, std::int64_t n, float* values) {
    double total[kBlock];
    double term[kBlock];
    for (std::size_t k = 0; k < terms_.size(); ++k) {
        double* to = k == 0 ? total : term;
        read_term<kAxes>(terms_[k], samples, n, to);
        const double coefficient = terms_[k].coefficient;
        for (std::int64_t i = 0; i < n; ++i) to[i] *= coefficient;
        if (k == 0) continue;
        for (std::int64_t i = 0; i < n; ++i) total[i] += term[i];
    }
    for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(total[i]);
}

// Spread and slope do not depend on the centre, and are differences of whole numbers where the cells are: exact until
// the last operations.
template <std::size_t kAxes>
void WindowReader::read_term(const Term& term, const std::uint32_t* samples, std::int64_t n, double* values) {
    read_plane<kAxes>(term, SumPlane::values, samples, n, values);
    if (term.statistic == WindowStatistic::mean) return;
    double other[kBlock];
    if (term.statistic == WindowStatistic::spread) {
        const BoxCorners& box = corners_[term.first_box];
        read_plane<kAxes>(term, SumPlane::squares, samples, n, other);
        for (std::int64_t i = 0; i < n; ++i) {
            const double squares = box.n_cells * other[i] - values[i] * values[i];
            values[i] = std::sqrt(std::max(squares, 0.0)) * box.inverse;
        }
    } else {
        read_plane<kAxes>(term, SumPlane::moments, samples, n, other);
        for (std::int64_t i = 0; i < n; ++i) values[i] = (2.0 * other[i] - term.middle * values[i]) * term.factor;
    }
}

template <std::size_t kAxes>
void WindowReader::read_plane(const Term& term, SumPlane plane, const std::uint32_t* samples, std::int64_t n,
                              double* values) const {
    switch (sums_.layout().type[at(plane)]) {
        case SumType::uint16:
            return read_boxes<kAxes, std::uint16_t>(term, plane, samples, n, values);
        case SumType::uint32:
            return read_boxes<kAxes, std::uint32_t>(term, plane, samples, n, values);
        case SumType::float64:
            return read_boxes<kAxes, double>(term, plane, samples, n, values);
    }
}

// The sums over the box of a term, or its mean, which is the largest or smallest of several where it has more boxes.
template <std::size_t kAxes, typename Sum>
void WindowReader::read_boxes(const Term& term, SumPlane plane, const std::uint32_t* samples, std::int64_t n,
                              double* values) const {
    const std::int64_t offset = sums_.layout().offset[term.channel][at(plane)];
    const BoxCorners* boxes = corners_.data() + term.first_box;
    const auto plane_of = [&](std::int64_t i) {
        return reinterpret_cast<const Sum*>(sums_.sample(samples[i]) + offset);
    };
    if (term.statistic != WindowStatistic::mean) {
        for (std::int64_t i = 0; i < n; ++i) {
            values[i] = static_cast<double>(sum_of<kAxes>(plane_of(i), boxes->corner.data()));
        }
        return;
    }
    const float* centres = sums_.centres(term.channel);
    const auto mean_of = [&](const Sum* sums, const BoxCorners& box, double centre) {
        return (centre * box.n_cells + static_cast<double>(sum_of<kAxes>(sums, box.corner.data()))) * box.inverse;
    };
    const double sign = term.smallest ? -1.0 : 1.0;
    for (std::int64_t i = 0; i < n; ++i) {
        const Sum* sums = plane_of(i);
        const double centre = centres == nullptr ? 0.0 : static_cast<double>(centres[samples[i]]);
        double best = mean_of(sums, boxes[0], centre);
        for (std::size_t b = 1; b < term.n_boxes; ++b) {
            const double mean = mean_of(sums, boxes[b], centre);
            best = sign * mean > sign * best ? mean : best;
        }
        values[i] = best;
    }
}

void WindowReader::mark_missing(const std::uint32_t* samples, std::int64_t n_samples, float* values) const {
    const ChannelGrids& grids = sums_.grids();
    const auto touched = [&](std::int64_t cell) {
        return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
            const Box* first = boxes_.data() + term.first_box;
            return std::any_of(first, first + term.n_boxes,
                               [&](const Box& box) { return grids.covers(term.channel, box, cell); });
        });
    };
    for (std::int64_t i = 0; i < n_samples; ++i) {
        if (std::any_of(sums_.missing_begin(samples[i]), sums_.missing_end(samples[i]), touched)) {
            values[i] = std::numeric_limits<float>::quiet_NaN();
        }
    }
}

}  // namespace silvan
