// The left side of a threshold where classes are counted by codes: cells join it one by one, and it knows its score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/criteria/moment_score.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

inline double score_of(std::int64_t squares_left, std::int64_t weight_left, std::int64_t squares_right,
                       std::int64_t weight_right) {
    return moment_score(static_cast<double>(squares_left), static_cast<double>(weight_left),
                        static_cast<double>(squares_right), static_cast<double>(weight_right));
}

// Two classes that share a word.
struct TwoClasses {
    const std::uint64_t* cells;
    const ClassTargets& targets;
    std::uint64_t left = 0;

    void add(std::size_t code) { left += cells[code]; }
    bool has_samples(std::int64_t, std::int64_t) const { return true; }
    std::int64_t one() const { return static_cast<std::int64_t>(left >> 32U); }
    std::int64_t zero() const { return static_cast<std::int64_t>(left & 0xFFFFFFFFU); }
    std::int64_t weight() const { return zero() + one(); }
    double score() const {
        const std::int64_t right_zero = targets.totals[0] - zero();
        const std::int64_t right_one = targets.totals[1] - one();
        return score_of(zero() * zero() + one() * one(), weight(), right_zero * right_zero + right_one * right_one,
                        right_zero + right_one);
    }
};

// Scores the counts of any number of classes, which `count_of` reads.
template <typename CountOf>
double score_counts(const ClassTargets& targets, const CountOf& count_of) {
    std::int64_t weight = 0;
    std::int64_t squares_left = 0;
    std::int64_t squares_right = 0;
    for (std::int32_t k = 0; k < targets.n_classes; ++k) {
        const std::int64_t on_left = count_of(k);
        const std::int64_t on_right = targets.totals[k] - on_left;
        weight += on_left;
        squares_left += on_left * on_left;
        squares_right += on_right * on_right;
    }
    return score_of(squares_left, weight, squares_right, targets.total - weight);
}

inline bool are_enough(std::int64_t n_left, std::int64_t n_samples, std::int64_t min_samples_leaf) {
    return n_left >= min_samples_leaf && n_samples - n_left >= min_samples_leaf;
}

// Several classes that share a word; the number of samples is the last field, where it is asked for.
struct ClassesOfWord {
    const std::uint64_t* cells;
    const ClassTargets& targets;
    std::int32_t bits;
    std::uint64_t left = 0;

    std::int64_t field(std::int32_t k) const {
        return static_cast<std::int64_t>((left >> (bits * k)) & ((std::uint64_t{1} << bits) - 1));
    }
    void add(std::size_t code) { left += cells[code]; }
    bool has_samples(std::int64_t n_samples, std::int64_t min_samples_leaf) const {
        return min_samples_leaf <= 1 || are_enough(field(targets.n_classes), n_samples, min_samples_leaf);
    }
    std::int64_t weight() const {
        std::int64_t sum = 0;
        for (std::int32_t k = 0; k < targets.n_classes; ++k) sum += field(k);
        return sum;
    }
    double score() const {
        return score_counts(targets, [this](std::int32_t k) { return field(k); });
    }
};

// The same where each field has a number of its own.
struct ManyClasses {
    const std::int32_t* cells;
    const ClassTargets& targets;
    std::int32_t n_fields;
    std::vector<std::int64_t>& left;

    void add(std::size_t code) {
        const std::int32_t* cell = cells + code * static_cast<std::size_t>(n_fields);
        for (std::size_t k = 0; k < left.size(); ++k) left[k] += cell[k];
    }
    bool has_samples(std::int64_t n_samples, std::int64_t min_samples_leaf) const {
        return min_samples_leaf <= 1 || are_enough(left.back(), n_samples, min_samples_leaf);
    }
    std::int64_t weight() const {
        std::int64_t sum = 0;
        for (std::int32_t k = 0; k < targets.n_classes; ++k) sum += left[static_cast<std::size_t>(k)];
        return sum;
    }
    double score() const {
        return score_counts(targets, [this](std::int32_t k) { return left[static_cast<std::size_t>(k)]; });
    }
};

}  // namespace silvan
