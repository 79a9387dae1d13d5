// The hot loops of growing, compiled once per instruction set and chosen at run time.
//
// Kernels see raw pointers only and use nothing of the standard library, so that no inline function
// compiled for a newer instruction set can replace its baseline twin at link time.
#pragma once

#include <cstdint>

#include "core/split.hpp"
#include "core/views.hpp"

namespace silvan {

struct Window;

// A direction as a sparse vector.
struct Direction {
    const std::int32_t* indices = nullptr;
    const float* coefficients = nullptr;
    std::int64_t n_nonzeros = 0;
    const Window* windows = nullptr;  // those that indices from the number of features on count from
};

// Range of the projected values that are not missing (minimum > maximum if all are).
struct ValueRange {
    float minimum = 0.0F;
    float maximum = 0.0F;
    bool any_missing = false;
};

// A node's samples as split search sees them: one entry per sample, in the order of `samples`.
struct ClassTargets {
    const std::int32_t* label = nullptr;   // local label, 0 .. n_classes - 1
    const std::int32_t* count = nullptr;   // multiplicity of the sample, at least 1
    const std::int32_t* totals = nullptr;  // per local label
    std::int32_t n_classes = 0;
    std::int32_t total = 0;
};

struct RegressionTargets {
    const double* weight = nullptr;
    const double* sum = nullptr;  // weight times target
    double total_weight = 0.0;
    double total_sum = 0.0;
};

// Samples per block of the all-pairs kernels; value buffers are padded to a multiple of it.
inline constexpr std::int64_t kLane = 16;
inline constexpr std::int64_t kMaxPairs = 128;
inline constexpr std::int32_t kMaxPairClasses = 8;
inline constexpr std::int32_t kMaxBins = 2048;
inline constexpr std::int32_t kMaxThresholdClasses = 64;

// Scratch of the histogram kernels for up to kMaxBins bins. Running sums have one more entry than there
// are bins: entry b is the sum over the bins before b. Kernels read and write up to kLane entries behind what they
// are asked for, so every array has as many entries more than is said here.
struct HistogramScratch {
    std::uint16_t* bins = nullptr;    // bin of each sample
    std::int32_t* counts = nullptr;   // classes: [class][n_bins + 1], running sums of multiplicities
    std::int32_t* samples = nullptr;  // [n_bins + 1], running number of samples
    double* moments = nullptr;        // [weight, sum][n_bins + 1], running sums; for classes weights only
    double* score = nullptr;          // of the split after each bin
    double* bound = nullptr;          // no split inside the bin scores higher
    double* work = nullptr;           // 3 * (kMaxBins + 1)
};

// How values map to bins: (value - minimum) * scale, truncated. With `exact` each bin holds one value.
struct Binning {
    float minimum = 0.0F;
    float scale = 1.0F;
    std::int32_t n_bins = 1;
    bool exact = false;
};

// Small subtrees: a set of samples is a word with a bit for each.
inline constexpr std::int64_t kSetSamples = 64;
inline constexpr std::int32_t kMaxSetClasses = 8;
inline constexpr std::int32_t kMaxCountBits = 4;
inline constexpr std::int32_t kFewCodes = 8;

// The samples of each class by the bits of their counts, so that a class has as much weight as its sets have members,
// times 1, 2, 4, ...
struct ClassSets {
    std::uint64_t members[kMaxSetClasses][kMaxCountBits];
    std::int32_t n_classes = 0;
    std::int32_t n_bits = 0;
};

// Those of a node, for the classes that it has.
struct NodeSets : ClassSets {
    std::uint64_t samples = 0;
    std::int32_t n_samples = 0;
    std::int32_t classes[kMaxSetClasses];  // their numbers among those of the subtree
    std::int32_t totals[kMaxSetClasses];
    std::int32_t total = 0;
};

// The samples of a subtree in the order of a feature: a distinct value has the place of the last sample that has it.
// Where nothing was ordered there are no values by place, but by sample.
struct ValueSets {
    std::uint64_t places;              // those of distinct values
    std::int32_t n_values;             // distinct ones, or 0: not ordered
    float values[kSetSamples];         // by place, or by sample
    std::uint64_t up_to[kSetSamples];  // by place: the samples with values up to that one
    std::uint8_t place[kSetSamples];   // by sample
};

// A division of a node's samples.
struct SetSplit {
    double score = 0.0;
    std::uint64_t left = 0;
    std::int32_t weight_left = 0;
    std::int32_t place = 0;  // of the largest value on the left
    bool found = false;
    bool varies = false;  // whether the feature tells some samples apart
};

// Boosting: columns whose codes lie side by side, sample by sample.
inline constexpr std::int64_t kColumnGroup = 8;

// Edges between the bins of a column, and where to look for the bin of a value: cells are equal parts of a range.
inline constexpr std::int32_t kEdgeCells = 512;
struct EdgeTable {
    const float* edges = nullptr;         // ascending; as many infinities behind them as a search may run into
    const std::uint8_t* first = nullptr;  // per cell the number of edges in earlier ones
    float minimum = 0.0F;
    float scale = 0.0F;
    std::int32_t first_step = 0;  // of the search within a cell: a power of two, or 0 without edges
    std::int32_t missing_code = 0;
};

// Never falls as values grow.
inline std::int32_t cell_of(float value, float minimum, float scale) {
    float place = (value - minimum) * scale;
    place = place > 0.0F ? place : 0.0F;
    place = place < static_cast<float>(kEdgeCells - 1) ? place : static_cast<float>(kEdgeCells - 1);
    return static_cast<std::int32_t>(place);
}

// Whether samples, ascending, are neighbours.
inline bool are_consecutive(const std::uint32_t* samples, std::int64_t n_samples) {
    return n_samples > 0 && static_cast<std::int64_t>(samples[n_samples - 1] - samples[0]) == n_samples - 1;
}

// Samples of a node as histograms of gradients read them. A bin has one word, the sum of gradients with the number of
// samples above it, or two: gradients, and hessians with the number of samples above them.
struct HistogramInput {
    const std::uint8_t* codes = nullptr;     // kColumnGroup bytes a sample
    const std::uint32_t* samples = nullptr;  // or nullptr: n_samples in a row from first_sample on
    std::int64_t first_sample = 0;
    std::int64_t n_samples = 0;
    const std::int32_t* pairs = nullptr;  // n_words for each sample, in the order of the samples
    std::int64_t n_words = 2;
    std::int64_t unit = 0;  // what counts a sample
};

// Sums over what goes left at each edge between bins. Kernels read up to kLane entries behind n_edges.
struct EdgeSums {
    const double* gradient = nullptr;
    const double* hessian = nullptr;
    std::int64_t n_edges = 0;
};

// What both sides of an edge need, and what goes left at each.
struct EdgeLimits {
    const double* weight = nullptr;
    const double* count = nullptr;
    double total_weight = 0.0;
    double total_count = 0.0;
    double min_weight = 0.0;
    double min_count = 0.0;
};

struct SplitKernels {
    const char* name;

