// Kernels of one dilation share the sum of all nine cells; three more are added for each kernel.
#include "core/channels/convolutions.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/stopping.hpp"

namespace silvan {
namespace {

class SeriesConvolver {
public:
    SeriesConvolver(const SeriesView& series, const Convolutions& kernels, std::int64_t step)
        : series_(series),
          kernels_(kernels),
          step_(step),
          total_(static_cast<std::size_t>(series.length)),
          above_(static_cast<std::size_t>(series.length)) {}

    void count(const float* values, float* counts) {
        const std::int64_t n_runs = (series_.length + step_ - 1) / step_;
        std::int64_t dilation = 0;
        for (std::int64_t k = 0; k < kernels_.n_kernels; ++k) {
            if (kernels_.dilations[k] != dilation) {
                dilation = kernels_.dilations[k];
                pad(values, dilation * (kKernelCells / 2));
                add_cells(dilation);
            }
            compare(kernels_.chosen + k * kChosenCells, dilation, kernels_.thresholds[k]);
            sum_runs(counts + k * n_runs);
        }
    }

private:
    void pad(const float* values, std::int64_t width) {
        const std::int64_t n = series_.length;
        padded_.resize(static_cast<std::size_t>(n + 2 * width));
        float* to = padded_.data();
        std::copy_n(values, n, to + width);
        if (!series_.wraps) {
            std::fill_n(to, width, values[0]);
            std::fill_n(to + width + n, width, values[n - 1]);
            return;
        }
        for (std::int64_t i = 0; i < width; ++i) {
            to[width - 1 - i] = values[n - 1 - i % n];
            to[width + n + i] = values[i % n];
        }
    }

    void add_cells(std::int64_t dilation) {
        float* total = total_.data();
        std::copy_n(padded_.data(), series_.length, total);
        for (std::int64_t cell = 1; cell < kKernelCells; ++cell) {
            const float* shifted = padded_.data() + cell * dilation;
            for (std::int64_t t = 0; t < series_.length; ++t) total[t] += shifted[t];
        }
    }

    void compare(const std::int32_t* chosen, std::int64_t dilation, float threshold) {
        const float* total = total_.data();
        const float* first = padded_.data() + chosen[0] * dilation;
        const float* second = padded_.data() + chosen[1] * dilation;
        const float* third = padded_.data() + chosen[2] * dilation;
        float* above = above_.data();
        for (std::int64_t t = 0; t < series_.length; ++t) {
            const float result = -total[t] + 3.0F * first[t] + 3.0F * second[t] + 3.0F * third[t];
            const float missing = result == result ? 0.0F : std::numeric_limits<float>::quiet_NaN();
            above[t] = result > threshold ? 1.0F : missing;
        }
    }

    void sum_runs(float* counts) const {
        for (std::int64_t start = 0; start < series_.length; start += step_) {
            float sum = 0.0F;
            const std::int64_t end = std::min(start + step_, series_.length);
            for (std::int64_t t = start; t < end; ++t) sum += above_[static_cast<std::size_t>(t)];
            *counts++ = sum;
        }
    }

    const SeriesView& series_;
    const Convolutions& kernels_;
    std::int64_t step_;
    std::vector<float> padded_;
    std::vector<float> total_;
    std::vector<float> above_;
};

}  // namespace

void count_above(const SeriesView& series, const Convolutions& kernels, std::int64_t step, float* counts) {
    SeriesConvolver convolver(series, kernels, step);
    const std::int64_t n_counts = kernels.n_kernels * ((series.length + step - 1) / step);
    for (std::int64_t i = 0; i < series.n_series; ++i) {
        throw_if_stopped(series.length * kernels.n_kernels);
        convolver.count(series.values + i * series.length, counts + i * n_counts);
    }
}

}  // namespace silvan
