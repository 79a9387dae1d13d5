// Rounds gradients to whole numbers of a unit that is a power of two.
#include "core/boosting/gradients.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace silvan {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 13;

struct Extent {
    double gradient = 0.0;  // largest size
    double hessian = 0.0;   // largest
    double least = std::numeric_limits<double>::infinity();
    bool valid = true;
};

Extent join(const Extent& a, const Extent& b) {
    return {std::max(a.gradient, b.gradient), std::max(a.hessian, b.hessian), std::min(a.least, b.least),
            a.valid && b.valid};
}

// Of several samples at a time, which need not wait for each other.
Extent measure(const double* gradient, const double* hessian, std::int64_t n) {
    constexpr std::int64_t kSide = 8;
    Extent side[kSide];
    for (std::int64_t i = 0; i < n; ++i) {
        Extent& extent = side[i % kSide];
        const double g = std::abs(gradient[i]);
        const double h = hessian[i];
        extent.gradient = std::max(extent.gradient, g);
        extent.hessian = std::max(extent.hessian, h);
        extent.least = std::min(extent.least, h);
        // What is neither below nor above is no number.
        extent.valid = extent.valid && g <= std::numeric_limits<double>::max() &&
                       h <= std::numeric_limits<double>::max() && h >= 0.0;
    }
    return std::accumulate(side, side + kSide, Extent(), join);
}

Extent measure_all(const WholeGradients& given, std::int64_t n_samples, SharedLoops& loops) {
    Extent all;
    std::mutex mutex;
    loops.for_blocks(n_samples, kBlock, [&](std::int64_t first, std::int64_t last) {
        const Extent part = measure(given.gradient() + first, given.hessian() + first, last - first);
        const std::lock_guard lock(mutex);
        all = join(all, part);
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

// Trees read the gradients of their samples in no order: other outputs between them would take the place in caches.
void WholeGradients::take_output(const RoundGradients& given, std::int64_t output, SharedLoops& loops) {
    gradient_ = given.gradient;
    hessian_ = given.hessian;
    if (given.n_outputs == 1) return;
    const std::int64_t n = given.n_samples;
    taken_.resize(static_cast<std::size_t>(2 * n));
    loops.for_blocks(n, kBlock, [&](std::int64_t first, std::int64_t last) {
        throw_if_stopped(last - first);
        for (std::int64_t i = first; i < last; ++i) {
            taken_.data()[i] = given.gradient[i * given.n_outputs + output];
            taken_.data()[n + i] = given.hessian[i * given.n_outputs + output];
        }
    });
    gradient_ = taken_.data();
    hessian_ = taken_.data() + n;
}

// A word has the count in its highest bits and a sum below, which has room for the largest term of all samples.
void WholeGradients::round(const RoundGradients& given, std::int64_t output, SharedLoops& loops) {
    take_output(given, output, loops);
    const Extent extent = measure_all(*this, given.n_samples, loops);
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
        for (std::int64_t i = first; i < last; ++i, pairs += n_words_) {
            pairs[0] = nearest(gradient_[i] * per_gradient);
            if (n_words_ == 2) pairs[1] = nearest(hessian_[i] * per_hessian);
        }
    });
}

}  // namespace silvan
