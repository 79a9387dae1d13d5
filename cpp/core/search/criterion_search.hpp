// Exact search for the best threshold along each candidate direction of a node (Tomita 2018, algorithm 2).
//
// The engines find the same split; which one runs is only a matter of speed:
//   pairs              small nodes, where the criterion has kernels;
//   histogram          large nodes, where it has;
//   sorted             everything else (missing values, entropy, many classes, several outputs);
//   coded              features of few values, where classes are counted;
//   chosen_thresholds  criteria that score some thresholds only.
// Where thresholds are drawn at random, another engine takes the place of all.
// Thresholds are midpoints of adjacent distinct values. Of equal scores the first direction drawn wins,
// within a direction the lowest threshold, and missing values prefer the right side.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/columns/column_space.hpp"
#include "core/criteria/node_search.hpp"
#include "core/forest.hpp"
#include "core/search/chosen_thresholds.hpp"
#include "core/search/coded.hpp"
#include "core/search/histogram.hpp"
#include "core/search/pairs.hpp"
#include "core/search/random_threshold.hpp"
#include "core/search/sorted.hpp"
#include "core/stopping.hpp"

namespace silvan {

template <NodeCriterion C>
class CriterionSearch final : public NodeSearch {
public:
    CriterionSearch(const SearchSettings& settings, C&& criterion)
        : settings_(settings), criterion_(std::move(criterion)) {}

    void reserve_samples(std::int64_t max_samples) override { criterion_.reserve_samples(max_samples); }

    NodeSummary load(const NodeContext& node, ProjectionSampler& sampler) override {
        criterion_.load(node);
        if constexpr (MeasuresColumns<C>) criterion_.measure(node, sampler);
        return {criterion_.is_pure(), criterion_.total_weight(), criterion_.impurity()};
    }

    Split find(const NodeContext& node, const ProjectionBatch& batch) override {
        Random thresholds(thresholds_key(node.key));
        best_ = {};
        best_is_counted_ = false;
        best_rank_ = kNoScore;
        has_missing_ = false;
        codes_started_ = false;
        for (std::int64_t first = 0; first < batch.size(); first += kMaxCodedColumns) {
            const std::int64_t last = std::min(first + kMaxCodedColumns, batch.size());
            count_codes(node, batch, first, last);
            for (std::int64_t j = first; j < last; ++j) search(node, batch, j, coded_[j - first], thresholds);
        }
        if (!best_.found) return best_;
        ValueMemory& values = settings_.scratch.values;
        if (best_is_counted_) {
            node.columns->project(batch.direction(best_.direction), node.samples, node.n_samples, values.current());
            values.keep_current();
        }
        best_.threshold = threshold_of(best_);
        if (!has_missing_) best_.missing_left = is_heavier_left(best_);
        return best_;
    }

    double impurity_decrease(const Split& split, double tree_weight) const override {
        return (split.score - criterion_.base_score()) / tree_weight / criterion_.n_averaged();
    }

    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const override {
        criterion_.append_value(outputs, values);
    }

    void append_value_of(const NodeContext& node, Buffer<std::int32_t>& outputs, Buffer<double>& values) override {
        criterion_.load(node);
        criterion_.append_value(outputs, values);
    }

private:
    static constexpr double kNoScore = -std::numeric_limits<double>::infinity();

    // Counts the samples of the directions [first, last) whose values are at hand as codes, and notes which they are.
    void count_codes(const NodeContext& node, const ProjectionBatch& batch, std::int64_t first, std::int64_t last) {
        std::fill(coded_, coded_ + kMaxCodedColumns, kNotCoded);
        if constexpr (CountsClasses<C>) {
            std::array<CodedColumn, kMaxCodedColumns> columns;
            std::int64_t n_coded = 0;
            for (std::int64_t j = first; j < last; ++j) {
                const CodedColumn column = node.columns->coded(batch.direction(j));
                if (column.codes == nullptr) continue;
                columns[static_cast<std::size_t>(n_coded)] = column;
                coded_[j - first] = n_coded++;
            }
            if (n_coded == 0) return;
            CodeCounts& codes = settings_.scratch.codes;
            throw_if_stopped(node.n_samples * n_coded);
            if (!codes_started_) codes.start(node, criterion_.counted(), settings_.min_samples_leaf);
            codes_started_ = true;
            codes.count(columns.data(), n_coded);
        }
    }

