// Scores the edges of binned columns.
#include "core/boosting/split_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace silvan {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

SplitSearch::Scratch::Scratch() {
    for (auto* array : {&gradient, &hessian, &weight, &count, &score}) {
        array->resize(static_cast<std::size_t>(kMaxCodes + kLane));
    }
    edge.resize(static_cast<std::size_t>(kMaxCodes + 1));
}

SplitSearch::SplitSearch(const ColumnPool& pool, const BoostOptions& options,
                         const std::vector<const WholeGradients*>& outputs, const std::vector<std::uint8_t>& columns)
    : pool_(pool), options_(options), outputs_(outputs), columns_(columns), output_start_{0} {
    for (const WholeGradients* output : outputs_) {
        output_start_.push_back(output_start_.back() + pool.n_bins() * output->n_words());
    }
    constrained_ = std::any_of(options.monotone.begin(), options.monotone.end(), [](auto sign) { return sign != 0; });
}

void SplitSearch::describe(const std::vector<std::int64_t>& words, SearchedNode& node) const {
    node.totals.resize(outputs_.size());
    node.score = 0.0;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        const GradientSums total = outputs_[k]->read_bin(words.data() + 2 * k);
        node.totals[k] = total;
        node.score += newton_score(total.gradient, total.hessian, options_, node.bounds);
    }
}

CodedSplit SplitSearch::search_group(const SearchedNode& node, std::int64_t group, Scratch& scratch) const {
    CodedSplit best;
    for (const std::int32_t c : pool_.columns_of(group)) {
        if (columns_[static_cast<std::size_t>(c)] == 0) continue;
        if (node.allowed != nullptr && node.allowed[c] == 0) continue;
        search_column(node, c, scratch, best);
    }
    return best;
}

int SplitSearch::constraint(const PoolColumn& column) const {
    return constrained_ && column.feature >= 0 ? options_.monotone[static_cast<std::size_t>(column.feature)] : 0;
}

void SplitSearch::search_column(const SearchedNode& node, std::int64_t column, Scratch& scratch,
                                CodedSplit& best) const {
    const ColumnBins& bins = pool_.column(column).bins;
    const std::int64_t n_words = outputs_[0]->n_words();
    const std::int64_t place = pool_.column(column).first_bin + bins.missing_code();
    const bool missing = outputs_[0]->read_bin(node.histogram + place * n_words).count > 0.0;
    // The edge after all values parts missing ones from them.
    search_side(node, column, false, bins.n_edges() + (missing ? 1 : 0), scratch, best);
    if (missing) search_side(node, column, true, bins.n_edges(), scratch, best);
}

// The edge after an empty bin divides the samples as the one before does, so that only edges after others are tried:
// in small nodes they are few. The first may part missing values from all others. A random one is drawn from all.
std::int64_t SplitSearch::list_edges(const SearchedNode& node, const PoolColumn& column, std::int64_t n_edges,
                                     Scratch& scratch) const {
    const std::int64_t n_words = outputs_[0]->n_words();
    // The last word of a bin has its count.
    const std::int64_t* counted = node.histogram + column.first_bin * n_words + n_words - 1;
    std::int64_t n_tried = 0;
    for (std::int64_t b = 0; b < n_edges; ++b) {
        scratch.edge[static_cast<std::size_t>(n_tried)] = static_cast<std::int32_t>(b);
        n_tried += b == 0 || counted[b * n_words] != 0 || options_.random_thresholds ? 1 : 0;
    }
    return n_tried;
}

// What goes left at each edge that is tried: the bins up to it, and the missing values.
void SplitSearch::sum_edges(const SearchedNode& node, const PoolColumn& column, bool missing_left, std::int64_t n_tried,
                            std::size_t output, Scratch& scratch) const {
    const WholeGradients& gradients = *outputs_[output];
    const std::int64_t n_words = gradients.n_words();
    const std::int64_t* bins = node.histogram + output_start_[output] + column.first_bin * n_words;
    const std::int64_t* missing = bins + column.bins.missing_code() * n_words;
    std::int64_t sum[2] = {0, 0};
    if (missing_left) std::copy_n(missing, n_words, sum);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_tried); ++i) {
        const std::int64_t* bin = bins + scratch.edge[i] * n_words;
        sum[0] += bin[0];
        if (n_words == 2) sum[1] += bin[1];
        const GradientSums left = gradients.read_bin(sum);
        scratch.gradient[i] = left.gradient;
        scratch.hessian[i] = left.hessian;
        scratch.count[i] = left.count;
    }
}

