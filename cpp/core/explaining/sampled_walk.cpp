// Takes a hybrid that changes feature by feature down a tree.
#include "core/explaining/sampled_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// The sum of terms that are replaced one by one, added anew each time as prediction adds them. Where terms are many,
// a sum in float64 that is brought up to date will do, unless it is so near the threshold that rounding decides.
class ChosenSum {
public:
    ChosenSum(float* terms, std::size_t n_terms, float threshold)
        : terms_(terms), n_terms_(n_terms), threshold_(threshold) {
        if (n_terms <= kFewTerms) return;
        for (std::size_t k = 0; k < n_terms; ++k) {
            sum_ += terms[k];
            size_ += std::abs(terms[k]);
        }
    }

    float replace(std::size_t term, float value) {
        const double before = terms_[term];
        terms_[term] = value;
        if (n_terms_ > kFewTerms) {
            sum_ += value - before;
            size_ += std::abs(value) - std::abs(before);
            // Twice what additions can lose.
            const double rounding = 0x1.0p-23 * static_cast<double>(n_terms_) * size_;
            if (std::abs(sum_ - threshold_) > rounding) return static_cast<float>(sum_);
        }
        return add_up();
    }

    float add_up() const {
        float sum = 0.0F;
        for (std::size_t k = 0; k < n_terms_; ++k) sum += terms_[k];
        return sum;
    }

private:
    static constexpr std::size_t kFewTerms = 8;

    float* terms_;
    std::size_t n_terms_;
    double threshold_;
    double sum_ = 0.0;
    double size_ = 0.0;
};

}  // namespace

SampledWalk::SampledWalk(const WalkForest& forest, PairReader& reader)
    : forest_(forest),
      reader_(reader),
      times_(static_cast<std::size_t>(forest.view().n_features)),
      chosen_(reader.max_terms()),
      turns_(reader.max_terms() + 1) {}

void SampledWalk::run(std::int64_t tree, const FeatureOrder& order, double weight, Credit& credit) {
    draw_turns(tree, order);
    const WalkNode* nodes = forest_.nodes(tree);
    const std::int64_t first_leaf = forest_.view().leaf_offsets[tree];
    waiting_.assign(1, {0, {0, kNone}, {std::numeric_limits<std::uint32_t>::max(), kNone}});
    while (!waiting_.empty()) {
        Span span = waiting_.back();
        waiting_.pop_back();
        follow(tree, span);
        const LeafValues values(forest_.view(), first_leaf - 1 - nodes[span.node].left);
        if (span.begin.feature != kNone) credit.add(span.begin.feature, values, weight);
        if (span.end.feature != kNone) credit.add(span.end.feature, values, -weight);
    }
}

// Never at the very beginning or at the end. Of two features with the same turn, one of 2^32, the first that a node
// asks for is credited with what both do.
void SampledWalk::draw_turns(std::int64_t tree, const FeatureOrder& order) {
    const std::uint32_t flip = order.backwards ? ~std::uint32_t{0} : 0;
    Random random(order.key);
    std::uint64_t bits = 0;
    bool is_left = false;  // half of the bits, for the next feature
    for (const std::int32_t feature : forest_.features(tree)) {
        bits = is_left ? bits >> 32U : random.bits();
        is_left = !is_left;
        const auto time = static_cast<std::uint32_t>(bits);
        times_[static_cast<std::size_t>(feature)] = std::clamp(time, 1U, 0xFFFFFFFEU) ^ flip;
    }
}

void SampledWalk::follow(std::int64_t tree, Span& span) {
    const WalkNode* const nodes = forest_.nodes(tree);
    std::int64_t work = 0;
    for (const WalkNode* node = nodes + span.node; !node->is_leaf(); node = nodes + span.node) {
        const Bounds bounds = node->n_terms > 0 ? choose_terms(*node, span) : choose_general_terms(tree, span);
        const bool above = bounds.low > node->threshold;
        const bool below = bounds.high <= node->threshold;
        const bool left = (above | below) & !bounds.missing ? below : divide(*node, span);
        span.node = node->left + (left ? 0 : 1);
        work += 2 * static_cast<std::int64_t>(n_terms_) + 8;
    }
    throw_if_stopped(work);
}

// Rounded sums rise with each of their terms: no value within the span is beyond the bounds.
// Without branches that depend on the order: half of them would be guessed wrong.
inline SampledWalk::Bounds SampledWalk::choose_terms(const WalkNode& node, const Span& span) {
    // An index is no branch.
    const float* const samples[2] = {reader_.own(), reader_.other()};
    const WalkTerm* const terms = forest_.terms() + node.first_term;
    const std::uint32_t n_terms = node.n_terms;
    std::size_t n_turns = 0;
    Bounds bounds;
    for (std::uint32_t k = 0; k < n_terms; ++k) {
        const auto feature = static_cast<std::size_t>(terms[k].feature);
        const std::uint32_t time = times_[feature];
        const auto waits = static_cast<std::size_t>(time > span.begin.time);
        const auto stays = static_cast<std::size_t>(time >= span.end.time);
        const float first = terms[k].coefficient * samples[waits][feature];
        const float last = terms[k].coefficient * samples[stays][feature];
        chosen_[k] = first;
        turns_[n_turns] = {time, k};
        n_turns += waits ^ stays;
        bounds.add(first, last);
    }
    n_terms_ = n_terms;
    n_turns_ = n_turns;
    return bounds;
}

SampledWalk::Bounds SampledWalk::choose_general_terms(std::int64_t tree, const Span& span) {
    const std::span<const PairTerm> terms = reader_.read(TreeView(forest_.view(), tree).direction(span.node));
    own_.clear();
    features_.clear();
    n_terms_ = terms.size();
    n_turns_ = 0;
    Bounds bounds;
    for (std::uint32_t k = 0; k < n_terms_; ++k) {
        const PairTerm& term = terms[k];
        const std::uint32_t time = times_[static_cast<std::size_t>(term.feature)];
        chosen_[k] = time > span.begin.time ? term.other : term.own;
        if (time > span.begin.time && time < span.end.time) turns_[n_turns_++] = {time, k};
        bounds.add(chosen_[k], time < span.end.time ? term.own : term.other);
        own_.push_back(term.own);
        features_.push_back(term.feature);
    }
    return bounds;
}

bool SampledWalk::divide(const WalkNode& node, Span& span) {
    if (n_turns_ > 1) {
        std::sort(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(n_turns_),
                  [](const Turn& a, const Turn& b) { return a.time < b.time; });
    }
    const WalkTerm* const terms = forest_.terms() + node.first_term;
    ChosenSum sum(chosen_.data(), n_terms_, node.threshold);
    bool left = goes_left(sum.add_up(), node.threshold, node.missing_left);
    for (std::size_t i = 0; i < n_turns_; ++i) {
        const Turn turn = turns_[i];
        const std::int32_t feature = node.n_terms > 0 ? terms[turn.term].feature : features_[turn.term];
        const float own = node.n_terms > 0 ? terms[turn.term].coefficient * reader_.own()[feature] : own_[turn.term];
        const bool goes = goes_left(sum.replace(turn.term, own), node.threshold, node.missing_left);
        if (goes == left) continue;
        const Moment moment{turn.time, feature};
        waiting_.push_back({node.left + (left ? 0 : 1), span.begin, moment});
        span.begin = moment;
        left = goes;
    }
    return left;
}

}  // namespace silvan
