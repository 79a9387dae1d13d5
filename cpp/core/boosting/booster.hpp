// Gradient boosting along the columns of a pool: each round fits a tree to every output's gradients.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/boosting/coded_tree_grower.hpp"
#include "core/boosting/column_pool.hpp"
#include "core/boosting/gradients.hpp"
#include "core/boosting/leaf_values.hpp"
#include "core/boosting/options.hpp"
#include "core/forest.hpp"
#include "core/thread_team.hpp"

namespace silvan {

class Booster {
public:
    // Training set and distribution must outlive the booster; no distribution is needed where options ask for no
    // directions. Throws std::invalid_argument where options contradict each other or the data.
    Booster(const TrainingSet& training, const ProjectionDistribution* distribution, BoostOptions options);

    std::int64_t n_samples() const { return pool_.n_samples(); }
    // 0 before the first round.
    std::int64_t n_outputs() const { return n_outputs_; }

    // Grows the trees of round number `round` (0, 1, ...) and adds their values to `scores`, which has a row for each
    // sample and a column for each output, unless it is nullptr. What is drawn depends on seed and round alone.
    void grow_round(std::int64_t round, const RoundGradients& gradients, double* scores, const ThreadTeam& team);

    // Of the last round: its trees, the leaves of all of them, and the values in each.
    std::int64_t n_trees() const { return static_cast<std::int64_t>(trees_.size()); }
    std::int64_t n_leaves() const;
    std::int64_t n_leaf_values() const { return trees_.empty() ? 0 : trees_.front().n_outputs; }

    // Samples that the last round's trees were not grown on, ascending.
    const Buffer<std::uint32_t>& outside() const { return outside_; }

    // Per sample and tree the leaf, counted through all trees of the last round.
    std::vector<std::int32_t> leaves(const ThreadTeam& team) const;

    // Replaces the values of the last round's leaves (n_leaves x n_leaf_values), and adds them to `scores`: for losses
    // whose leaf values are no Newton steps. Throws std::invalid_argument if the round's trees were taken.
    void set_values(const double* values, double* scores, const ThreadTeam& team);

    // The trees of the rounds since the last call.
    ForestArrays take_trees();

private:
    // Memory of a tree that grows while others do.
    struct Slot {
        Slot(const ColumnPool& pool, const BoostOptions& options) : grower(pool, options) {}
        CodedTreeGrower grower;
        std::vector<WholeGradients> outputs;
    };

    void draw_samples_of(std::int64_t round);
    void draw_columns(std::int64_t round, const RoundGradients& gradients, SharedLoops& loops);
    void grow_trees(std::int64_t round, const RoundGradients& gradients, double* scores, SharedLoops& loops);
    void grow_tree(std::int64_t round, std::size_t tree, const RoundGradients& gradients, double* scores, Slot& slot,
                   SharedLoops& loops);

    const TrainingSet& training_;
    BoostOptions options_;
    ColumnPool pool_;
    bool binned_ = false;
    std::int64_t drawn_ = -1;  // number of the draw that the pool has
    std::int64_t n_outputs_ = 0;
    Buffer<std::uint32_t> inside_;  // samples that the round grows on, where not all
    Buffer<std::uint32_t> outside_;
    std::deque<Slot> slots_;
    std::vector<GrownTree> trees_;
    std::vector<TreeArrays> arrays_;
    ForestArrays forest_;
    std::size_t first_value_ = 0;  // of the last round in the forest
    bool taken_ = true;
};

}  // namespace silvan
