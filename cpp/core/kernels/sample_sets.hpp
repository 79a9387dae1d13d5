// Small subtrees, whose nodes are sets of samples: a word with a bit for each, so that weights are counts of bits.
#pragma once

#include <cstddef>

#include "core/criteria/moment_score.hpp"
#include "core/kernels/vectors.hpp"
#include "core/split_kernels.hpp"

namespace silvan {
namespace {

inline std::int32_t size_of(std::uint64_t set) { return __builtin_popcountll(set); }
inline std::int32_t first_of(std::uint64_t set) { return __builtin_ctzll(set); }

// The weight of the members of a class that are in a set.
template <std::int32_t kBits>
inline std::int32_t weigh(const std::uint64_t* members, std::int32_t n_bits, std::uint64_t set) {
    std::int32_t weight = 0;
    for (std::int32_t b = 0; b < (kBits > 0 ? kBits : n_bits); ++b) weight += size_of(members[b] & set) << b;
    return weight;
}

void find_classes(const ClassSets& subtree, std::uint64_t samples, NodeSets& node) {
    node.samples = samples;
    node.n_samples = size_of(samples);
    node.n_bits = subtree.n_bits;
    std::int32_t n = 0;
    node.total = 0;
    for (std::int32_t k = 0; k < subtree.n_classes; ++k) {
        std::uint64_t* members = node.members[n];
        std::uint64_t any = 0;
        for (std::int32_t b = 0; b < subtree.n_bits; ++b) {
            members[b] = subtree.members[k][b] & samples;
            any |= members[b];
        }
        if (any == 0) continue;
        node.classes[n] = k;
        node.totals[n] = weigh<0>(members, subtree.n_bits, samples);
        node.total += node.totals[n++];
    }
    node.n_classes = n;
}

// Samples with values up to a limit, among so many vectors.
inline std::uint64_t set_up_to(const float* values, std::int64_t n_samples, float limit) {
    std::uint64_t set = 0;
    for (std::int64_t i = 0; i < n_samples; i += kFloats) {
        set |= bits_of(load<Floats>(values + i) <= Floats{} + limit) << i;
    }
    return set;
}

inline float smallest_above_in_set(const float* values, std::int64_t n_samples, float limit) {
    Floats minimum = Floats{} + kInfinity;
    for (std::int64_t i = 0; i < n_samples; i += kFloats) {
        const Floats v = load<Floats>(values + i);
        minimum = ((v > limit) & (v < minimum)) ? v : minimum;
    }
    return smallest_entry(minimum);
}

inline void add_value(float value, std::uint64_t up_to, ValueSets& sets) {
    const auto place = static_cast<std::size_t>(size_of(up_to) - 1);
    sets.places |= std::uint64_t{1} << place;
    sets.values[place] = value;
    sets.up_to[place] = up_to;
}

void order_codes(const CodedColumn& column, const std::int64_t* offsets, std::int64_t n_samples, ValueSets& sets) {
    std::uint8_t codes[kSetSamples];
    __builtin_memset(codes, kFewCodes, sizeof(codes));
    for (std::int64_t i = 0; i < n_samples; ++i) codes[i] = column.codes[offsets[i]];
    sets.places = 0;
    sets.n_values = 0;
    std::uint64_t before = 0;
    for (std::int32_t code = 0; code < column.n_codes; ++code) {
        std::uint64_t up_to = 0;
        for (std::int64_t i = 0; i < kSetSamples; i += kVectorBytes) {
            up_to |= bits_of((Bools)(load<Bytes>(codes + i) <= static_cast<std::uint8_t>(code))) << i;
        }
        if (up_to == before) continue;
        before = up_to;
        add_value(column.values[code], up_to, sets);
        ++sets.n_values;
    }
}

// Few values are found one after the other, many by comparing all pairs.
void order_set(const float* values, std::int64_t n_samples, ValueSets& sets) {
    sets.places = 0;
    float value = smallest_above_in_set(values, n_samples, -kInfinity);
    for (sets.n_values = 0; sets.n_values < kFewCodes; ++sets.n_values) {
        if (value == kInfinity) return;
        add_value(value, set_up_to(values, n_samples, value), sets);
        value = smallest_above_in_set(values, n_samples, value);
    }
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const std::uint64_t up_to = set_up_to(values, n_samples, values[i]);
        sets.place[i] = static_cast<std::uint8_t>(size_of(up_to) - 1);
        add_value(values[i], up_to, sets);
    }
    sets.n_values = size_of(sets.places);
}

// Scores of divisions; the numbers of classes and of the bits of counts are constants, or 0.
template <std::int32_t kClasses, std::int32_t kBits>
struct SetScorer {
    const NodeSets& node;
    std::int64_t min_samples_leaf;

