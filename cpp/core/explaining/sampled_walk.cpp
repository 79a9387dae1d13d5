// Takes a hybrid that changes feature by feature down a tree.
#include "core/explaining/sampled_walk.hpp"

#include <algorithm>
#include <limits>

#include "core/random.hpp"
#include "core/stopping.hpp"

namespace silvan {

std::uint64_t FeatureOrder::turn(std::int32_t feature) const {
    const std::uint64_t bits = mix_bits(key + static_cast<std::uint64_t>(feature) * 0x9E3779B97F4A7C15ULL);
    return backwards ? ~bits : bits;
}

void SampledWalk::run(std::int64_t tree, const FeatureOrder& order, double weight, Credit& credit) {
    const TreeView nodes(forest_, tree);
    const std::int64_t first_leaf = forest_.leaf_offsets[tree];
    waiting_.assign(1, {0, {0, kNone}, {std::numeric_limits<std::uint64_t>::max(), kNone}});
    while (!waiting_.empty()) {
        Span span = waiting_.back();
        waiting_.pop_back();
        follow(nodes, order, span);
        const LeafValues values(forest_, first_leaf - 1 - nodes.left[span.node]);
        if (span.begin.feature != kNone) credit.add(span.begin.feature, values, weight);
        if (span.end.feature != kNone) credit.add(span.end.feature, values, -weight);
    }
}

void SampledWalk::follow(const TreeView& tree, const FeatureOrder& order, Span& span) {
    while (tree.left[span.node] >= 0) {
        const std::span<const PairTerm> terms = reader_.read(tree.direction(span.node));
        throw_if_stopped(4 * static_cast<std::int64_t>(terms.size()) + 8);
        const float value = choose_terms(order, span, terms);
        bool left = goes_left(value, tree.threshold[span.node], tree.missing_left[span.node] != 0);
        if (!turns_.empty()) left = divide(tree, span, terms, left);
        span.node = tree.left[span.node] + (left ? 0 : 1);
    }
}

float SampledWalk::choose_terms(const FeatureOrder& order, const Span& span, std::span<const PairTerm> terms) {
    chosen_.clear();
    turns_.clear();
    float sum = 0.0F;
    for (const PairTerm& term : terms) {
        float value = term.own;
        if (!term.is_same()) {
            const std::uint64_t time = order.turn(term.feature);
            if (time > span.begin.time) value = term.other;
            if (time > span.begin.time && time < span.end.time) turns_.push_back({time, chosen_.size()});
        }
        chosen_.push_back(value);
        sum += value;
    }
    return sum;
}

bool SampledWalk::divide(const TreeView& tree, Span& span, std::span<const PairTerm> terms, bool left) {
    std::sort(turns_.begin(), turns_.end(), [](const Turn& a, const Turn& b) { return a.time < b.time; });
    const std::int32_t node = span.node;
    for (const Turn& turn : turns_) {
        chosen_[turn.term] = terms[turn.term].own;
        float sum = 0.0F;
        for (const float value : chosen_) sum += value;
        const bool goes = goes_left(sum, tree.threshold[node], tree.missing_left[node] != 0);
        if (goes == left) continue;
        const Moment moment{turn.time, terms[turn.term].feature};
        waiting_.push_back({tree.left[node] + (left ? 0 : 1), span.begin, moment});
        span.begin = moment;
        left = goes;
    }
    return left;
}

}  // namespace silvan