    // Looks for a better split along direction j, which may be number `coded` of those that were counted.
    void search(const NodeContext& node, const ProjectionBatch& batch, std::int64_t j, std::int64_t coded,
                Random& thresholds) {
        const Direction direction = batch.direction(j);
        NodeColumns& columns = *node.columns;
        ValueMemory& values = settings_.scratch.values;
        CountedSplit found;
        bool any_missing = false;
        if (coded != kNotCoded) {
            found = settings_.scratch.codes.search(coded, settings_.random_thresholds ? &thresholds : nullptr);
            best_.varies = best_.varies || found.varies;
        } else {
            throw_if_stopped(node.n_samples * direction.n_nonzeros);
            const ValueRange range = columns.project(direction, node.samples, node.n_samples, values.current());
            if (range.minimum > range.maximum) return;
            if (range.minimum == range.maximum && !range.any_missing) return;
            best_.varies = true;
            any_missing = range.any_missing;
            static_cast<Split&>(found) = settings_.random_thresholds
                                             ? search_random_threshold(criterion_, settings_, range, thresholds)
                                             : search_direction(range, columns.is_integral(direction), best_rank_);
        }
        if (!found.found) return;
        const double rank = columns.is_learnt(direction) ? rank_of(found, node) : found.score;
        if (!(rank > best_rank_)) return;
        best_rank_ = rank;
        found.varies = true;
        found.direction = j;
        best_ = found;
        has_missing_ = any_missing;
        best_is_counted_ = coded != kNotCoded;
        if (!best_is_counted_) values.keep_current();
    }

    Split search_direction(const ValueRange& range, bool integral, double to_beat) {
        if constexpr (ChoosesThresholds<C>) {
            return range.any_missing ? Split() : search_chosen_thresholds(criterion_, settings_);
        } else {
            if constexpr (HasKernels<C>) {
                const bool finite = std::isfinite(range.minimum) && std::isfinite(range.maximum);
                if (!range.any_missing && finite && criterion_.has_kernels()) {
                    if (criterion_.prefers_pairs()) return search_pairs(criterion_, settings_);
                    Binning binning;
                    if (choose_binning(range, integral, criterion_.n_samples(), criterion_.n_bin_sums(), binning)) {
                        return search_histogram(criterion_, settings_, binning, to_beat);
                    }
                }
            }
            return search_sorted(criterion_, settings_);
        }
    }

    // What a direction with learnt values is compared by: the geometric mean of its gain and of that which the samples
    // confirm that it was not learnt from. At most the score itself.
    double rank_of(const Split& found, const NodeContext& node) {
        constexpr double kLeastShare = 1e-6;  // a split that nobody confirms is better than none
        const double seen = std::max(found.score - criterion_.base_score(), 0.0);
        const double confirmed = confirmed_gain(found, node);
        return criterion_.base_score() + std::sqrt(std::clamp(confirmed, kLeastShare * seen, seen) * seen);
    }

    double confirmed_gain(const Split& found, const NodeContext& node) {
        if constexpr (ConfirmsGains<C>) {
            const float* values = settings_.scratch.values.current();
            criterion_.clear_side(left_);
            criterion_.clear_side(right_);
            for (std::int64_t i = 0; i < node.n_samples; ++i) {
                if (node.columns->is_learnt_from(node.samples[i])) continue;
                const bool left = found.only_missing_right ? values[i] == values[i]
                                                           : goes_left(values[i], found.lower, found.missing_left);
                criterion_.add_to_side(i, left ? left_ : right_);
            }
            if (!(left_.weight > 0.0 && right_.weight > 0.0)) return 0.0;
            const double weight = left_.weight + right_.weight;
            return criterion_.gain(left_, right_) * (criterion_.total_weight() / weight);
        } else {
            throw std::logic_error("this criterion cannot confirm columns that are learnt from targets");
        }
    }

    float threshold_of(const CountedSplit& best) {
        if (best.only_missing_right) return std::numeric_limits<float>::infinity();
        if (settings_.random_thresholds) return best.lower;
        const float upper = best_is_counted_ ? best.upper
                                             : settings_.kernels.smallest_above(settings_.scratch.values.best(),
                                                                                criterion_.n_samples(), best.lower);
        const double middle = 0.5 * (static_cast<double>(best.lower) + static_cast<double>(upper));
        const auto threshold = static_cast<float>(middle);
        return threshold < upper ? threshold : best.lower;
    }

    // Where training met no missing value, later ones follow the side of the larger weight.
    bool is_heavier_left(const CountedSplit& best) {
        const float* values = settings_.scratch.values.best();
        const double weight = best_is_counted_ ? best.weight_left : criterion_.weight_up_to(values, best.threshold);
        return weight > criterion_.total_weight() - weight;
    }

    static constexpr std::int64_t kNotCoded = -1;

    SearchSettings settings_;
    C criterion_;
    SideSums left_, right_;
    // Of the node that is searched.
    CountedSplit best_;
    bool best_is_counted_ = false;
    double best_rank_ = kNoScore;
    bool has_missing_ = false;  // along the best direction so far
    bool codes_started_ = false;
    std::int64_t coded_[kMaxCodedColumns] = {};  // numbers of the directions that were counted
};

}  // namespace silvan