// Scores all edges, and says what the sides of each must have.
EdgeLimits SplitSearch::score_edges(const SearchedNode& node, const PoolColumn& searched, bool missing_left,
                                    std::int64_t n_edges, Scratch& scratch) const {
    std::fill_n(scratch.score.begin(), n_edges, 0.0);
    EdgeLimits limits;
    const bool several = outputs_.size() > 1;
    if (several) std::fill_n(scratch.weight.begin(), n_edges, 0.0);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        sum_edges(node, searched, missing_left, n_edges, k, scratch);
        const GradientSums& total = node.totals[k];
        if (constrained_) {
            score_constrained(node, constraint(searched), n_edges, scratch);
        } else {
            const double sums[2] = {total.gradient, total.hessian};
            options_.kernels->add_edge_scores({scratch.gradient.data(), scratch.hessian.data(), n_edges}, sums,
                                              options_.l1, options_.l2, scratch.score.data());
        }
        limits.total_weight += total.hessian;
        for (std::size_t b = 0; several && b < static_cast<std::size_t>(n_edges); ++b) {
            scratch.weight[b] += scratch.hessian[b];
        }
    }
    limits.weight = several ? scratch.weight.data() : scratch.hessian.data();
    limits.count = scratch.count.data();
    limits.total_count = node.totals[0].count;
    limits.min_weight = std::max(options_.min_child_weight, std::numeric_limits<double>::min());
    limits.min_count = static_cast<double>(options_.min_samples_leaf);
    return limits;
}

void SplitSearch::search_side(const SearchedNode& node, std::int64_t column, bool missing_left, std::int64_t n_edges,
                              Scratch& scratch, CodedSplit& best) const {
    const PoolColumn& searched = pool_.column(column);
    n_edges = list_edges(node, searched, n_edges, scratch);
    if (n_edges == 0) return;
    EdgeLimits limits = score_edges(node, searched, missing_left, n_edges, scratch);
    std::int64_t first = 0;
    if (options_.random_thresholds) {
        first = random_edge(node, column, n_edges, scratch);
        n_edges = first < 0 ? 0 : 1;
        first = std::max<std::int64_t>(first, 0);
        limits.weight += first;
        limits.count += first;
    }
    const std::int64_t edge = options_.kernels->best_edge(limits, n_edges, scratch.score.data() + first);
    if (edge < 0) return;
    const auto at = static_cast<std::size_t>(first + edge);
    CodedSplit split;
    split.gain = scratch.score[at] - node.score;
    split.column = static_cast<std::int32_t>(column);
    split.bin = scratch.edge[at];
    split.missing_left = missing_left;
    // Scores are rounded: a split that changes nothing may seem to gain a little.
    if (!(split.gain > options_.min_gain) || split.gain <= 1e-12 * std::abs(node.score)) return;
    if (!(split.gain > best.gain)) return;
    if (constrained_) {
        const GradientSums& total = node.totals[0];
        split.left_value = newton_value(scratch.gradient[at], scratch.hessian[at], options_, node.bounds);
        split.right_value = newton_value(total.gradient - scratch.gradient[at], total.hessian - scratch.hessian[at],
                                         options_, node.bounds);
    }
    best = split;
}

void SplitSearch::score_constrained(const SearchedNode& node, int direction, std::int64_t n_edges,
                                    Scratch& scratch) const {
    const GradientSums& total = node.totals[0];
    for (std::size_t b = 0; b < static_cast<std::size_t>(n_edges); ++b) {
        const double g = scratch.gradient[b];
        const double h = scratch.hessian[b];
        const double left = newton_value(g, h, options_, node.bounds);
        const double right = newton_value(total.gradient - g, total.hessian - h, options_, node.bounds);
        const bool allowed = direction * (right - left) >= 0.0;
        scratch.score[b] = allowed ? newton_score(g, h, options_, node.bounds) +
                                         newton_score(total.gradient - g, total.hessian - h, options_, node.bounds)
                                   : kNever;
    }
}

// One of the edges that have samples on both sides, all equally likely; -1 if there is none.
std::int64_t SplitSearch::random_edge(const SearchedNode& node, std::int64_t column, std::int64_t n_edges,
                                      const Scratch& scratch) const {
    const double* count = scratch.count.data();
    const double all = node.totals[0].count;
    const double* first = std::upper_bound(count, count + n_edges, 0.0);
    const double* last = std::lower_bound(first, count + n_edges, all);
    if (first == last) return -1;
    Random random(combine_keys(thresholds_key(node.key), static_cast<std::uint64_t>(column)));
    return first - count + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last - first)));
}

}  // namespace silvan
