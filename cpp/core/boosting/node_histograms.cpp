// Fills histograms by groups of columns, and by parts of the samples where there are more threads than groups.
#include "core/boosting/node_histograms.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kStep = std::int64_t{1} << 15;        // samples between looks at the clock
constexpr std::int64_t kOrderBlock = std::int64_t{1} << 13;  // samples that are worth a thread
// Nanoseconds to add a sample to the bins of a group, and to clear a word of a part's histogram and add it to another.
constexpr double kSampleCost = 4.0;
constexpr double kWordCost = 0.8;

// Adds up what samples have, a pair of words or one for each.
void add_pairs(const std::int32_t* pairs, std::int64_t n_words, std::int64_t n, std::int64_t* sum) {
    if (n_words == 1) {
        for (std::int64_t i = 0; i < n; ++i) sum[0] += pairs[i];
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        sum[0] += pairs[2 * i];
        sum[1] += pairs[2 * i + 1];
    }
}

// The same of some samples, which are copied on the way.
void add_copied(const std::int32_t* pairs, std::int64_t n_words, const std::uint32_t* samples, std::int64_t n,
                std::int32_t* to, std::int64_t* sum) {
    if (n_words == 1) {
        for (std::int64_t i = 0; i < n; ++i) {
            to[i] = pairs[samples[i]];
            sum[0] += to[i];
        }
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t* from = pairs + 2 * static_cast<std::int64_t>(samples[i]);
        to[2 * i] = from[0];
        to[2 * i + 1] = from[1];
        sum[0] += from[0];
        sum[1] += from[1];
    }
}

}  // namespace

void NodeHistograms::start(const ColumnPool& pool, const std::vector<const WholeGradients*>& outputs,
                           const SplitSearch& search, const std::vector<std::uint8_t>& columns,
                           const SplitKernels& kernels) {
    pool_ = &pool;
    outputs_ = &outputs;
    search_ = &search;
    columns_ = &columns;
    kernels_ = &kernels;
    ordered_.resize(outputs.size());
    free_.clear();
    for (std::size_t i = memory_.size(); i-- > 0;) free_.push_back(static_cast<std::int32_t>(i));
}

std::int32_t NodeHistograms::acquire() {
    if (free_.empty()) {
        free_.push_back(static_cast<std::int32_t>(memory_.size()));
        memory_.emplace_back();
    }
    const std::int32_t histogram = free_.back();
    free_.pop_back();
    memory_[static_cast<std::size_t>(histogram)].allocate(static_cast<std::size_t>(search_->n_words()));
    return histogram;
}

// Copies what the node's samples have, so that all columns read it in a row.
std::vector<std::int64_t> NodeHistograms::order(const NodeSamples& node, SharedLoops& loops) {
    std::vector<std::int64_t> totals;
    for (std::size_t k = 0; k < outputs_->size(); ++k) {
        const WholeGradients& output = *(*outputs_)[k];
        const std::int64_t n_words = output.n_words();
        if (!node.all) ordered_[k].allocate(static_cast<std::size_t>(n_words * node.size()));
        std::atomic<std::int64_t> total[2] = {0, 0};
        loops.for_blocks(node.size(), kOrderBlock, [&](std::int64_t first, std::int64_t last) {
            throw_if_stopped(last - first);
            std::int64_t sum[2] = {0, 0};
            if (node.all) {
                add_pairs(output.pairs() + n_words * first, n_words, last - first, sum);
            } else {
                add_copied(output.pairs(), n_words, node.samples + node.begin + first, last - first,
                           ordered_[k].data() + n_words * first, sum);
            }
            total[0] += sum[0];
            total[1] += sum[1];
        });
        total[n_words - 1] += node.size() * output.unit();
        totals.push_back(total[0]);
        totals.push_back(total[1]);
    }
    return totals;
}

// The bins of a group lie side by side.
template <typename Change>
void NodeHistograms::change_group(std::int64_t group, std::int64_t* to, const std::int64_t* from,
                                  const Change& change) const {
    const std::int64_t begin = pool_->first_bin(group);
    const std::int64_t end = pool_->first_bin(group + 1);
    for (std::size_t k = 0; k < outputs_->size(); ++k) {
        const std::int64_t start = search_->output_start(k);
        const std::int64_t n_words = (*outputs_)[k]->n_words();
        for (std::int64_t i = start + begin * n_words; i < start + end * n_words; ++i) change(to[i], from[i]);
    }
}

bool NodeHistograms::is_asked_for(const PoolByte& byte) const {
    return std::any_of(byte.columns.begin(), byte.columns.end(),
                       [this](std::int32_t c) { return (*columns_)[static_cast<std::size_t>(c)] != 0; });
}

// The bins of columns that share a byte, from the byte's: all samples that are not elsewhere are in the most
// frequent bin.
void NodeHistograms::read_shared_bytes(std::int64_t group, std::int64_t* histogram) const {
    for (std::int64_t b = group * kColumnGroup; b < (group + 1) * kColumnGroup; ++b) {
        const PoolByte& byte = pool_->byte(b);
        if (byte.columns.size() < 2) continue;
        for (std::size_t k = 0; k < outputs_->size(); ++k) {
            const std::int64_t n_words = (*outputs_)[k]->n_words();
            std::int64_t* bins = histogram + search_->output_start(k);
            const std::int64_t* from = bins + byte.first_bin * n_words;
            std::int64_t total[2] = {0, 0};
            for (std::int64_t i = 0; i < byte.n_codes * n_words; ++i) total[i % n_words] += from[i];
            for (const std::int32_t c : byte.columns) read_column(pool_->column(c), n_words, total, from, bins);
        }
    }
}

