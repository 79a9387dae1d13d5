// Prediction: blocks of samples go down the trees, one tree after the other, and votes are added where they end.
#include "core/predictor.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/columns/sparse_features.hpp"
#include "core/descent.hpp"
#include "core/split_kernels.hpp"
#include "core/votes.hpp"

namespace silvan {
namespace {

// Features of a block: half of a usual second-level cache, or several times a tree where trees are large, since each
// block reads all of them again. 100,000 samples go down 100 trees of 520 kB in .36 s with blocks of 2 MB, in .77 s
// with blocks of 512 kB; down small trees of MNIST in .28 and .23 s.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 19;
constexpr std::int64_t kLargeBlockBytes = std::int64_t{1} << 21;
constexpr std::int64_t kBlockPerTree = 6;
// Other columns of a block, of which a tree reads little: more samples at a node are worth more than a cache. Windows
// on eight channels of MNIST go down 100 trees in .66 s with 400 samples in a block, in 1.25 s with 26.
constexpr std::int64_t kColumnBytes = 1 << 23;
constexpr std::int64_t kMinBlock = 16;
constexpr std::int64_t kMaxBlock = 16384;
constexpr std::int64_t kFewSamples = 16;  // so few go down several trees at a time

FeatureMatrix take_block(const FeatureMatrix& features, std::int64_t first, std::int64_t last) {
    FeatureMatrix block = features;
    block.data = static_cast<const char*>(features.data) + first * features.row_stride * bytes_of(features.type);
    block.n_samples = last - first;
    return block;
}

void add_vote(const PackedForest& forest, const Walker& walker, Voting voting, double* sums) {
    const PackedLeaf& leaf = forest.leaf(walker.leaf, walker.tree);
    if (leaf.n_values == 1) {
        sums[leaf.output] += voting == Voting::soft ? leaf.value : 1.0;
        return;
    }
    const std::int32_t* outputs = forest.view().value_outputs + leaf.values;
    const double* values = forest.view().values + leaf.values;
    if (voting == Voting::soft) {
        for (std::int64_t k = 0; k < leaf.n_values; ++k) sums[outputs[k]] += values[k];
        return;
    }
    cast_vote(values, leaf.n_values, [&](std::int64_t k, double share) { sums[outputs[k]] += share; });
}

template <typename Work>
void for_sample_blocks(const PackedForest& forest, const FeatureMatrix& features, const ThreadTeam& team,
                       const Work& work) {
    const std::int64_t column_bytes = forest.view().columns->bytes_per_sample(features.type);
    const std::int64_t share = (features.n_samples + team.n_threads() - 1) / team.n_threads();
    const std::int64_t per_tree = kBlockPerTree * forest.bytes() / std::max<std::int64_t>(1, forest.view().n_trees);
    const std::int64_t fitting = column_bytes > 0 ? kColumnBytes / column_bytes
                                                  : std::clamp(per_tree, kBlockBytes, kLargeBlockBytes) /
                                                        (features.n_features * bytes_of(features.type));
    const std::int64_t size = std::min(share, std::clamp(fitting, kMinBlock, kMaxBlock));
    DenseBlocks dense;
    team.for_blocks(features.n_samples, std::max<std::int64_t>(1, size), [&](std::int64_t first, std::int64_t last) {
        if (features.sparse == nullptr) {
            work(first, last, take_block(features, first, last));
            return;
        }
        dense.use([&](DenseBlock& block) { work(first, last, block.fill(*features.sparse, first, last)); });
    });
}

// For each sample a bit per tree: whether the tree drew the sample.
class InBag {
public:
    InBag(const SampleDraws& draws, std::uint64_t seed, std::int64_t n_trees, const ThreadTeam& team)
        : n_samples_(static_cast<std::size_t>(draws.n_samples)),
          drawn_(static_cast<std::size_t>(n_trees), std::vector<bool>(n_samples_)) {
        team.for_blocks(n_trees, 1, [&](std::int64_t tree, std::int64_t) {
            std::vector<std::int32_t> multiplicity(n_samples_);
            draw_samples(draws, seed, static_cast<std::uint64_t>(tree), multiplicity.data());
            std::vector<bool>& drawn = drawn_[static_cast<std::size_t>(tree)];
            for (std::size_t i = 0; i < n_samples_; ++i) drawn[i] = multiplicity[i] != 0;
        });
    }

