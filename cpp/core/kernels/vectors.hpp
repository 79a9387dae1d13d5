// Vector types and helpers of the kernels. Unnamed namespace: each instruction set compiles its own.
#pragma once

#include <cstdint>

#include "core/split_kernels.hpp"

namespace silvan {
namespace {

// Vectors of GCC and Clang, as wide as the registers: wider ones are lowered to scalar compares by some compilers.
#if defined(__AVX512F__)
constexpr std::int64_t kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr std::int64_t kVectorBytes = 32;
#else
constexpr std::int64_t kVectorBytes = 16;  // SSE2, NEON and the like
#endif
using Floats = float __attribute__((vector_size(kVectorBytes)));
using Ints = std::int32_t __attribute__((vector_size(kVectorBytes)));
using Doubles = double __attribute__((vector_size(kVectorBytes)));
using Longs = std::int64_t __attribute__((vector_size(kVectorBytes)));
using Bytes = std::uint8_t __attribute__((vector_size(kVectorBytes)));
using Bools = std::int8_t __attribute__((vector_size(kVectorBytes)));  // what comparing them gives
using Chars = char __attribute__((vector_size(kVectorBytes)));
using Shorts = std::uint16_t __attribute__((vector_size(kVectorBytes / 2)));  // as many as Ints

// As many as Doubles.
using HalfInts = std::int32_t __attribute__((vector_size(kVectorBytes / 2)));
using HalfFloats = float __attribute__((vector_size(kVectorBytes / 2)));

constexpr std::int64_t kFloats = kVectorBytes / 4;  // floats or ints in a vector
constexpr std::int64_t kDoubles = kVectorBytes / 8;
static_assert(kLane % kFloats == 0);

constexpr float kInfinity = __builtin_inff();
constexpr double kNoScore = -__builtin_inf();

template <typename Vector, typename T>
inline Vector load(const T* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof(Vector));
    return v;
}

template <typename Vector, typename T>
inline void store(T* to, const Vector& v) {
    __builtin_memcpy(to, &v, sizeof(Vector));
}

inline Doubles load_as_doubles(const std::int32_t* from) {
    return __builtin_convertvector(load<HalfInts>(from), Doubles);
}

inline Doubles load_as_doubles(const float* from) { return __builtin_convertvector(load<HalfFloats>(from), Doubles); }

// The number of each entry.
inline Ints entry_numbers() {
    constexpr std::int32_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return load<Ints>(kNumbers);
}

// Every entry is compared with one further on, half a vector at first, until the first entry has been with all.
inline float smallest_entry(Floats v) {
    Floats other;
#if defined(__AVX512F__)
    other = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    v = other < v ? other : v;
    other = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    v = other < v ? other : v;
    other = __builtin_shufflevector(v, v, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1);
    v = other < v ? other : v;
    other = __builtin_shufflevector(v, v, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0);
#elif defined(__AVX2__)
    other = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v = other < v ? other : v;
    other = __builtin_shufflevector(v, v, 2, 3, 0, 1, 2, 3, 0, 1);
    v = other < v ? other : v;
    other = __builtin_shufflevector(v, v, 1, 0, 1, 0, 1, 0, 1, 0);
#else
    other = __builtin_shufflevector(v, v, 2, 3, 0, 1);
    v = other < v ? other : v;
    other = __builtin_shufflevector(v, v, 1, 0, 1, 0);
#endif
    v = other < v ? other : v;
    return v[0];
}

inline float largest_entry(const Floats& v) { return -smallest_entry(-v); }

inline bool any_entry(const Ints& v) {
    std::uint64_t words[kDoubles];
    store(words, v);
    std::uint64_t any = 0;
    for (std::int64_t l = 0; l < kDoubles; ++l) any |= words[l];
    return any != 0;
}

// A bit for each entry that is true.
inline std::uint64_t bits_of(const Ints& v) {
#if defined(__AVX512F__)
    return static_cast<std::uint16_t>(__builtin_ia32_cvtd2mask512(v));
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps256((Floats)v));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps((Floats)v));
#else
    const Ints bits = v & (Ints{} + 1) << entry_numbers();
    return static_cast<std::uint32_t>(bits[0] | bits[1] | bits[2] | bits[3]);
#endif
}

inline std::uint64_t bits_of(const Bools& v) {
#if defined(__AVX512F__)
    return __builtin_ia32_cvtb2mask512((Chars)v);
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb256((Chars)v));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128((Chars)v));
#else
    std::uint64_t bits = 0;
    for (std::int64_t l = 0; l < kVectorBytes; ++l) bits |= static_cast<std::uint64_t>(v[l] & 1) << l;
    return bits;
#endif
}

inline std::int32_t sum_of_entries(const Ints& v) {
    std::int32_t sum = 0;
    for (std::int64_t l = 0; l < kFloats; ++l) sum += v[l];
    return sum;
}

// moment_score of criteria.hpp for several divisions.
inline Doubles moment_scores(const Doubles& squares_left, const Doubles& weight_left, const Doubles& squares_right,
                             const Doubles& weight_right) {
    return squares_left / weight_left + squares_right / weight_right;
}

template <typename T>
inline T larger(T a, T b) {
    return a > b ? a : b;
}

template <typename T>
inline T smaller(T a, T b) {
    return a < b ? a : b;
}

}  // namespace
}  // namespace silvan