    bool allows(std::uint64_t left) const {
        if (min_samples_leaf <= 1) return true;
        const std::int64_t n_left = size_of(left);
        return n_left >= min_samples_leaf && node.n_samples - n_left >= min_samples_leaf;
    }

    // Of a set that is neither empty nor the whole node.
    double score(std::uint64_t left, std::int32_t& weight_left) const {
        std::int32_t weight = 0;
        std::int32_t squares_left = 0;
        std::int32_t squares_right = 0;
        for (std::int32_t k = 0; k < (kClasses > 0 ? kClasses : node.n_classes); ++k) {
            const std::int32_t on_left = weigh<kBits>(node.members[k], node.n_bits, left);
            const std::int32_t on_right = node.totals[k] - on_left;
            weight += on_left;
            squares_left += on_left * on_left;
            squares_right += on_right * on_right;
        }
        weight_left = weight;
        return moment_score(squares_left, weight, squares_right, node.total - weight);
    }

    void consider(std::uint64_t left, std::int32_t place, SetSplit& best) const {
        best.varies = true;
        if (!allows(left)) return;
        std::int32_t weight_left = 0;
        const double s = score(left, weight_left);
        if (best.found && (s < best.score || (s == best.score && place > best.place))) return;
        best.score = s;
        best.left = left;
        best.weight_left = weight_left;
        best.place = place;
        best.found = true;
    }

