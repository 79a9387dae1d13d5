// Exact search for the best threshold along each candidate direction of a node (Tomita 2018, algorithm 2).
//
// The engines find the same split; which one runs is only a matter of speed:
//   pairs              small nodes, where the criterion has kernels;
//   histogram          large nodes, where it has;
//   sorted             everything else (missing values, entropy, many classes, several outputs, limits of weight);
//   coded              features of few values, where classes are counted;
//   joint_codes        sums of such features, where thresholds are drawn;
//   nonzeros           directions that are zero for most samples of the node;
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
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/criteria/node_search.hpp"
#include "core/forest.hpp"
#include "core/node_rules.hpp"
#include "core/search/chosen_thresholds.hpp"
#include "core/search/coded.hpp"
#include "core/search/histogram.hpp"
#include "core/search/monotone.hpp"
#include "core/search/nonzeros.hpp"
#include "core/search/pairs.hpp"
#include "core/search/random_threshold.hpp"
#include "core/search/sorted.hpp"
#include "core/stopping.hpp"

namespace silvan {

template <NodeCriterion C>
class CriterionSearch final : public NodeSearch {
public:
    CriterionSearch(const SearchSettings& settings, C&& criterion)
        : settings_(settings), min_samples_leaf_(settings.min_samples_leaf), criterion_(std::move(criterion)) {}

    void reserve_samples(std::int64_t max_samples) override { criterion_.reserve_samples(max_samples); }

    void set_min_weight_leaf(double weight) override { settings_.min_weight_leaf = weight; }

    NodeSummary load(const NodeContext& node, ProjectionSampler& sampler) override {
        criterion_.load(node);
        if constexpr (MeasuresColumns<C>) criterion_.measure(node, sampler);
        return {criterion_.is_pure(), criterion_.total_weight(), criterion_.impurity()};
    }

    // Random thresholds are drawn one after the other, and constraints need what is kept of the winner.
    bool may_be_shared() const override {
        return !MeasuresColumns<C> && !settings_.random_thresholds && !settings_.agnostic &&
               settings_.monotone == nullptr;
    }

    Split find(const NodeContext& node, const ProjectionBatch& batch, DirectionRange directions) override {
        Random thresholds(thresholds_key(node.key));
        settings_.min_samples_leaf = least_samples_of_side(min_samples_leaf_, settings_.min_balance, node.n_samples);
        best_ = {};
        best_rank_ = kNoScore;
        best_is_counted_ = has_missing_ = codes_started_ = false;
        projected_ = true;
        count_joint_codes(node, batch, directions);
        for (std::int64_t first = directions.first; first < directions.last && !is_settled();
             first += kMaxCodedColumns) {
            const std::int64_t last = std::min(first + kMaxCodedColumns, directions.last);
            count_codes(node, batch, {first, last}, directions.first);
            for (std::int64_t j = first; j < last && !is_settled(); ++j) {
                if (const std::int64_t joint = joint_number(j - directions.first); joint != kNotCoded) {
                    take_counted(j, settings_.scratch.joint.draw(joint, thresholds));
                } else if (coded_[j - first] != kNotCoded) {
                    search_counted(j, coded_[j - first], thresholds);
                } else {
                    search(node, batch.direction(j), j, thresholds);
                }
            }
        }
        if (!best_.found) return best_;
        if (!projected_) {
            ValueMemory& values = settings_.scratch.values;
            node.columns->project(batch.direction(best_.direction), node.samples, node.n_samples, values.current());
            values.keep_current();
        }
        settle(best_);
        return best_;
    }

    double impurity_decrease(const Split& split, double tree_weight) const override {
        return (split.score - criterion_.base_score()) / tree_weight / criterion_.n_averaged();
    }

    double middle() const override { return middle_; }

    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const override {
        criterion_.append_value(outputs, values);
    }

    void append_value_of(const NodeContext& node, Buffer<std::int32_t>& outputs, Buffer<double>& values) override {
        criterion_.load(node);
        criterion_.append_value(outputs, values);
    }

private:
    static constexpr bool kChooses = ChoosesThresholds<C>;
    static constexpr double kNoScore = -std::numeric_limits<double>::infinity();

    // Only the engine that has all values at hand knows between which of them such a threshold lies.
    bool draws_within_balance() const { return settings_.random_thresholds && settings_.min_balance > 0.0; }

