// What the histogram engine does alike for every criterion.
#include "core/search/histogram.hpp"

namespace silvan {

bool choose_binning(const ValueRange& range, bool integral, std::int64_t n_samples, std::int64_t n_bin_sums,
                    Binning& binning) {
    const float width = range.maximum - range.minimum;
    if (!(width <= std::numeric_limits<float>::max())) return false;
    binning.minimum = range.minimum;
    if (integral && width < static_cast<float>(kMaxBins) &&
        (static_cast<std::int64_t>(width) + 1) * n_bin_sums <= 8 * n_samples) {
        binning.n_bins = static_cast<std::int32_t>(width) + 1;
        binning.scale = 1.0F;
        binning.exact = true;
        return true;
    }
    const auto wanted = static_cast<std::int64_t>(4.0 * std::sqrt(static_cast<double>(n_samples)));
    binning.n_bins = static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 16, kMaxBins));
    binning.scale = static_cast<float>(binning.n_bins) / width;
    binning.exact = false;
    return n_bin_sums * binning.n_bins <= 8 * n_samples && std::isfinite(binning.scale);
}

std::int64_t list_flagged_samples(const std::uint16_t* bins, std::int64_t n_samples, double max_samples,
                                  HistogramMemory& memory) {
    if (max_samples == 0.0) return 0;
    const auto room = static_cast<std::size_t>(std::min(max_samples, static_cast<double>(n_samples))) + 1;
    if (memory.flagged_samples.size() < room) memory.flagged_samples.resize(room);
    const std::uint8_t* flagged = memory.flagged.data();
    std::uint32_t* samples = memory.flagged_samples.data();
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < n_samples; ++i) {
        samples[n] = static_cast<std::uint32_t>(i);
        n += flagged[bins[i]];
    }
    return n;
}

void sort_flagged_samples(const float* values, const std::uint16_t* bins, std::int32_t n_bins, std::int64_t n_flagged,
                          SearchScratch& scratch) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::uint32_t* samples = scratch.histogram.flagged_samples.data();
    std::vector<float> low(static_cast<std::size_t>(n_bins), kInfinity);
    std::vector<float> high(static_cast<std::size_t>(n_bins), -kInfinity);
    std::vector<std::uint32_t> end(static_cast<std::size_t>(n_bins) + 1);
    // Branches, and counts by runs of samples in the same bin: a sample would wait for what the last one stored there.
    for (std::int64_t i = 0; i < n_flagged;) {
        const auto bin = static_cast<std::size_t>(bins[samples[i]]);
        const std::int64_t first = i;
        for (; i < n_flagged && bins[samples[i]] == bin; ++i) {
            const float value = values[samples[i]];
            if (value < low[bin]) low[bin] = value;
            if (value > high[bin]) high[bin] = value;
        }
        end[bin + 1] += static_cast<std::uint32_t>(i - first);
    }
    for (std::size_t bin = 0; bin < low.size(); ++bin) {
        if (!(low[bin] < high[bin])) end[bin + 1] = 0;
    }
    // Samples go to the place of their bin, and are sorted there.
    for (std::size_t bin = 0; bin + 1 < end.size(); ++bin) end[bin + 1] += end[bin];
    const std::size_t n_keys = end.back();
    std::vector<std::uint64_t>& keys = scratch.sort.keys;
    keys.resize(n_keys);
    if (n_keys == 0) return;
    for (std::int64_t i = 0; i < n_flagged; ++i) {
        const std::uint32_t sample = samples[i];
        const auto bin = static_cast<std::size_t>(bins[sample]);
        if (low[bin] < high[bin]) keys[end[bin]++] = make_key(values[sample], sample);
    }
    for (std::size_t bin = 0, first = 0; first < n_keys; first = end[bin++]) {
        if (end[bin] > first) sort_keys(scratch.sort, first, end[bin] - first);
    }
}

}  // namespace silvan
