// Chooses among the kernels compiled for several instruction sets.
#include "core/split_kernels.hpp"

#if defined(SILVAN_X86_KERNELS) && defined(_MSC_VER)
#include <cpuid.h>
#endif

namespace silvan {

extern const SplitKernels kernels_baseline;
#ifdef SILVAN_X86_KERNELS
extern const SplitKernels kernels_avx2;
extern const SplitKernels kernels_avx512;

namespace {

struct InstructionSets {
    bool avx2 = false;    // and bmi2
    bool avx512 = false;  // f, bw, dq, vl and cd
};

#ifdef _MSC_VER
// Clang for Windows lacks what __builtin_cpu_supports is linked to, so the bits are read here.
InstructionSets find_instruction_sets() {
    const auto has = [](unsigned value, unsigned mask) { return (value & mask) == mask; };
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    constexpr unsigned kSavedBySystem = 1U << 27;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || !has(ecx, kSavedBySystem)) return {};
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return {};
    // Which registers the system saves: those of AVX, and the masks and both halves of those of AVX-512.
    unsigned saved = 0, high = 0;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    constexpr unsigned kAvx2 = 1U << 5 | 1U << 8;
    constexpr unsigned kAvx512 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31;
    return {has(saved, 0x6U) && has(ebx, kAvx2), has(saved, 0xE6U) && has(ebx, kAvx512)};
}
#else
InstructionSets find_instruction_sets() {
    __builtin_cpu_init();
    return {__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"),
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512cd")};
}
#endif

}  // namespace
#endif

const SplitKernels* const* available_kernels() {
    struct Choice {
        const SplitKernels* table[4] = {};
        Choice() {
            int n = 0;
            table[n++] = &kernels_baseline;
#ifdef SILVAN_X86_KERNELS
            const InstructionSets has = find_instruction_sets();
            if (has.avx2) table[n++] = &kernels_avx2;
            if (has.avx2 && has.avx512) table[n++] = &kernels_avx512;
#endif
        }
    };
    static const Choice choice;
    return choice.table;
}

const SplitKernels& best_kernels() {
    const SplitKernels* const* table = available_kernels();
    while (table[1] != nullptr) ++table;
    return **table;
}

}  // namespace silvan