    // values[i] = coefficients . X[samples[i], indices], padded with +inf to a multiple of kLane. Terms are added in
    // the order of the indices, each rounded to float32, whatever the instruction set and the layout.
    ValueRange (*project)(const FeatureMatrix& features, const std::uint32_t* samples, std::int64_t n_samples,
                          const Direction& direction, float* values);

    // The same of features that are stored as codes.
    ValueRange (*project_codes)(const FeatureCodes& codes, const std::uint32_t* samples, std::int64_t n_samples,
                                const Direction& direction, float* values);

    // Range of values that were changed after projection.
    ValueRange (*measure_range)(float* values, std::int64_t n_samples);

    // Exact search by comparing all pairs of samples: at most kMaxPairs samples and kMaxPairClasses classes, and
    // total weight at most 255 (65,535 with two classes).
    Split (*search_pairs)(const float* values, std::int64_t n_samples, const ClassTargets& targets,
                          std::int64_t min_samples_leaf);

    Split (*search_pairs_regression)(const float* values, std::int64_t n_samples, const RegressionTargets& targets,
                                     std::int64_t min_samples_leaf);

    // Fills scratch.bins, running sums, score and, unless the binning is exact, bound. Scores are
    // -infinity where the bin is empty or a side would be smaller than min_samples_leaf samples.
    void (*score_histogram)(const float* values, std::int64_t n_samples, const ClassTargets& targets,
                            const Binning& binning, std::int64_t min_samples_leaf, const HistogramScratch& scratch);

