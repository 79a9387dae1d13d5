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
using Shorts = std::uint16_t __attribute__((vector_size(kVectorBytes / 2)));  // as many as Ints

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

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

}  // namespace
}  // namespace silvan
