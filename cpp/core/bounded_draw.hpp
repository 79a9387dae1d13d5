// One 64-bit draw as a uniform choice and what is left of it, so that a draw can decide two things.
#pragma once

#include <cstdint>

namespace silvan {

// A draw u of [0, 1), held as bits / 2^64, multiplied by n: `choice` is the whole part, uniform over
// {0, ..., n - 1}, and `rest` the fraction (times 2^64), a draw that is nearly independent of the choice.
// The bias is at most n / 2^64.
struct BoundedDraw {
    std::uint64_t choice;
    std::uint64_t rest;
};

inline BoundedDraw split_draw(std::uint64_t bits, std::uint64_t n) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits) * n;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
    const std::uint64_t low_mask = 0xFFFFFFFFULL;
    const std::uint64_t low = (bits & low_mask) * (n & low_mask);
    const std::uint64_t cross = (bits >> 32) * (n & low_mask) + (low >> 32);
    const std::uint64_t other = (bits & low_mask) * (n >> 32) + (cross & low_mask);
    return {(bits >> 32) * (n >> 32) + (cross >> 32) + (other >> 32), bits * n};
#endif
}

}  // namespace silvan
