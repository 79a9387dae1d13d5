// The corners of a direction's boxes are found once; what is left for each sample is a few loads and additions. The
// sums of a sample are far from those of the next, so that large nodes wait for memory: what is read is asked for some
// samples ahead.
#include "core/columns/window_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace silvan {
namespace {

constexpr std::int64_t kBlock = 64;
constexpr std::int64_t kAhead = 16;  // samples; 8 to 32 are alike

// The sum over a box: of sums up to the end along an axis less those up to its start, axis after axis. Integers are
// exact modulo the width of their type.
template <std::size_t kAxes, typename Sum>
inline Sum sum_of(const Sum* sums, const std::int64_t* corner) {
    if constexpr (kAxes == 0) {
        return sums[corner[0]];
    } else {
        constexpr std::size_t kHalf = std::size_t{1} << (kAxes - 1);
        return static_cast<Sum>(sum_of<kAxes - 1>(sums, corner + kHalf) - sum_of<kAxes - 1>(sums, corner));
    }
}

// Corners along the last axis are neighbours.
template <std::size_t kAxes, typename Sum>
inline void prefetch_box(const Sum* sums, const BoxCorners& box) {
    constexpr std::size_t kStep = kAxes == 1 ? 1 : 2;
    for (std::size_t k = 0; k < (std::size_t{1} << kAxes); k += kStep) __builtin_prefetch(sums + box.corner[k]);
}

BoxCorners corners_of(const ChannelGrid& grid, std::size_t n_axes, std::int64_t place_stride, const Box& box) {
    BoxCorners corners;
    corners.corner[0] = 0;
    std::size_t n = 1;
    std::int64_t cells = 1;
    for (std::size_t a = 0; a < n_axes; ++a) {
        const std::int64_t start = box.start[a] * grid.sum_stride[a] * place_stride;
        const std::int64_t end = box.end[a] * grid.sum_stride[a] * place_stride;
        for (std::size_t k = n; k-- > 0;) {
            const std::int64_t before = corners.corner[k];
            corners.corner[2 * k + 1] = before + end;
            corners.corner[2 * k] = before + start;
        }
        n *= 2;
        cells *= box.end[a] - box.start[a];
    }
    corners.n_cells = static_cast<double>(cells);
    corners.inverse = 1.0 / corners.n_cells;
    return corners;
}

// One kind of sums among those of a window.
struct KindReader {
    std::uint32_t place;
    std::uint64_t mask;

    KindReader(const ChannelSums& sums, Summed kind)
        : place(sums.place[static_cast<std::size_t>(kind)]), mask(sums.mask[static_cast<std::size_t>(kind)]) {}

    template <typename Sum>
    double operator()(const Sum& sums) const {
        if constexpr (std::is_integral_v<Sum>) {
            return static_cast<double>(static_cast<std::int64_t>(std::uint64_t{sums} >> place & mask));
        } else {
            return sums.kind[place];
        }
    }
};

}  // namespace

void WindowReader::project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                           float* values) {
    project_terms(direction, samples, n_samples, values);
    if (sums_.has_missing()) mark_missing(direction, samples, n_samples, values);
}

float WindowReader::project_sample(const Direction& direction, std::uint32_t sample) {
    float value = 0.0F;
    project(direction, &sample, 1, &value);
    return value;
}

void WindowReader::project_terms(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                                 float* values) {
    const std::size_t n_axes = sums_.grids().n_axes();
    const auto n_terms = static_cast<std::size_t>(direction.n_nonzeros);
    if (terms_.size() < n_terms) terms_.resize(n_terms);
    for (std::size_t k = 0; k < n_terms; ++k) {
        const Window& window = direction.windows[direction.indices[k] - sums_.grids().n_cells()];
        prepare(window, direction.coefficients[k], terms_[k]);
    }
    double total[kBlock];
    double part[kBlock];
    for (std::int64_t start = 0; start < n_samples; start += kBlock) {
        const Block block{samples + start, std::min(kBlock, n_samples - start), n_samples - start};
        for (std::size_t k = 0; k < n_terms; ++k) {
            double* to = k == 0 ? total : part;
            with_sum_type(sums_.layout().channels[terms_[k].channel], [&](auto sum) {
                using Sum = decltype(sum);
                if (n_axes == 1) {
                    read_term<1, Sum>(terms_[k], block, to);
                } else if (n_axes == 2) {
                    read_term<2, Sum>(terms_[k], block, to);
                } else {
                    read_term<3, Sum>(terms_[k], block, to);
                }
            });
            const double coefficient = terms_[k].coefficient;
            for (std::int64_t i = 0; i < block.n; ++i)
                to[i] = coefficient * static_cast<double>(static_cast<float>(to[i]));
            if (k == 0) continue;
            for (std::int64_t i = 0; i < block.n; ++i) total[i] += part[i];
        }
        for (std::int64_t i = 0; i < block.n; ++i) values[start + i] = static_cast<float>(total[i]);
    }
}

