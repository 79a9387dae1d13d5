// Rounds gradients to whole numbers of a unit that is a power of two.
#include "core/boosting/gradients.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <stdexcept>

namespace silvan {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 16;

struct Extent {
    double gradient = 0.0;  // largest size
    double hessian = 0.0;   // largest
    double least = std::numeric_limits<double>::infinity();
    bool valid = true;
};

Extent measure(const RoundGradients& given, std::int64_t output, std::int64_t first, std::int64_t last) {
    Extent extent;
    for (std::int64_t i = first; i < last; ++i) {
        const double g = std::abs(given.gradient[i * given.n_outputs + output]);
        const double h = given.hessian[i * given.n_outputs + output];
        extent.gradient = std::max(extent.gradient, g);
        extent.hessian = std::max(extent.hessian, h);
        extent.least = std::min(extent.least, h);
        // What is neither below nor above is no number.
        extent.valid = extent.valid && g <= std::numeric_limits<double>::max() &&
                       h <= std::numeric_limits<double>::max() && h >= 0.0;
    }
    return extent;
}

Extent measure_all(const RoundGradients& given, std::int64_t output, SharedLoops& loops) {
    Extent all;
    std::mutex mutex;
    loops.for_blocks(given.n_samples, kBlock, [&](std::int64_t first, std::int64_t last) {
        const Extent part = measure(given, output, first, last);
        const std::lock_guard lock(mutex);
        all.gradient = std::max(all.gradient, part.gradient);
        all.hessian = std::max(all.hessian, part.hessian);
        all.least = std::min(all.least, part.least);
        all.valid = all.valid && part.valid;
    });
    return all;
}

// The power of two of which `largest` is less than 2^bits.
double unit_for(double largest, int bits) {
    constexpr double kNothing = 1e-200;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return largest > kNothing ? std::ldexp(1.0, exponent - bits) : 1.0;
}

// To the nearest whole number, for sizes below 2^51, without a call.
std::int32_t nearest(double value) {
    constexpr double kShift = 0x1.8p52;
    return static_cast<std::int32_t>((value + kShift) - kShift);
}

}  // namespace

// A word has the count in its highest bits and a sum below, which has room for the largest term of all samples.
void WholeGradients::round(const RoundGradients& given, std::int64_t output, SharedLoops& loops) {
    const Extent extent = measure_all(given, output, loops);
    if (!extent.valid) {
        throw std::invalid_argument("gradients must be finite, and hessians finite and not negative");
    }
    constexpr int kTermBits = 30;
    constexpr int kFewestBits = 20;
    const auto count_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(given.n_samples)));
    shift_ = 63 - count_bits;
    const int below_count = std::min(kTermBits, shift_ - 1 - count_bits);
    const bool constant = extent.hessian == extent.least && extent.hessian > 0.0 && below_count >= kFewestBits;
    n_words_ = constant ? 1 : 2;
    gradient_unit_ = unit_for(extent.gradient, constant ? below_count : kTermBits);
    hessian_unit_ = constant ? extent.hessian : unit_for(extent.hessian, std::max(1, below_count));
    pairs_.resize(static_cast<std::size_t>(n_words_ * given.n_samples));
    const double per_gradient = 1.0 / gradient_unit_;
    const double per_hessian = 1.0 / hessian_unit_;
    loops.for_blocks(given.n_samples, kBlock, [&](std::int64_t first, std::int64_t last) {
        throw_if_stopped(4 * (last - first));
        std::int32_t* pairs = pairs_.data() + n_words_ * first;
        const double* g = given.gradient + output;
        const double* h = given.hessian + output;
        for (std::int64_t i = first; i < last; ++i, pairs += n_words_) {
            pairs[0] = nearest(g[i * given.n_outputs] * per_gradient);
            if (n_words_ == 2) pairs[1] = nearest(h[i * given.n_outputs] * per_hessian);
        }
    });
}

}  // namespace silvan
