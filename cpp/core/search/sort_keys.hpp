// Samples in the order of their values: keys that hold both, and sorting them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/search/scratch.hpp"

namespace silvan {

// Order-preserving map from floats to unsigned integers.
inline std::uint32_t ordered_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

inline std::uint64_t make_key(float value, std::int64_t sample) {
    return (static_cast<std::uint64_t>(ordered_bits(value)) << 32) | static_cast<std::uint64_t>(sample);
}

inline std::int64_t sample_of(std::uint64_t key) { return static_cast<std::int64_t>(key & 0xFFFFFFFFU); }

// Sorts n of memory.keys from the one with this index on.
void sort_keys(SortMemory& memory, std::size_t first, std::size_t n);

// Fills memory.keys with the samples whose value is not missing, ascending, and memory.missing_samples with the others.
void sort_samples(const float* values, std::int64_t n_samples, SortMemory& memory);

}  // namespace silvan