    bool is_settled() const { return settings_.agnostic && best_.found; }

    bool counts_codes() const {
        return settings_.monotone == nullptr && settings_.min_weight_leaf == 0.0 && !draws_within_balance() &&
               !settings_.agnostic;
    }

    // The memory of codes, which holds the node's classes.
    CodeCounts& start_codes(const NodeContext& node)
        requires CountsClasses<C>
    {
        CodeCounts& codes = settings_.scratch.codes;
        if (!codes_started_) codes.start(node, criterion_.counted(), settings_.min_samples_leaf);
        codes_started_ = true;
        return codes;
    }

    // Where thresholds are drawn: counts the samples along the directions that have few values.
    void count_joint_codes(const NodeContext& node, const ProjectionBatch& batch, const DirectionRange& directions) {
        joint_.clear();
        if constexpr (CountsClasses<C>) {
            if (!settings_.random_thresholds || !counts_codes() || !node.columns->has_codes()) return;
            if (node.n_samples < kLeastJoint) return;
            JointCounts& joint = settings_.scratch.joint;
            joint.start(node, criterion_.counted(), start_codes(node), settings_.min_samples_leaf);
            for (std::int64_t j = directions.first; j < directions.last; ++j) {
                joint_.push_back(joint.add(batch.direction(j)) ? joint.size() - 1 : kNotCoded);
            }
            joint.count();
        }
    }

    // The number of direction j of those of the node that are counted by joint codes.
    std::int64_t joint_number(std::int64_t j) const {
        return joint_.empty() ? kNotCoded : joint_[static_cast<std::size_t>(j)];
    }

    // Counts the samples of the directions whose values are at hand as codes, and notes which they are.
    void count_codes(const NodeContext& node, const ProjectionBatch& batch, const DirectionRange& some,
                     std::int64_t first_of_all) {
        std::fill(coded_, coded_ + kMaxCodedColumns, kNotCoded);
        if constexpr (CountsClasses<C>) {
            if (!counts_codes()) return;
            std::array<CodedColumn, kMaxCodedColumns> columns;
            std::int64_t n_coded = 0;
            for (std::int64_t j = some.first; j < some.last; ++j) {
                if (joint_number(j - first_of_all) != kNotCoded) continue;
                const CodedColumn column = node.columns->coded(batch.direction(j));
                if (column.codes == nullptr) continue;
                columns[static_cast<std::size_t>(n_coded)] = column;
                coded_[j - some.first] = n_coded++;
            }
            if (n_coded == 0) return;
            throw_if_stopped(node.n_samples * n_coded);
            start_codes(node).count(columns.data(), n_coded);
        }
    }

    // Looks for a better split along direction j, which is number `coded` of those that were counted.
    void search_counted(std::int64_t j, std::int64_t coded, Random& thresholds) {
        take_counted(j, settings_.scratch.codes.search(coded, settings_.random_thresholds ? &thresholds : nullptr));
    }

    void take_counted(std::int64_t j, const CountedSplit& found) {
        best_.varies = best_.varies || found.varies;
        if (!found.found || !(found.score > best_rank_)) return;
        keep(found, found.score, j, false);
        best_is_counted_ = true;
        projected_ = false;
    }

    // The same of a direction that was not counted.
    void search(const NodeContext& node, const Direction& direction, std::int64_t j, Random& thresholds) {
        NodeColumns& columns = *node.columns;
        ValueMemory& values = settings_.scratch.values;
        CountedSplit found;
        if (!kChooses && settings_.monotone == nullptr && !draws_within_balance() &&
            columns.project_nonzeros(direction, node, nonzeros_)) {
            static_cast<Split&>(found) = search_among_nonzeros(thresholds);
            best_.varies = best_.varies || !nonzeros_.values.empty();
            if (!found.found || !(found.score > best_rank_)) return;
            keep(found, found.score, j, false);
            projected_ = false;
            return;
        }
        throw_if_stopped(node.n_samples * direction.n_nonzeros);
        const ValueRange range = columns.project(direction, node.samples, node.n_samples, values.current());
        if (range.minimum > range.maximum) return;
        if (range.minimum == range.maximum && !range.any_missing) return;
        best_.varies = true;
        static_cast<Split&>(found) = settings_.monotone != nullptr ? search_constrained(direction, range, thresholds)
                                     : settings_.random_thresholds
                                         ? search_random_threshold(criterion_, settings_, range, thresholds)
                                         : search_direction(range, columns.is_integral(direction), best_rank_);
        if (!found.found) return;
        const double rank = columns.is_learnt(direction) ? rank_of(found, node) : found.score;
        if (!(rank > best_rank_)) return;
        keep(found, rank, j, range.any_missing);
        projected_ = true;
        middle_ = current_middle_;
        values.keep_current();
    }

