// The engine of large nodes: bins are scored at their borders by a kernel, and only bins whose upper bound beats the
// best score so far are searched inside.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/criteria/node_search.hpp"
#include "core/search/sort_keys.hpp"

namespace silvan {

// How the values of a direction without missing or infinite ones are binned, into one bin for each value where they
// are whole numbers of a small range; false if bins would not pay.
bool choose_binning(const ValueRange& range, bool integral, std::int64_t n_samples, std::int64_t n_bin_sums,
                    Binning& binning);

// Lists the samples of the bins that are flagged; there are at most `most` of them.
std::int64_t list_flagged_samples(const std::uint16_t* bins, std::int64_t n_samples, double max_samples,
                                  HistogramMemory& memory);

// Fills memory.sort.keys with the flagged samples of bins that hold more than one value (one has no split inside): bin
// after bin, sorted within each.
void sort_flagged_samples(const float* values, const std::uint16_t* bins, std::int32_t n_bins, std::int64_t n_flagged,
                          SearchScratch& scratch);

// Flags the bins that may hold a better split than those known, and lists their samples; returns how many.
template <typename C>
std::int64_t collect_flagged(const C& criterion, const Binning& binning, const HistogramScratch& bins, double to_beat,
                             double border, HistogramMemory& memory) {
    // Bounds are computed in rounded arithmetic; they are raised by this much before a bin is ruled out.
    constexpr double kBoundSlack = 1e-11;
    double max_samples = 0.0;
    for (std::int32_t b = 0; b < binning.n_bins; ++b) {
        const double raised = bins.bound[b] + std::abs(bins.bound[b]) * kBoundSlack;
        const bool flag = raised > to_beat && raised >= border;
        memory.flagged[static_cast<std::size_t>(b)] = flag ? 1 : 0;
        max_samples += flag ? criterion.bin_samples_bound(bins, b) : 0.0;
    }
    return list_flagged_samples(bins.bins, criterion.n_samples(), max_samples, memory);
}

// Scans the flagged bins; the accumulator starts anew at each bin's running sums. `best_bin` is the bin after which
// the best split so far lies.
template <typename C>
void refine_bins(C& criterion, const SearchSettings& settings, const Binning& binning,
                 const HistogramScratch& histogram, std::int32_t best_bin, Split& best) {
    typename C::Accumulator accumulator{criterion};
    const float* values = settings.scratch.values.current();
    const std::uint16_t* bins = histogram.bins;
    const std::vector<std::uint64_t>& keys = settings.scratch.sort.keys;
    const bool count_leaf_samples = settings.min_samples_leaf > 1;
    const std::int64_t n_samples = count_leaf_samples ? histogram.samples[binning.n_bins] : 0;
    std::int32_t bin = -1;
    std::int64_t samples_left = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::int64_t sample = sample_of(keys[i]);
        if (bins[sample] != bin) {
            bin = bins[sample];
            accumulator.start_at(histogram, binning, bin);
            if (count_leaf_samples) samples_left = histogram.samples[bin];
        }
        accumulator.add(sample);
        ++samples_left;
        if (i + 1 == keys.size()) break;
        const std::int64_t next = sample_of(keys[i + 1]);
        const float value = values[sample];
        if (bins[next] != bin || !(value < values[next])) continue;
        if (count_leaf_samples &&
            (samples_left < settings.min_samples_leaf || n_samples - samples_left < settings.min_samples_leaf)) {
            continue;
        }
        const double score = accumulator.score();
        if (!best.found || score > best.score || (score == best.score && bin <= best_bin)) {
            best = {score, value, true};
            best_bin = -1;  // later positions are higher: they must be strictly better
        }
    }
}

// Finds nothing where no split scores more than `to_beat`.
template <NodeCriterion C>
    requires HasKernels<C>
Split search_histogram(C& criterion, const SearchSettings& settings, const Binning& binning, double to_beat) {
    SearchScratch& scratch = settings.scratch;
    const float* values = scratch.values.current();
    const HistogramScratch histogram =
        scratch.histogram.reserve(scratch.values.padded_samples(), criterion.n_bin_counts(binning));
    criterion.score_histogram(settings.kernels, values, binning, settings.min_samples_leaf, histogram);
    Split best;
    best.score = -std::numeric_limits<double>::infinity();
    std::int32_t best_bin = -1;
    for (std::int32_t b = 0; b < binning.n_bins; ++b) {
        if (histogram.score[b] > best.score) {
            best.score = histogram.score[b];
            best_bin = b;
        }
    }
    if (best_bin >= 0 && best.score > to_beat) {
        best.found = true;
        // An exact bin holds one value, whose distance from the smallest is the number of the bin.
        best.lower = binning.exact
                         ? binning.minimum + static_cast<float>(best_bin)
                         : settings.kernels.largest_in_bins(values, histogram.bins, criterion.n_samples(), best_bin);
    }
    if (binning.exact) return best;
    const std::int64_t n_flagged =
        collect_flagged(criterion, binning, histogram, to_beat, best.score, scratch.histogram);
    if (n_flagged == 0) return best;
    sort_flagged_samples(values, histogram.bins, binning.n_bins, n_flagged, scratch);
    refine_bins(criterion, settings, binning, histogram, best_bin, best);
    return best;
}

}  // namespace silvan
