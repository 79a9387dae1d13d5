// The kernels of split_kernels.hpp; compiled once per instruction set with SILVAN_KERNELS as its name.
#include "core/split_kernels.hpp"

#include "core/kernels/gradient_histogram.hpp"
#include "core/kernels/histogram.hpp"
#include "core/kernels/pairs.hpp"
#include "core/kernels/projection.hpp"
#include "core/kernels/sample_sets.hpp"
#include "core/kernels/threshold.hpp"

#define SILVAN_CONCAT_(a, b) a##b
#define SILVAN_CONCAT(a, b) SILVAN_CONCAT_(a, b)
#define SILVAN_STRING_(a) #a
#define SILVAN_STRING(a) SILVAN_STRING_(a)

namespace silvan {

extern const SplitKernels SILVAN_CONCAT(kernels_, SILVAN_KERNELS);
const SplitKernels SILVAN_CONCAT(kernels_, SILVAN_KERNELS) = {
    SILVAN_STRING(SILVAN_KERNELS),
    project,
    project_codes,
    measure_range,
    search_pairs,
    search_pairs_regression,
    score_histogram,
    score_histogram_regression,
    score_threshold,
    score_threshold_regression,
    largest_in_bins,
    smallest_above,
    find_classes,
    order_set,
    order_codes,
    search_set,
    range_of_set,
    divide_set,
    project_set,
    divide_values,
    encode,
    add_gradients,
    add_edge_scores,
    best_edge,
};

}  // namespace silvan