    void keep(const CountedSplit& found, double rank, std::int64_t j, bool any_missing) {
        best_ = found;
        best_.varies = true;
        best_.direction = j;
        best_rank_ = rank;
        has_missing_ = any_missing;
        best_is_counted_ = false;
    }

    Split search_direction(const ValueRange& range, bool integral, double to_beat) {
        if constexpr (ChoosesThresholds<C>) {
            return range.any_missing ? Split() : search_chosen_thresholds(criterion_, settings_);
        } else {
            if constexpr (HasKernels<C>) {
                const bool finite = std::isfinite(range.minimum) && std::isfinite(range.maximum);
                if (!range.any_missing && finite && criterion_.has_kernels() && settings_.min_weight_leaf == 0.0) {
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

    Split search_among_nonzeros(Random& thresholds) {
        throw_if_stopped(1 + static_cast<std::int64_t>(nonzeros_.values.size()));
        const ValueRange range = measure_nonzeros(nonzeros_);
        if (nonzeros_.values.empty()) return {};
        return settings_.random_thresholds ? search_random_nonzeros(criterion_, settings_, range, nonzeros_, thresholds)
                                           : search_nonzeros(criterion_, settings_, nonzeros_);
    }

    Split search_constrained(const Direction& direction, const ValueRange& range, Random& thresholds) {
        if constexpr (HasMeans<C> || HasMedians<C>) {
            if (direction.n_nonzeros != 1) throw std::logic_error("monotone constraints need single features");
            const int sign = settings_.monotone[direction.indices[0]] > 0   ? 1
                             : settings_.monotone[direction.indices[0]] < 0 ? -1
                                                                            : 0;
            float threshold = 0.0F;
            if (settings_.random_thresholds)
                threshold = draw_allowed_threshold(settings_, range, criterion_.n_samples(), thresholds);
            const ConstrainedSplit found =
                search_monotone(criterion_, settings_, sign, settings_.random_thresholds ? &threshold : nullptr);
            current_middle_ = found.middle;
            return found.split;
        } else {
            throw std::logic_error("this criterion has no values to constrain");
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

    // Between which values the best split lies, and where missing ones go.
    void settle(CountedSplit& best) {
        best.threshold = threshold_of(best);
        if (!has_missing_) best.missing_left = is_heavier_left(best);
    }

    float threshold_of(const CountedSplit& best) {
        if (best.only_missing_right) return std::numeric_limits<float>::infinity();
        if (settings_.random_thresholds) return best.lower;
        const float upper = best_is_counted_ ? best.upper
                                             : settings_.kernels.smallest_above(settings_.scratch.values.best(),
                                                                                criterion_.n_samples(), best.lower);
        return threshold_between(best.lower, upper);
    }

    // Where training met no missing value, later ones follow the side of the larger weight.
    bool is_heavier_left(const CountedSplit& best) {
        const float* values = settings_.scratch.values.best();
        const double weight = best_is_counted_ ? best.weight_left : criterion_.weight_up_to(values, best.threshold);
        return weight > criterion_.total_weight() - weight;
    }

    static constexpr std::int64_t kNotCoded = -1;
    static constexpr std::int64_t kLeastJoint = 48;  // samples that are worth joining codes for

    SearchSettings settings_;
    std::int64_t min_samples_leaf_;  // of any node
    C criterion_;
    SideSums left_, right_;
    NonzeroValues nonzeros_;
    double current_middle_ = 0.0;
    double middle_ = 0.0;
    // Of the node that is searched.
    CountedSplit best_;
    double best_rank_ = kNoScore;
    bool best_is_counted_ = false;
    bool projected_ = true;     // whether the values of the best direction are there
    bool has_missing_ = false;  // along the best direction so far
    bool codes_started_ = false;
    std::int64_t coded_[kMaxCodedColumns] = {};  // numbers of the directions that were counted
    std::vector<std::int64_t> joint_;            // the same by joint codes, of all directions; or empty
};

}  // namespace silvan
