// Takes all hybrids of two samples down a tree.
#include "core/explaining/exact_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stopping.hpp"

namespace silvan {

ShapleyWeights::ShapleyWeights(std::int64_t n_players)
    : table_(kTable * kTable), log_factorials_(static_cast<std::size_t>(n_players) + kTable) {
    for (std::size_t k = 1; k < log_factorials_.size(); ++k) {
        log_factorials_[k] = log_factorials_[k - 1] + std::log(static_cast<double>(k));
    }
    for (std::size_t p = 1; p < kTable; ++p) {
        double weight = 1.0 / static_cast<double>(p);
        for (std::size_t n = 0; n < kTable; ++n) {
            table_[p * kTable + n] = weight;
            weight *= static_cast<double>(n + 1) / static_cast<double>(p + n + 1);
        }
    }
}

double ShapleyWeights::operator()(std::size_t p, std::size_t n) const {
    if (p < kTable && n < kTable) return table_[p * kTable + n];
    return std::exp(log_factorials_[p - 1] + log_factorials_[n] - log_factorials_[p + n]);
}

ExactWalk::ExactWalk(const ForestView& forest, PairReader& reader)
    : forest_(forest),
      reader_(reader),
      weights_(forest.n_features),
      tree_(forest, 0),
      from_(static_cast<std::size_t>(forest.n_features), From::either),
      asked_(static_cast<std::size_t>(forest.n_features)) {}

// Where numbers are too large to be added, only the values of single hybrids are known.
bool ExactWalk::Bounds::agree(float threshold) const {
    if (open < 0) return true;
    if (missing || !std::isfinite(low) || !std::isfinite(high)) return false;
    return low > threshold || high <= threshold;
}

// Rounded sums rise with each of their terms, so that the bounds are values of hybrids and hold for all of them.
ExactWalk::Bounds ExactWalk::measure(std::span<const PairTerm> terms) const {
    Bounds bounds;
    float widest = -1.0F;
    for (const PairTerm& term : terms) {
        const From from = from_[static_cast<std::size_t>(term.feature)];
        if (from != From::either || term.is_same()) {
            const float value = from == From::other ? term.other : term.own;
            bounds.low += value;
            bounds.high += value;
            continue;
        }
        bounds.low += std::min(term.own, term.other);
        bounds.high += std::max(term.own, term.other);
        const bool missing = term.may_be_missing();
        bounds.missing |= missing;
        const float width = missing ? std::numeric_limits<float>::infinity() : std::abs(term.own - term.other);
        if (width > widest) {
            widest = width;
            bounds.open = term.feature;
        }
    }
    return bounds;
}

bool ExactWalk::asks_at_most(std::int64_t tree, std::int64_t limit) {
    tree_ = TreeView(forest_, tree);
    if (++round_ == 0) {
        std::fill(asked_.begin(), asked_.end(), 0U);
        round_ = 1;
    }
    std::int64_t n_asked = 0;
    open_nodes_.assign(1, 0);
    while (!open_nodes_.empty()) {
        const std::int32_t node = open_nodes_.back();
        open_nodes_.pop_back();
        const std::int32_t left = tree_.left[node];
        if (left < 0) continue;
        const std::span<const PairTerm> terms = reader_.read(tree_.direction(node));
        throw_if_stopped(2 * static_cast<std::int64_t>(terms.size()) + 4);
        const Bounds bounds = measure(terms);
        if (bounds.agree(tree_.threshold[node])) {
            open_nodes_.push_back(
                goes_left(bounds.low, tree_.threshold[node], tree_.missing_left[node] != 0) ? left : left + 1);
            continue;
        }
        for (const PairTerm& term : terms) {
            std::uint32_t& asked = asked_[static_cast<std::size_t>(term.feature)];
            if (term.is_same() || asked == round_) continue;
            asked = round_;
            if (++n_asked > limit) return false;
        }
        open_nodes_.push_back(left);
        open_nodes_.push_back(left + 1);
    }
    return true;
}

void ExactWalk::run(std::int64_t tree, Credit& credit) {
    tree_ = TreeView(forest_, tree);
    first_leaf_ = forest_.leaf_offsets[tree];
    credit_ = &credit;
    follow(0);
}

void ExactWalk::follow(std::int32_t node) {
    while (tree_.left[node] >= 0) {
        const std::span<const PairTerm> terms = reader_.read(tree_.direction(node));
        throw_if_stopped(2 * static_cast<std::int64_t>(terms.size()) + 4);
        const Bounds bounds = measure(terms);
        if (!bounds.agree(tree_.threshold[node])) {
            follow_with(node, bounds.open, From::own);
            follow_with(node, bounds.open, From::other);
            return;
        }
        const bool left = goes_left(bounds.low, tree_.threshold[node], tree_.missing_left[node] != 0);
        node = left ? tree_.left[node] : tree_.left[node] + 1;
    }
    arrive(-1 - tree_.left[node]);
}

void ExactWalk::follow_with(std::int32_t node, std::int32_t feature, From from) {
    from_[static_cast<std::size_t>(feature)] = from;
    settled_.push_back(feature);
    if (from == From::own) ++n_own_;
    follow(node);
    if (from == From::own) --n_own_;
    settled_.pop_back();
    from_[static_cast<std::size_t>(feature)] = From::either;
}

void ExactWalk::arrive(std::int32_t leaf) {
    const std::size_t n_other = settled_.size() - n_own_;
    const double own = n_own_ > 0 ? weights_(n_own_, n_other) : 0.0;
    const double other = n_other > 0 ? -weights_(n_other, n_own_) : 0.0;
    const LeafValues values(forest_, first_leaf_ + leaf);
    for (const std::int32_t feature : settled_) {
        credit_->add(feature, values, from_[static_cast<std::size_t>(feature)] == From::own ? own : other);
    }
}

}  // namespace silvan
