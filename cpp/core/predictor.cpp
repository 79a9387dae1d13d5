// Prediction: a block of rows goes down a tree together, divided at each node as in growing.
//
// All rows of a block at a node share its direction, so that they are projected by the same vector kernel
// that grew the tree: a training row can never be rounded to another side. Walking each row by itself takes
// longer once a tree has fewer nodes than the block has rows.
#include "core/predictor.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "core/split_kernels.hpp"
#include "core/votes.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kBlockBytes = 1 << 19;  // features of a block: half of a usual second-level cache
constexpr std::int64_t kMinBlock = 16;
constexpr std::int64_t kMaxBlock = 4096;
constexpr std::int64_t kWalkSingly = 8;  // up to so many rows walk the rest of the way one by one

// Takes blocks of rows down trees; holds the scratch memory of one thread.
class Descent {
public:
    Descent(const FeatureMatrix& block, const ForestView& forest, const SplitKernels& kernels)
        : columns_(forest.columns->read_block(block, kernels)),
          values_(static_cast<std::size_t>(block.n_samples + kLane)),
          right_(static_cast<std::size_t>(block.n_samples)) {}

    // Calls arrive(node, rows, n) with the rows, counted from the block's first, that end in each leaf reached.
    // `rows` is reordered.
    template <typename Arrive>
    void run(const TreeView& tree, std::vector<std::uint32_t>& rows, const Arrive& arrive) {
        open_.clear();
        if (!rows.empty()) open_.push_back({0, 0, static_cast<std::int64_t>(rows.size())});
        while (!open_.empty()) {
            const Group group = open_.back();
            open_.pop_back();
            std::uint32_t* first = rows.data() + group.begin;
            const std::int64_t n = group.end - group.begin;
            throw_if_stopped(n);
            if (tree.left[group.node] < 0) {
                arrive(group.node, first, n);
            } else if (n <= kWalkSingly) {
                for (std::int64_t i = 0; i < n; ++i) {
                    arrive(columns_->walk(tree, group.node, first[i]), first + i, std::int64_t{1});
                }
            } else {
                divide(tree, group, first, n);
            }
        }
    }

private:
    struct Group {
        std::int32_t node;
        std::int64_t begin, end;
    };

    void divide(const TreeView& tree, const Group& group, std::uint32_t* rows, std::int64_t n) {
        const Direction direction = tree.direction(group.node);
        throw_if_stopped(n * direction.n_nonzeros);
        columns_->project(direction, rows, n, values_.data());
        const float threshold = tree.threshold[group.node];
        const bool missing_left = tree.missing_left[group.node] != 0;
        const std::int64_t n_left = partition_rows(rows, right_.data(), values_.data(), n, threshold, missing_left);
        const std::int32_t left = tree.left[group.node];
        if (n_left < n) open_.push_back({left + 1, group.begin + n_left, group.end});
        if (n_left > 0) open_.push_back({left, group.begin, group.begin + n_left});
    }

    const std::unique_ptr<BlockColumns> columns_;
    std::vector<float> values_;
    std::vector<std::uint32_t> right_;
    std::vector<Group> open_;
};

FeatureMatrix take_block(const FeatureMatrix& features, std::int64_t first, std::int64_t last) {
    FeatureMatrix block = features;
    block.data = static_cast<const char*>(features.data) + first * features.row_stride * bytes_of(features.type);
    block.n_samples = last - first;
    return block;
}

void add_vote(const ForestView& forest, std::int64_t leaf, Voting voting, double* sums) {
    const std::int64_t begin = forest.value_indptr[leaf];
    const std::int64_t end = forest.value_indptr[leaf + 1];
    if (voting == Voting::soft) {
        for (std::int64_t k = begin; k < end; ++k) sums[forest.value_outputs[k]] += forest.values[k];
        return;
    }
    cast_vote(forest.values + begin, end - begin, [&](std::int64_t k, double share) {
        sums[forest.value_outputs[begin + k]] += share;
    });
}

