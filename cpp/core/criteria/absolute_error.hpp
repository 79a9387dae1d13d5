// Absolute error: maximises minus the sum of |y - median| over both sides, output by output.
//
// The weights and sums of the samples on the left are kept in a tree of partial sums (Fenwick 1994) over the ranks of
// the node's targets, so that a sample is moved and the medians of both sides are found in logarithmic time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/criteria/node_outputs.hpp"

namespace silvan {

class AbsoluteError final : public NodeOutputs {
public:
    using NodeOutputs::NodeOutputs;

    struct Accumulator {
        AbsoluteError& criterion;
        double weight_left = 0.0;

        void clear() {
            weight_left = 0.0;
            criterion.clear_left();
        }
        void add(std::int64_t sample) {
            weight_left += criterion.sample_weight(sample);
            criterion.move_left(sample);
        }
        double score() const { return criterion.score(weight_left); }
        SidePair medians() const { return criterion.medians(weight_left); }
    };

    void load(const NodeContext& node);
    double impurity() const { return is_pure() ? 0.0 : -base_score_ / total_weight() / n_averaged(); }
    double base_score() const { return base_score_; }

    // The weighted median of each output; the middle of two where each has half of the weight on its side.
    void append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const;

    // A side is the list of its samples.
    void clear_side(SideSums& side) const {
        side.weight = 0.0;
        side.sums.clear();
    }
    void add_to_side(std::int64_t i, SideSums& side) const {
        side.weight += sample_weight(i);
        side.sums.push_back(static_cast<double>(i));
    }
    double gain(const SideSums& left, const SideSums& right) const;

private:
    struct Moments {
        double weight = 0.0;
        double sum = 0.0;

        Moments& operator+=(const Moments& other) {
            weight += other.weight;
            sum += other.sum;
            return *this;
        }
        Moments operator-(const Moments& other) const { return {weight - other.weight, sum - other.sum}; }
    };
    // One output of the node. Trees of partial sums have n_ranks + 1 entries; the first is not used.
    struct Output {
        std::vector<double> values;  // the distinct targets, ascending
        std::vector<std::int32_t> rank;
        std::vector<Moments> all, left;
        double median = 0.0;
    };

    void load_output(std::int64_t k);
    void clear_left();
    void move_left(std::int64_t sample);
    double score(double weight_left) const;
    // Of the first output.
    SidePair medians(double weight_left) const;
    template <typename Entry, typename IsBelow>
    static std::size_t last_below(const Output& output, const Entry& entry, const IsBelow& is_below, Moments& below);
    // Minus the sum of deviations from the median, of all samples less those on the left, or of these.
    template <typename Entry>
    static double side_score(const Output& output, const Moments& total, const Entry& entry);
    template <typename Entry>
    static double side_median(const Output& output, double weight, const Entry& entry);
    double score_samples(std::int64_t k, std::vector<double> samples) const;

    std::vector<Output> outputs_;
    std::vector<double> left_sums_;
    std::vector<double> values_;
    std::vector<std::int32_t> order_;
    double base_score_ = 0.0;
};

}  // namespace silvan
