// Vector types and helpers of the kernels. Unnamed namespace: each instruction set compiles its own.
#pragma once

#include <cstdint>

namespace silvan {
namespace {

// Vectors of GCC and Clang: the compiler lowers them to whatever the instruction set offers.
using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using Shorts = std::uint16_t __attribute__((vector_size(32)));  // as many as Ints
using Doubles = double __attribute__((vector_size(64)));
using Longs = std::int64_t __attribute__((vector_size(64)));

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
