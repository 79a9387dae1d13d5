// Binds the arithmetic of channels that NumPy is slow at.
#include <algorithm>

#include "bindings/bindings.hpp"
#include "core/channels/convolutions.hpp"
#include "core/require.hpp"

namespace silvan::bindings {
namespace {

Array<float> convolve_series(const ConstMatrix<float>& series, bool wraps, const ConstMatrix<std::int32_t>& chosen,
                             const ConstArray<std::int32_t>& dilations, const ConstArray<float>& thresholds,
                             std::int64_t step) {
    const std::size_t n_kernels = dilations.shape(0);
    const SeriesView view{series.data(), static_cast<std::int64_t>(series.shape(0)),
                          static_cast<std::int64_t>(series.shape(1)), wraps};
    require(view.length >= 1, "series must not be empty");
    require(1 <= step && step <= view.length, "step must be between 1 and the length");
    require(chosen.shape(0) == n_kernels && chosen.shape(1) == kChosenCells && thresholds.shape(0) == n_kernels,
            "every kernel needs three cells, a dilation and a threshold");
    require(std::all_of(chosen.data(), chosen.data() + chosen.size(),
                        [](std::int32_t cell) { return 0 <= cell && cell < kKernelCells; }),
            "kernels have nine cells");
    require(std::all_of(dilations.data(), dilations.data() + n_kernels,
                        [&](std::int32_t dilation) { return 1 <= dilation && dilation <= view.length; }),
            "dilations must be between 1 and the length");
    const std::size_t n_runs = static_cast<std::size_t>((view.length + step - 1) / step);
    Buffer<float> counts;
    run_interruptibly([&] {
        counts.allocate(series.shape(0) * n_kernels * n_runs);
        count_above(view, {chosen.data(), dilations.data(), thresholds.data(), static_cast<std::int64_t>(n_kernels)},
                    step, counts.data());
    });
    return to_numpy(std::move(counts));
}

}  // namespace

void bind_channels(nb::module_& m) {
    m.def("convolve_series", &convolve_series, nb::arg("series"), nb::arg("wraps"), nb::arg("chosen"),
          nb::arg("dilations"), nb::arg("thresholds"), nb::arg("step"),
          "How many cells of each run of `step` exceed the threshold of each kernel, by sample, kernel and run.");
}

}  // namespace silvan::bindings
