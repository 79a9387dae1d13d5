// Fills a run of direction coefficients from one of four distributions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/random.hpp"

namespace silvan {

// Each coefficient is +1 or -1 with equal probability; one draw gives 64 of them.
inline void draw_signs(std::int64_t n, Random& random, float* out) {
    for (std::int64_t first = 0; first < n; first += 64) {
        std::uint64_t bits = random.bits();
        const std::int64_t end = std::min(first + 64, n);
        for (std::int64_t i = first; i < end; ++i) {
            const std::uint32_t sign = static_cast<std::uint32_t>(bits) << 31;
            const std::uint32_t one = 0x3F800000U | sign;
            std::memcpy(out + i, &one, sizeof one);
            bits >>= 1;
        }
    }
}

// Each coefficient is uniform over (-1, 1) and never zero, as Random::uniform_coefficient gives them.
inline void draw_uniform_coefficients(std::int64_t n, Random& random, float* out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = random.uniform_coefficient();
}

enum class CoefficientKind : std::uint8_t { ones, signs, uniform, normal };

// Independent coefficients, none of them zero.
inline void draw_coefficients(CoefficientKind kind, std::int64_t n, Random& random, float* out) {
    switch (kind) {
        case CoefficientKind::ones:
            std::fill_n(out, n, 1.0F);
            break;
        case CoefficientKind::signs:
            draw_signs(n, random, out);
            break;
        case CoefficientKind::uniform:
            draw_uniform_coefficients(n, random, out);
            break;
        case CoefficientKind::normal:
            for (std::int64_t i = 0; i < n; ++i) {
                do out[i] = static_cast<float>(random.normal());
                while (out[i] == 0.0F);
            }
    }
}

}  // namespace silvan
