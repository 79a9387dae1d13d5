// Projected values with their positions, packed so that sorting needs whole numbers only.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace silvan {

// Order-preserving map from floats to unsigned integers.
inline std::uint32_t ordered_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

inline std::uint64_t make_key(float value, std::int64_t row) {
    return (static_cast<std::uint64_t>(ordered_bits(value)) << 32) | static_cast<std::uint64_t>(row);
}

inline std::int64_t row_of(std::uint64_t key) { return static_cast<std::int64_t>(key & 0xFFFFFFFFU); }

// Sorts the first n keys; those of equal value keep the order of their rows. `scratch` may be exchanged for
// `keys`.
void sort_keys(std::vector<std::uint64_t>& keys, std::int64_t n, std::vector<std::uint64_t>& scratch);

}  // namespace silvan