void WindowReader::prepare(const Window& window, float coefficient, Term& term) const {
    const ChannelGrids& grids = sums_.grids();
    const std::size_t n_axes = grids.n_axes();
    term.coefficient = static_cast<double>(coefficient) / static_cast<double>(window.scale);
    term.statistic = window.statistic;
    term.smallest = window.shift < 0;
    term.channel = static_cast<std::size_t>(window.channel);
    const ChannelGrid& grid = grids[term.channel];
    term.n_boxes = term.n_ahead = 1;
    const std::int64_t place_stride = sums_.layout().channels[term.channel].place_stride;
    term.boxes[0] = corners_of(grid, n_axes, place_stride, window.box);
    if (window.shift != 0) {
        Box boxes[kMaxBoxes];
        term.n_boxes = grids.list_boxes(window, boxes);
        for (std::size_t b = 1; b < term.n_boxes; ++b) {
            term.boxes[b] = corners_of(grid, n_axes, place_stride, boxes[b]);
            const bool same_columns = boxes[b].start[n_axes - 1] == window.box.start[n_axes - 1];
            if (n_axes == 1 || same_columns) term.n_ahead = b + 1;
        }
    }
    term.other = window.statistic == WindowStatistic::spread ? Summed::squares : Summed::moments;
    if (window.statistic != WindowStatistic::slope) return;
    const double steps = window.box.end[n_axes - 1] - window.box.start[n_axes - 1];
    term.factor = steps > 1.0 ? 6.0 / (term.boxes[0].n_cells * (steps * steps - 1.0)) : 0.0;
    term.middle = window.box.end[n_axes - 1] + window.box.start[n_axes - 1] - 1;
}

// Spread and slope do not depend on the centre, and are differences of whole numbers where the cells are: exact until
// the last operations. A mean is the largest or smallest of several where it has more boxes.
template <std::size_t kAxes, typename Sum>
void WindowReader::read_term(const Term& term, const Block& block, double* values) const {
    const ChannelSums& stored = sums_.layout().channels[term.channel];
    const std::uint8_t* first = sums_.data() + stored.offset;
    const std::int64_t stride = stored.sample_stride;
    const auto sums_of = [first, stride](std::uint32_t sample) {
        return reinterpret_cast<const Sum*>(first + static_cast<std::int64_t>(sample) * stride);
    };
    // Calls read(i, sums of sample i).
    const auto for_samples = [&](const auto& read) {
        const std::int64_t n_ahead =
            stored.place_stride == 1 ? std::clamp<std::int64_t>(block.n_known - kAhead, 0, block.n) : 0;
        std::int64_t i = 0;
        for (; i < n_ahead; ++i) {
            const Sum* ahead = sums_of(block.samples[i + kAhead]);
            for (std::size_t b = 0; b < term.n_ahead; ++b) prefetch_box<kAxes>(ahead, term.boxes[b]);
            read(i, sums_of(block.samples[i]));
        }
        for (; i < block.n; ++i) read(i, sums_of(block.samples[i]));
    };
    const KindReader cells(stored, Summed::cells);
    const KindReader other(stored, term.other);
    const BoxCorners own = term.boxes[0];
    if (term.statistic == WindowStatistic::spread) {
        for_samples([&](std::int64_t i, const Sum* sums) {
            const Sum window = sum_of<kAxes>(sums, own.corner.data());
            const double squares = own.n_cells * other(window) - cells(window) * cells(window);
            values[i] = std::sqrt(std::max(squares, 0.0)) * own.inverse;
        });
    } else if (term.statistic == WindowStatistic::slope) {
        for_samples([&](std::int64_t i, const Sum* sums) {
            const Sum window = sum_of<kAxes>(sums, own.corner.data());
            values[i] = (2.0 * other(window) - term.middle * cells(window)) * term.factor;
        });
    } else if (const float* centres = sums_.centres(term.channel); term.n_boxes == 1 && centres == nullptr) {
        for_samples([&](std::int64_t i, const Sum* sums) {
            values[i] = cells(sum_of<kAxes>(sums, own.corner.data())) * own.inverse;
        });
    } else {
        const double sign = term.smallest ? -1.0 : 1.0;
        for_samples([&](std::int64_t i, const Sum* sums) {
            const double centre = centres == nullptr ? 0.0 : static_cast<double>(centres[block.samples[i]]);
            double best = -std::numeric_limits<double>::infinity();
            for (std::size_t b = 0; b < term.n_boxes; ++b) {
                const BoxCorners& box = term.boxes[b];
                const double sum = cells(sum_of<kAxes>(sums, box.corner.data()));
                best = std::max(best, sign * ((centre * box.n_cells + sum) * box.inverse));
            }
            values[i] = sign * best;
        });
    }
}

void WindowReader::mark_missing(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                                float* values) const {
    const ChannelGrids& grids = sums_.grids();
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const Window& window = direction.windows[direction.indices[k] - grids.n_cells()];
        Box boxes[kMaxBoxes];
        const Box* end = boxes + grids.list_boxes(window, boxes);
        const auto touched = [&](std::int64_t cell) {
            return std::any_of(static_cast<const Box*>(boxes), end, [&](const Box& box) {
                return grids.covers(static_cast<std::size_t>(window.channel), box, cell);
            });
        };
        for (std::int64_t i = 0; i < n_samples; ++i) {
            if (std::any_of(sums_.missing_begin(samples[i]), sums_.missing_end(samples[i]), touched)) {
                values[i] = std::numeric_limits<float>::quiet_NaN();
            }
        }
    }
}

}  // namespace silvan
