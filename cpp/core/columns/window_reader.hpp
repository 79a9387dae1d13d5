// The values of directions over windows, read off running sums; each thread has a reader of its own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/columns/window_sums.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

// Where the corners of a box lie among the sums of a sample, and the number of its cells.
struct BoxCorners {
    std::array<std::int64_t, 1U << kMaxWindowAxes> corner;
    double n_cells;
    double inverse;  // of the number of cells
};

class WindowReader {
public:
    // The sums must outlive the reader.
    explicit WindowReader(const WindowSums& sums) : sums_(sums) {}

    // values[i] = the value of the direction for samples[i]. Windows have float32 values, which a pool keeps; terms are
    // added in float64, in their order, and rounded once, whatever the number of samples.
    void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples, float* values);

    // The same for one sample.
    float project_sample(const Direction& direction, std::uint32_t sample);

private:
    // A term, ready to read for any sample.
    struct Term {
        double coefficient = 0.0;
        WindowStatistic statistic = WindowStatistic::mean;
        bool smallest = false;  // of the boxes, not the largest
        std::size_t channel = 0;
        std::size_t n_boxes = 1;
        std::size_t n_ahead = 1;  // the first boxes have the cache lines of all
        std::array<BoxCorners, kMaxBoxes> boxes;
        Summed other = Summed::cells;  // what it needs besides
        double factor = 0.0;           // of a slope
        double middle = 0.0;
    };
    // Samples to read; those that come after them are known, too.
    struct Block {
        const std::uint32_t* samples;
        std::int64_t n;
        std::int64_t n_known;
    };

    void project_terms(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples, float* values);
    void prepare(const Window& window, float coefficient, Term& term) const;
    template <std::size_t kAxes, typename Sum>
    void read_term(const Term& term, const Block& block, double* values) const;
    void mark_missing(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                      float* values) const;

    const WindowSums& sums_;
    std::vector<Term> terms_;
};

}  // namespace silvan