    void (*score_histogram_regression)(const float* values, std::int64_t n_samples, const RegressionTargets& targets,
                                       const Binning& binning, std::int64_t min_samples_leaf,
                                       const HistogramScratch& scratch);

    // The split at this threshold, which tells some samples apart; not found where a side is smaller than
    // min_samples_leaf samples. At most kMaxThresholdClasses classes.
    Split (*score_threshold)(const float* values, std::int64_t n_samples, const ClassTargets& targets, float threshold,
                             std::int64_t min_samples_leaf);
    Split (*score_threshold_regression)(const float* values, std::int64_t n_samples, const RegressionTargets& targets,
                                        float threshold, std::int64_t min_samples_leaf);

    // Largest value among the samples of the bins up to last_bin; smallest value above `lower`.
    float (*largest_in_bins)(const float* values, const std::uint16_t* bins, std::int64_t n_samples,
                             std::int32_t last_bin);
    float (*smallest_above)(const float* values, std::int64_t n_samples, float lower);

    // The classes of some samples of a subtree.
    void (*find_classes)(const ClassSets& subtree, std::uint64_t samples, NodeSets& node);

    // Orders the samples of a subtree by values, of which none is missing; they are padded with +infinity to a multiple
    // of kLane.
    void (*order_set)(const float* values, std::int64_t n_samples, ValueSets& sets);

    // The same of a feature that is stored as codes, kFewCodes at most: that of sample i is at codes[offsets[i]].
    void (*order_codes)(const CodedColumn& column, const std::int64_t* offsets, std::int64_t n_samples,
                        ValueSets& sets);

    // The best split of a node along a feature that is ordered, the lowest of equal ones.
    SetSplit (*search_set)(const ValueSets& sets, const NodeSets& node, std::int64_t min_samples_leaf);

    // Smallest and largest value of some samples.
    ValueRange (*range_of_set)(const ValueSets& sets, std::uint64_t samples);

    // The split at this threshold, which tells some samples apart.
    SetSplit (*divide_set)(const ValueSets& sets, const NodeSets& node, float threshold, std::int64_t min_samples_leaf);

    // Values of a direction for the samples of a subtree, with their range over those of a node, where `inside` is -1,
    // and 0 elsewhere. A feature has kSetSamples values; n_samples is a multiple of kLane.
    ValueRange (*project_set)(const float* features, std::int64_t n_samples, const Direction& direction,
                              const std::int32_t* inside, float* values);

    // The split of a node at a threshold of such values, which tells some samples apart.
    SetSplit (*divide_values)(const float* values, std::int64_t n_samples, const NodeSets& node, float threshold,
                              std::int64_t min_samples_leaf);

    // codes[i * kColumnGroup] = the number of edges below values[i], or the code of missing values.
    void (*encode)(const EdgeTable& table, const float* values, std::int64_t n, std::uint8_t* codes);

    // Adds the samples to the histograms of a group of columns; those that are nullptr are left out.
    void (*add_gradients)(const HistogramInput& input, std::int64_t* const* columns);

    // Adds to the score of each edge what an output gains there: T(G)^2 / (H + l2) of both sides, where T shrinks
    // towards zero by l1. `total` has the sums of gradients and hessians of the node.
    void (*add_edge_scores)(const EdgeSums& sums, const double* total, double l1, double l2, double* score);

    // The first edge with the highest score among those within the limits, or -1.
    std::int64_t (*best_edge)(const EdgeLimits& limits, std::int64_t n_edges, const double* score);
};

// The best kernels for this processor.
const SplitKernels& best_kernels();

// All kernels that this processor can run, baseline first; ends with nullptr.
const SplitKernels* const* available_kernels();

}  // namespace silvan