template <typename Work>
void for_row_blocks(const ForestView& forest, const FeatureMatrix& features, const ThreadTeam& team,
                    const Work& work) {
    const std::int64_t row_bytes = features.n_features * bytes_of(features.type) + forest.columns->bytes_per_row();
    const std::int64_t share = (features.n_samples + team.n_threads() - 1) / team.n_threads();
    const std::int64_t cached = std::clamp(kBlockBytes / std::max<std::int64_t>(row_bytes, 1), kMinBlock, kMaxBlock);
    team.for_blocks(features.n_samples, std::max<std::int64_t>(1, std::min(share, cached)), work);
}

// For each row a bit per tree: whether the tree drew the row.
class InBag {
public:
    InBag(const RowDraws& draws, std::uint64_t seed, std::int64_t n_trees, const ThreadTeam& team)
        : n_rows_(static_cast<std::size_t>(draws.n_samples)),
          drawn_(static_cast<std::size_t>(n_trees), std::vector<bool>(n_rows_)) {
        team.for_blocks(n_trees, 1, [&](std::int64_t tree, std::int64_t) {
            std::vector<std::int32_t> multiplicity(n_rows_);
            draw_rows(draws, seed, static_cast<std::uint64_t>(tree), multiplicity.data());
            std::vector<bool>& drawn = drawn_[static_cast<std::size_t>(tree)];
            for (std::size_t i = 0; i < n_rows_; ++i) drawn[i] = multiplicity[i] != 0;
        });
    }

    bool contains(std::int64_t tree, std::int64_t row) const {
        return drawn_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(row)];
    }

private:
    std::size_t n_rows_;
    std::vector<std::vector<bool>> drawn_;
};

// Adds a tree's votes for some rows of a block; sums starts at the block's first row.
void vote(const ForestView& forest, std::int64_t tree, Voting voting, Descent& descent,
          std::vector<std::uint32_t>& rows, double* sums) {
    const TreeView view(forest, tree);
    descent.run(view, rows, [&](std::int32_t node, const std::uint32_t* arrived, std::int64_t n) {
        const std::int64_t leaf = forest.leaf_offsets[tree] - 1 - view.left[node];
        for (std::int64_t i = 0; i < n; ++i) add_vote(forest, leaf, voting, sums + arrived[i] * forest.n_outputs);
    });
}

}  // namespace

void apply_forest(const ForestView& forest, const FeatureMatrix& features, const ThreadTeam& team,
                  std::int32_t* nodes) {
    for_row_blocks(forest, features, team, [&](std::int64_t first, std::int64_t last) {
        Descent descent(take_block(features, first, last), forest, best_kernels());
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(last - first));
        for (std::int64_t t = 0; t < forest.n_trees; ++t) {
            std::iota(rows.begin(), rows.end(), 0U);
            descent.run(TreeView(forest, t), rows, [&](std::int32_t node, const std::uint32_t* arrived, std::int64_t n) {
                for (std::int64_t i = 0; i < n; ++i) nodes[(first + arrived[i]) * forest.n_trees + t] = node;
            });
        }
    });
}

void sum_votes(const ForestView& forest, const FeatureMatrix& features, Voting voting, const ThreadTeam& team,
               double* sums) {
    for_row_blocks(forest, features, team, [&](std::int64_t first, std::int64_t last) {
        Descent descent(take_block(features, first, last), forest, best_kernels());
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(last - first));
        for (std::int64_t t = 0; t < forest.n_trees; ++t) {
            std::iota(rows.begin(), rows.end(), 0U);
            vote(forest, t, voting, descent, rows, sums + first * forest.n_outputs);
        }
    });
}

void sum_out_of_bag_votes(const ForestView& forest, const FeatureMatrix& features, Voting voting,
                          const TreeDraws& draws, const ThreadTeam& team, const OutOfBagVotes& votes) {
    const InBag in_bag(draws.rows, draws.seed, forest.n_trees, team);
    for_row_blocks(forest, features, team, [&](std::int64_t first, std::int64_t last) {
        Descent descent(take_block(features, first, last), forest, best_kernels());
        std::vector<std::uint32_t> rows;
        for (std::int64_t t = 0; t < forest.n_trees; ++t) {
            rows.clear();
            for (std::int64_t i = first; i < last; ++i) {
                if (in_bag.contains(t, i)) continue;
                rows.push_back(static_cast<std::uint32_t>(i - first));
                ++votes.counts[i];
            }
            vote(forest, t, voting, descent, rows, votes.sums + first * forest.n_outputs);
        }
    });
}

}  // namespace silvan
