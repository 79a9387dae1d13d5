// Adds up the values of all trees and background samples.
#include "core/explaining/shapley.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "core/explaining/credit.hpp"
#include "core/explaining/exact_walk.hpp"
#include "core/explaining/sample_pair.hpp"
#include "core/explaining/sampled_walk.hpp"
#include "core/explaining/walk_forest.hpp"
#include "core/random.hpp"
#include "core/require.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kTried = 4;  // background samples that are tried before a tree is given up
// Every so many rounds one is repeated where a sample has this many of them; all are where it has fewer.
constexpr std::size_t kRepeated = 8;
constexpr std::int64_t kManyRounds = 4096;

// Explains samples one after the other; each thread has its own.
class Explainer {
public:
    Explainer(const WalkForest& forest, const FeatureMatrix& samples, const FeatureMatrix& background,
              const ShapleyOptions& options)
        : forest_(forest),
          options_(options),
          n_background_(background.n_samples),
          repeat_every_(count_rounds() >= kManyRounds ? kRepeated : 1),
          reader_(forest.view(), samples, background),
          exact_(forest.view(), reader_),
          sampled_(forest, reader_),
          total_(forest.view().n_features, forest.view().n_outputs),
          first_(forest.view().n_features, forest.view().n_outputs),
          second_(forest.view().n_features, forest.view().n_outputs),
          variance_(forest.view().n_features, forest.view().n_outputs) {}

    void explain(std::int64_t sample, double* values, double* variances) {
        total_.clear();
        variance_.clear();
        reader_.choose_sample(sample);
        const std::uint64_t key = combine_keys(options_.seed, static_cast<std::uint64_t>(sample));
        for (std::int64_t tree = 0; tree < forest_.view().n_trees; ++tree) {
            explain_exactly(tree);
            if (!others_.empty()) sample_orders(tree, combine_keys(key, static_cast<std::uint64_t>(tree)));
        }
        const auto n = static_cast<double>(n_background_);
        write(total_, 1.0 / n, values);
        write(variance_, 1.0 / (n * n), variances);
    }

private:
    std::int64_t count_rounds() const { return forest_.view().n_trees * n_background_ * options_.n_permutations / 2; }

    // Explains the tree with respect to the background samples for which that is quick; the others are left over.
    void explain_exactly(std::int64_t tree) {
        others_.clear();
        const bool few = forest_.has_single_features(tree) ||
                         static_cast<std::int64_t>(forest_.features(tree).size()) <= options_.max_exact_features;
        std::int64_t n_exact = 0;
        for (std::int64_t other = 0; other < n_background_; ++other) {
            reader_.choose_background(other);
            // To ask takes longer than to sample: where the answer is mostly no, it is no longer asked for.
            const bool hopeful = other < kTried || 2 * n_exact >= other;
            if (few || (hopeful && exact_.asks_at_most(tree, options_.max_exact_features))) {
                exact_.run(tree, total_);
                ++n_exact;
            } else {
                others_.push_back(static_cast<std::uint32_t>(other));
            }
        }
    }

    // Walks along random orders, two a round: one order forwards and backwards. Rounds are repeated with another order
    // to see how much that changes, and stand for those that are not.
    void sample_orders(std::int64_t tree, std::uint64_t key) {
        const std::size_t n_walks = others_.size() * static_cast<std::size_t>(options_.n_permutations);
        const std::size_t repeated = key % repeat_every_;
        for (std::size_t round = 0; 2 * round < n_walks; ++round) {
            if (round % repeat_every_ != repeated) {
                walk_round(tree, round, combine_keys(key, round), total_);
                continue;
            }
            walk_round(tree, round, combine_keys(key, round), first_);
            walk_round(tree, round, combine_keys(key, n_walks + round), second_);
            add_repeated();
        }
    }

    void walk_round(std::int64_t tree, std::size_t round, std::uint64_t key, Credit& credit) {
        const auto per_other = static_cast<std::size_t>(options_.n_permutations);
        for (std::size_t walk = 2 * round; walk < std::min(2 * round + 2, per_other * others_.size()); ++walk) {
            reader_.choose_background(others_[walk / per_other]);
            sampled_.run(tree, {key, walk % 2 == 1}, 1.0 / static_cast<double>(per_other), credit);
        }
    }

    // The variance of a round is half the squared difference of two, that of their mean a quarter.
    void add_repeated() {
        const double stands_for = 0.25 + 0.5 * (static_cast<double>(repeat_every_) - 1.0);
        for (const std::int32_t feature : second_.features()) first_.touch(feature);
        for (const std::int32_t feature : first_.features()) {
            total_.touch(feature);
            variance_.touch(feature);
            for (std::size_t o = 0; o < first_.n_outputs(); ++o) {
                const double difference = first_.at(feature)[o] - second_.at(feature)[o];
                total_.at(feature)[o] += 0.5 * (first_.at(feature)[o] + second_.at(feature)[o]);
                variance_.at(feature)[o] += stands_for * difference * difference;
            }
        }
        first_.clear();
        second_.clear();
    }

    static void write(Credit& credit, double factor, double* to) {
        for (const std::int32_t feature : credit.features()) {
            for (std::size_t o = 0; o < credit.n_outputs(); ++o) {
                to[static_cast<std::size_t>(feature) * credit.n_outputs() + o] = factor * credit.at(feature)[o];
            }
        }
    }

    const WalkForest& forest_;
    const ShapleyOptions& options_;
    const std::int64_t n_background_;
    const std::size_t repeat_every_;
    PairReader reader_;
    ExactWalk exact_;
    SampledWalk sampled_;
    Credit total_;
    Credit first_;  // of a round that is repeated
    Credit second_;
    Credit variance_;
    std::vector<std::uint32_t> others_;  // background samples to explain a tree with by sampling
};

}  // namespace

void sum_shapley_values(const ForestView& forest, const FeatureMatrix& samples, const FeatureMatrix& background,
                        const ShapleyOptions& options, const ThreadTeam& team, const ShapleySums& sums) {
    require(options.n_permutations >= 1, "there must be an order");
    require(background.n_samples >= 1, "there must be a background sample");
    const std::int64_t size = forest.n_features * forest.n_outputs;
    PairReader reader(forest, samples, background);
    const WalkForest walked(forest, reader);
    std::atomic<std::int64_t> next{0};
    team.run(samples.n_samples, [&] {
        Explainer explainer(walked, samples, background, options);
        for (std::int64_t i = next++; i < samples.n_samples; i = next++) {
            throw_if_stopped();
            explainer.explain(i, sums.values + i * size, sums.variances + i * size);
        }
    });
}

}  // namespace silvan
