// The values of directions over windows, read off running sums; each thread has a reader of its own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/columns/window_sums.hpp"

namespace silvan {

// A box as the places of its corners among the sums of a plane, and the number of its cells.
struct BoxCorners {
    std::array<std::int32_t, 1U << kMaxWindowAxes> corner;
    double n_cells;
    double inverse;  // of the number of cells
};

class WindowReader {
public:
    // The sums must outlive the reader.
    explicit WindowReader(const WindowSums& sums) : sums_(sums) {}

    // values[i] = the value of the direction for samples[i]. Terms are added in float64, in their order, and rounded
    // once, whatever the number of samples.
    void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples, float* values);

private:
    // A term, ready to read for any sample.
    struct Term {
        double coefficient;
        WindowStatistic statistic;
        bool smallest;  // of the boxes, not the largest
        std::size_t channel;
        std::size_t first_box, n_boxes;
        double factor, middle;  // of a slope
    };

    void prepare(const Direction& direction);
    template <std::size_t kAxes>
    void project_block(const std::uint32_t* samples, std::int64_t n, float* values);
    template <std::size_t kAxes>
    void read_term(const Term& term, const std::uint32_t* samples, std::int64_t n, double* values);
    template <std::size_t kAxes>
    void read_plane(const Term& term, SumPlane plane, const std::uint32_t* samples, std::int64_t n,
                    double* values) const;
    template <std::size_t kAxes, typename Sum>
    void read_boxes(const Term& term, SumPlane plane, const std::uint32_t* samples, std::int64_t n,
                    double* values) const;
    void mark_missing(const std::uint32_t* samples, std::int64_t n_samples, float* values) const;

    const WindowSums& sums_;
    std::vector<Term> terms_;
    std::vector<BoxCorners> corners_;
    std::vector<Box> boxes_;
};

}  // namespace silvan