void NodeHistograms::read_column(const PoolColumn& column, std::int64_t n_words, const std::int64_t* total,
                                 const std::int64_t* from, std::int64_t* bins) {
    std::int64_t* to = bins + column.first_bin * n_words;
    std::int64_t* rest = to + column.place.default_bin * n_words;
    std::copy_n(total, n_words, rest);
    for (std::int64_t bin = 0; bin < column.bins.n_bins(); ++bin) {
        if (bin == column.place.default_bin) continue;
        for (std::int64_t w = 0; w < n_words; ++w) {
            const std::int64_t sum = from[column.place.to_byte(bin) * n_words + w];
            to[bin * n_words + w] = sum;
            rest[w] -= sum;
        }
    }
}

void NodeHistograms::add_group(const NodeSamples& node, std::int64_t group, std::int64_t* histogram) const {
    change_group(group, histogram, histogram, [](std::int64_t& to, std::int64_t) { to = 0; });
    // All bytes at once take as long as about four, one by one.
    std::int64_t n_asked = 0;
    for (std::int64_t j = 0; j < kColumnGroup; ++j)
        n_asked += is_asked_for(pool_->byte(group * kColumnGroup + j)) ? 1 : 0;
    const bool all = 2 * n_asked >= kColumnGroup;
    for (std::size_t k = 0; k < outputs_->size(); ++k) {
        const WholeGradients& output = *(*outputs_)[k];
        const std::int64_t n_words = output.n_words();
        std::int64_t* bytes[kColumnGroup];
        for (std::int64_t j = 0; j < kColumnGroup; ++j) {
            const PoolByte& byte = pool_->byte(group * kColumnGroup + j);
            bytes[j] =
                all || is_asked_for(byte) ? histogram + search_->output_start(k) + byte.first_bin * n_words : nullptr;
        }
        for (std::int64_t first = node.begin; first < node.end; first += kStep) {
            const std::int64_t n = std::min(kStep, node.end - first);
            throw_if_stopped(4 * kColumnGroup * n);
            HistogramInput input;
            input.codes = pool_->codes(group);
            input.samples = node.all ? nullptr : node.samples + first;
            input.first_sample = first;
            input.n_samples = n;
            input.pairs = (node.all ? output.pairs() : ordered_[k].data()) + n_words * first;
            input.n_words = n_words;
            input.unit = output.unit();
            kernels_->add_gradients(input, bytes);
        }
    }
}

// Into how many parts the samples are divided, so that groups times parts keep all threads busy to the end: with 7
// groups and 2 threads the last group would be waited for. Each part has a histogram of its own, which costs, too.
std::int64_t NodeHistograms::count_parts(std::int64_t n_samples, std::int64_t n_threads) const {
    if (n_threads == 1) return 1;
    const std::int64_t n_groups = pool_->n_groups();
    const double words = static_cast<double>(search_->n_words()) / static_cast<double>(n_groups);
    const double samples = static_cast<double>(n_samples) * static_cast<double>(outputs_->size());
    std::int64_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t n_parts = 1; n_parts <= 2 * n_threads; ++n_parts) {
        const std::int64_t n_turns = (n_groups * n_parts + n_threads - 1) / n_threads;
        const double turn =
            kSampleCost * samples / static_cast<double>(n_parts) + (n_parts > 1 ? kWordCost * words : 0.0);
        const double cost = static_cast<double>(n_turns) * turn;
        if (cost < least) {
            least = cost;
            best = n_parts;
        }
    }
    return best;
}

void NodeHistograms::fill(const NodeSamples& node, std::int32_t histogram, std::int32_t parent,
                          const std::function<void(std::int64_t, std::int64_t)>& ready, SharedLoops& loops) {
    NodeSamples here = node;
    if (!node.all) {
        here = {node.samples + node.begin, 0, node.size(), false};
    }
    const std::int64_t n_groups = pool_->n_groups();
    const std::int64_t n_parts = count_parts(here.size(), loops.n_threads());
    std::vector<std::int32_t> parts{histogram};
    while (static_cast<std::int64_t>(parts.size()) < n_parts) parts.push_back(acquire());
    const auto at = [this](std::int32_t h) { return memory_[static_cast<std::size_t>(h)].data(); };

    const auto finish = [&](std::int64_t group, std::int64_t thread) {
        for (std::size_t p = 1; p < parts.size(); ++p) {
            change_group(group, at(histogram), at(parts[p]), [](std::int64_t& to, std::int64_t from) { to += from; });
        }
        read_shared_bytes(group, at(histogram));
        if (parent >= 0) {
            change_group(group, at(parent), at(histogram), [](std::int64_t& to, std::int64_t from) { to -= from; });
        }
        ready(group, thread);
    };
    loops.for_each(n_groups * n_parts, [&](std::int64_t item, std::int64_t thread) {
        const std::int64_t part = item % n_parts;
        NodeSamples some = here;
        some.begin = part * here.size() / n_parts;
        some.end = (part + 1) * here.size() / n_parts;
        add_group(some, item / n_parts, at(parts[static_cast<std::size_t>(part)]));
        if (n_parts == 1) finish(item, thread);
    });
    if (n_parts > 1) loops.for_each(n_groups, finish);
    for (std::size_t p = 1; p < parts.size(); ++p) release(parts[p]);
}

}  // namespace silvan