    bool contains(std::int64_t tree, std::int64_t sample) const {
        return drawn_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(sample)];
    }

private:
    std::size_t n_samples_;
    std::vector<std::vector<bool>> drawn_;
};

// Adds a tree's votes for some samples of a block; sums starts at the block's first sample.
void vote(const PackedForest& forest, std::int64_t tree, Voting voting, Descent& descent,
          std::vector<std::uint32_t>& samples, double* sums) {
    for (const Walker& walker : descent.run(tree, samples)) {
        add_vote(forest, walker, voting, sums + walker.sample * forest.view().n_outputs);
    }
}

// The same of all trees for a few samples. Votes are added in the order of the trees, so that sums do not depend on the
// size of a block.
void vote_sample_by_sample(const PackedForest& forest, Voting voting, TreeRange trees, Descent& descent,
                           std::int64_t n_samples, double* sums) {
    std::vector<Walker> by_tree(static_cast<std::size_t>(trees.last - trees.first));
    for (std::int64_t sample = 0; sample < n_samples; ++sample) {
        for (const Walker& walker : descent.run_sample(static_cast<std::uint32_t>(sample), trees.first, trees.last))
            by_tree[static_cast<std::size_t>(walker.tree - trees.first)] = walker;
        for (const Walker& walker : by_tree) add_vote(forest, walker, voting, sums + sample * forest.view().n_outputs);
    }
}

}  // namespace

void apply_forest(const PackedForest& forest, const FeatureMatrix& features, const ThreadTeam& team,
                  std::int32_t* nodes) {
    const std::int64_t n_trees = forest.view().n_trees;
    for_sample_blocks(forest, features, team, [&](std::int64_t first, std::int64_t last, const FeatureMatrix& block) {
        Descent descent(block, forest, best_kernels());
        std::vector<std::uint32_t> samples(static_cast<std::size_t>(last - first));
        for (std::int64_t t = 0; t < n_trees; ++t) {
            std::iota(samples.begin(), samples.end(), 0U);
            for (const Walker& walker : descent.run(t, samples)) {
                nodes[(first + walker.sample) * n_trees + t] = static_cast<std::int32_t>(walker.node);
            }
        }
    });
}

void sum_votes(const PackedForest& forest, const FeatureMatrix& features, Voting voting, TreeRange trees,
               const ThreadTeam& team, double* sums) {
    const ForestView& view = forest.view();
    for_sample_blocks(forest, features, team, [&](std::int64_t first, std::int64_t last, const FeatureMatrix& block) {
        Descent descent(block, forest, best_kernels());
        double* block_sums = sums + first * view.n_outputs;
        if (last - first < kFewSamples) {
            vote_sample_by_sample(forest, voting, trees, descent, last - first, block_sums);
            return;
        }
        std::vector<std::uint32_t> samples(static_cast<std::size_t>(last - first));
        for (std::int64_t t = trees.first; t < trees.last; ++t) {
            std::iota(samples.begin(), samples.end(), 0U);
            vote(forest, t, voting, descent, samples, block_sums);
        }
    });
}

void sum_out_of_bag_votes(const PackedForest& forest, const FeatureMatrix& features, Voting voting,
                          const TreeDraws& draws, const ThreadTeam& team, const OutOfBagVotes& votes) {
    const ForestView& view = forest.view();
    const InBag in_bag(draws.samples, draws.seed, view.n_trees, team);
    for_sample_blocks(forest, features, team, [&](std::int64_t first, std::int64_t last, const FeatureMatrix& block) {
        Descent descent(block, forest, best_kernels());
        std::vector<std::uint32_t> samples;
        for (std::int64_t t = 0; t < view.n_trees; ++t) {
            samples.clear();
            for (std::int64_t i = first; i < last; ++i) {
                if (in_bag.contains(t, i)) continue;
                samples.push_back(static_cast<std::uint32_t>(i - first));
                ++votes.counts[i];
            }
            vote(forest, t, voting, descent, samples, votes.sums + first * view.n_outputs);
        }
    });
}

}  // namespace silvan
