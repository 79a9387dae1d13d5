// Binomial draws in constant time, whatever the number of trials.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.hpp"

namespace silvan {

// What Stirling's formula lacks of log(k!), by Hörmann (1993).
inline double stirling_tail(double k) {
    constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                 0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                 0.00925546218271273, 0.00833056343336287};
    if (k < 10.0) return kTails[static_cast<int>(k)];
    const double square = (k + 1.0) * (k + 1.0);
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0);
}

// Inversion, for n * p below about ten and p at most 1/2: as many steps as the draw is large.
inline double draw_few_successes(Random& random, double n, double p) {
    const double ratio = p / (1.0 - p);
    for (;;) {
        double left = random.uniform();
        double probability = std::exp(n * std::log1p(-p));
        for (double k = 0.0; k <= n; k += 1.0) {
            if (left < probability) return k;
            left -= probability;
            probability *= ratio * (n - k) / (k + 1.0);
        }
    }
}

// Transformed rejection (BTRS of Hörmann 1993), for n * p of ten or more and p at most 1/2.
inline double draw_many_successes(Random& random, double n, double p) {
    const double deviation = std::sqrt(n * p * (1.0 - p));
    const double b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double centre = n * p + 0.5;
    const double alpha = (2.83 + 5.1 / b) * deviation;
    const double odds = p / (1.0 - p);
    const double mode = std::floor((n + 1.0) * p);
    for (;;) {
        const double u = random.uniform() - 0.5;
        const double v = random.uniform();
        const double inside = 0.5 - std::abs(u);
        const double k = std::floor((2.0 * a / inside + b) * u + centre);
        if (inside >= 0.07 && v <= 0.92 - 4.2 / b) return k;
        if (!(k >= 0.0 && k <= n)) continue;
        const double bound = (mode + 0.5) * std::log((mode + 1.0) / (odds * (n - mode + 1.0))) +
                             (n + 1.0) * std::log((n - mode + 1.0) / (n - k + 1.0)) +
                             (k + 0.5) * std::log(odds * (n - k + 1.0) / (k + 1.0)) + stirling_tail(mode) +
                             stirling_tail(n - mode) - stirling_tail(k) - stirling_tail(n - k);
        if (std::log(v * alpha / (a / (inside * inside) + b)) <= bound) return k;
    }
}

// Number of successes in n trials of probability p, which rounding may have left a little outside [0, 1].
inline std::int64_t draw_binomial(Random& random, std::int64_t n, double p) {
    if (n <= 0 || p <= 0.0) return 0;
    if (p >= 1.0) return n;
    const auto trials = static_cast<double>(n);
    const double smaller = p > 0.5 ? 1.0 - p : p;
    const double drawn = trials * smaller < 10.0 ? draw_few_successes(random, trials, smaller)
                                                 : draw_many_successes(random, trials, smaller);
    const auto successes = static_cast<std::int64_t>(drawn);
    return p > 0.5 ? n - successes : successes;
}

}  // namespace silvan
