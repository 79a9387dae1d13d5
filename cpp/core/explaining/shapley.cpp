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
#include "core/random.hpp"
#include "core/require.hpp"

namespace silvan {
namespace {

// Explains samples one after the other; each thread has its own.
class Explainer {
public:
    Explainer(const ForestView& forest, const FeatureMatrix& samples, const FeatureMatrix& background,
              const ShapleyOptions& options)
        : forest_(forest),
          options_(options),
          n_background_(background.n_samples),
          reader_(forest, samples, background),
          exact_(forest, reader_),
          sampled_(forest, reader_),
          total_(forest.n_features, forest.n_outputs),
          replicate_(forest.n_features, forest.n_outputs),
          sum_(forest.n_features, forest.n_outputs),
          squares_(forest.n_features, forest.n_outputs),
          variance_(forest.n_features, forest.n_outputs) {
        for (std::int64_t tree = 0; tree < forest.n_trees; ++tree)
            single_features_.push_back(has_single_features(tree));
    }

    void explain(std::int64_t sample, double* values, double* variances) {
        total_.clear();
        variance_.clear();
        reader_.choose_sample(sample);
        const std::uint64_t key = combine_keys(options_.seed, static_cast<std::uint64_t>(sample));
        for (std::int64_t tree = 0; tree < forest_.n_trees; ++tree) {
            for (std::int64_t other = 0; other < n_background_; ++other) {
                reader_.choose_background(other);
                if (single_features_[static_cast<std::size_t>(tree)] ||
                    exact_.asks_at_most(tree, options_.max_exact_features)) {
                    exact_.run(tree, total_);
                } else {
                    sample_orders(tree, combine_keys(key, static_cast<std::uint64_t>(tree * n_background_ + other)));
                }
            }
        }
        const auto n = static_cast<double>(n_background_);
        write(total_, 1.0 / n, values);
        write(variance_, 1.0 / (n * n), variances);
    }

private:
    bool has_single_features(std::int64_t tree) const {
        const TreeView nodes(forest_, tree);
        const std::int64_t n_nodes = forest_.tree_offsets[tree + 1] - forest_.tree_offsets[tree];
        for (std::int32_t node = 0; node < n_nodes; ++node) {
            if (nodes.left[node] >= 0 && !reader_.reads_one_feature(nodes.direction(node))) return false;
        }
        return true;
    }

    void sample_orders(std::int64_t tree, std::uint64_t key) {
        for (std::int64_t k = 0; k < options_.n_permutations; ++k) {
            const std::uint64_t order = combine_keys(key, static_cast<std::uint64_t>(k));
            for (const bool backwards : {false, true}) sampled_.run(tree, {order, backwards}, 0.5, replicate_);
            for (const std::int32_t feature : replicate_.features()) {
                sum_.touch(feature);
                squares_.touch(feature);
                for (std::size_t o = 0; o < replicate_.n_outputs(); ++o) {
                    const double value = replicate_.at(feature)[o];
                    sum_.at(feature)[o] += value;
                    squares_.at(feature)[o] += value * value;
                }
            }
            replicate_.clear();
        }
        const auto n = static_cast<double>(options_.n_permutations);
        for (const std::int32_t feature : sum_.features()) {
            total_.touch(feature);
            variance_.touch(feature);
            for (std::size_t o = 0; o < sum_.n_outputs(); ++o) {
                const double mean = sum_.at(feature)[o] / n;
                const double spread = squares_.at(feature)[o] / n - mean * mean;
                total_.at(feature)[o] += mean;
                variance_.at(feature)[o] += std::max(spread, 0.0) / (n - 1.0);
            }
        }
        sum_.clear();
        squares_.clear();
    }

    static void write(Credit& credit, double factor, double* to) {
        for (const std::int32_t feature : credit.features()) {
            for (std::size_t o = 0; o < credit.n_outputs(); ++o) {
                to[static_cast<std::size_t>(feature) * credit.n_outputs() + o] = factor * credit.at(feature)[o];
            }
        }
    }

    const ForestView& forest_;
    const ShapleyOptions& options_;
    const std::int64_t n_background_;
    PairReader reader_;
    ExactWalk exact_;
    SampledWalk sampled_;
    Credit total_;
    Credit replicate_;  // of one order, forwards and backwards
    Credit sum_;        // over the orders of a tree and a background sample
    Credit squares_;
    Credit variance_;
    std::vector<bool> single_features_;  // whether the directions of a tree are single features
};

}  // namespace

void sum_shapley_values(const ForestView& forest, const FeatureMatrix& samples, const FeatureMatrix& background,
                        const ShapleyOptions& options, const ThreadTeam& team, const ShapleySums& sums) {
    require(options.n_permutations >= 2, "there must be two orders to tell how far they differ");
    require(background.n_samples >= 1, "there must be a background sample");
    const std::int64_t size = forest.n_features * forest.n_outputs;
    std::atomic<std::int64_t> next{0};
    team.run(samples.n_samples, [&] {
        Explainer explainer(forest, samples, background, options);
        for (std::int64_t i = next++; i < samples.n_samples; i = next++) {
            throw_if_stopped();
            explainer.explain(i, sums.values + i * size, sums.variances + i * size);
        }
    });
}

}  // namespace silvan
