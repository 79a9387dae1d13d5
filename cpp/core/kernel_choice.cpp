// Chooses among the kernels compiled for several instruction sets.
#include "core/split_kernels.hpp"

namespace silvan {

extern const SplitKernels kernels_baseline;
#ifdef SILVAN_X86_KERNELS
extern const SplitKernels kernels_avx2;
extern const SplitKernels kernels_avx512;
#endif

const SplitKernels* const* available_kernels() {
    struct Choice {
        const SplitKernels* table[4] = {};
        Choice() {
            int n = 0;
            table[n++] = &kernels_baseline;
#ifdef SILVAN_X86_KERNELS
            __builtin_cpu_init();
            if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
                table[n++] = &kernels_avx2;
                if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd")) {
                    table[n++] = &kernels_avx512;
                }
            }
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