    SetSplit search(const ValueSets& sets) const {
        SetSplit best;
        if (sets.n_values <= kFewCodes || sets.n_values <= node.n_samples) {
            std::uint64_t before = 0;
            for (std::uint64_t rest = sets.places; rest != 0; rest &= rest - 1) {
                const std::int32_t place = first_of(rest);
                const std::uint64_t left = sets.up_to[place] & node.samples;
                if (left == node.samples) break;
                if (left != before) consider(left, place, best);
                before = left;
            }
            return best;
        }
        for (std::uint64_t rest = node.samples; rest != 0; rest &= rest - 1) {
            const std::int32_t place = sets.place[first_of(rest)];
            const std::uint64_t left = sets.up_to[place] & node.samples;
            if (left != node.samples) consider(left, place, best);
        }
        return best;
    }
};

template <typename Use>
inline SetSplit with_scorer(const NodeSets& node, std::int64_t min_samples_leaf, const Use& use) {
    if (node.n_classes == 2) {
        switch (node.n_bits) {
            case 1:
                return use(SetScorer<2, 1>{node, min_samples_leaf});
            case 2:
                return use(SetScorer<2, 2>{node, min_samples_leaf});
            case 3:
                return use(SetScorer<2, 3>{node, min_samples_leaf});
            default:
                break;
        }
    }
    return use(SetScorer<0, 0>{node, min_samples_leaf});
}

SetSplit search_set(const ValueSets& sets, const NodeSets& node, std::int64_t min_samples_leaf) {
    return with_scorer(node, min_samples_leaf, [&sets](const auto& scorer) { return scorer.search(sets); });
}

// Terms are added as in every projection, so that values are the same bit for bit. The first kTerms are at hand in
// registers.
template <std::int64_t kTerms>
inline ValueRange project_terms(const float* features, std::int64_t n_samples, const Direction& direction,
                                const std::int32_t* inside, float* values) {
    const float* feature[static_cast<std::size_t>(kTerms)];
    Floats coefficient[static_cast<std::size_t>(kTerms)];
    for (std::int64_t k = 0; k < kTerms; ++k) {
        feature[k] = features + direction.indices[k] * kSetSamples;
        coefficient[k] = Floats{} + direction.coefficients[k];
    }
    Floats low = Floats{} + kInfinity;
    Floats high = Floats{} - kInfinity;
    Ints missing = Ints{};
    for (std::int64_t i = 0; i < n_samples; i += kFloats) {
        Floats v = coefficient[0] * load<Floats>(feature[0] + i);
        for (std::int64_t k = 1; k < kTerms; ++k) v += coefficient[k] * load<Floats>(feature[k] + i);
        for (std::int64_t k = kTerms; k < direction.n_nonzeros; ++k) {
            v += direction.coefficients[k] * load<Floats>(features + direction.indices[k] * kSetSamples + i);
        }
        store(values + i, v);
        const Ints within = load<Ints>(inside + i);
        low = (within & (v < low)) ? v : low;
        high = (within & (v > high)) ? v : high;
        missing |= within & (v != v);
    }
    return {smallest_entry(low), largest_entry(high), any_entry(missing)};
}

ValueRange project_set(const float* features, std::int64_t n_samples, const Direction& direction,
                       const std::int32_t* inside, float* values) {
    switch (direction.n_nonzeros) {
        case 1:
            return project_terms<1>(features, n_samples, direction, inside, values);
        case 2:
            return project_terms<2>(features, n_samples, direction, inside, values);
        default:
            return project_terms<3>(features, n_samples, direction, inside, values);
    }
}

SetSplit divide_values(const float* values, std::int64_t n_samples, const NodeSets& node, float threshold,
                       std::int64_t min_samples_leaf) {
    const std::uint64_t left = set_up_to(values, n_samples, threshold) & node.samples;
    return with_scorer(node, min_samples_leaf, [left](const auto& scorer) {
        SetSplit split;
        scorer.consider(left, 0, split);
        return split;
    });
}

ValueRange range_of_set(const ValueSets& sets, std::uint64_t samples) {
    if (sets.n_values > 0) {
        std::uint64_t rest = sets.places;
        while ((sets.up_to[first_of(rest)] & samples) == 0) rest &= rest - 1;
        const float lowest = sets.values[first_of(rest)];
        while ((sets.up_to[first_of(rest)] & samples) != samples) rest &= rest - 1;
        return {lowest, sets.values[first_of(rest)], false};
    }
    float low = kInfinity;
    float high = -kInfinity;
    for (std::uint64_t rest = samples; rest != 0; rest &= rest - 1) {
        const float value = sets.values[first_of(rest)];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return {low, high, false};
}

inline std::uint64_t samples_up_to(const ValueSets& sets, std::uint64_t samples, float threshold) {
    std::uint64_t up_to = 0;
    if (sets.n_values > 0) {
        for (std::uint64_t rest = sets.places; rest != 0; rest &= rest - 1) {
            const std::int32_t place = first_of(rest);
            if (sets.values[place] > threshold) break;
            up_to = sets.up_to[place];
        }
        return up_to & samples;
    }
    for (std::uint64_t rest = samples; rest != 0; rest &= rest - 1) {
        const std::int32_t sample = first_of(rest);
        up_to |= static_cast<std::uint64_t>(sets.values[sample] <= threshold) << sample;
    }
    return up_to;
}

SetSplit divide_set(const ValueSets& sets, const NodeSets& node, float threshold, std::int64_t min_samples_leaf) {
    const std::uint64_t left = samples_up_to(sets, node.samples, threshold);
    return with_scorer(node, min_samples_leaf, [left](const auto& scorer) {
        SetSplit split;
        scorer.consider(left, 0, split);
        return split;
    });
}

}  // namespace
}  // namespace silvan
