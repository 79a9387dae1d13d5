// The rounds of Booster.
#include "core/boosting/booster.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "core/random.hpp"
#include "core/require.hpp"
#include "core/sample_draws.hpp"

namespace silvan {
namespace {

void check_options(const BoostOptions& options, const ProjectionDistribution* distribution,
                   const TrainingSet& training) {
    require(options.kernels != nullptr, "options need kernels");
    require(options.use_features || options.n_directions > 0, "the pool needs features or directions");
    require(options.n_directions == 0 || distribution != nullptr, "directions need a distribution");
    require(options.n_directions >= 0 && options.redraw_every >= 1, "n_directions and redraw_every are too small");
    require(options.max_bins >= 2 && options.max_bins < kMaxCodes, "max_bins must be from 2 to 255");
    require(options.max_leaf_nodes == 0 || options.max_leaf_nodes >= 2, "max_leaf_nodes must be 0 or at least 2");
    require(options.l1 >= 0.0 && options.l2 >= 0.0, "l1 and l2 must not be negative");
    require(options.subsample > 0.0 && options.subsample <= 1.0, "subsample must be in (0, 1]");
    require(options.colsample > 0.0 && options.colsample <= 1.0, "colsample must be in (0, 1]");
    const auto n_features = static_cast<std::size_t>(training.columns->n_features());
    const bool constrained = !options.monotone.empty() || !options.interaction_groups.empty();
    require(!constrained || options.n_directions == 0, "constraints need columns that are single features");
    require(options.monotone.empty() || options.monotone.size() == n_features, "monotone needs one entry per feature");
    require(options.monotone.empty() || !options.vector_leaves, "monotone constraints need one tree per output");
    for (std::size_t j = 0; j < options.monotone.size(); ++j) {
        const auto feature = static_cast<std::int32_t>(j);
        constexpr float kOne = 1.0F;
        require(options.monotone[j] >= -1 && options.monotone[j] <= 1, "monotone must be -1, 0 or 1");
        require(options.monotone[j] == 0 || !training.columns->is_learnt({&feature, &kOne, 1}),
                "monotone constraints need features that are numbers");
    }
    for (const auto& group : options.interaction_groups) {
        for (const std::int32_t feature : group) {
            require(feature >= 0 && static_cast<std::size_t>(feature) < n_features,
                    "interaction groups must have numbers of features");
        }
    }
}

BoostOptions checked(BoostOptions options, const ProjectionDistribution* distribution, const TrainingSet& training) {
    check_options(options, distribution, training);
    // Without a sign there is no constraint.
    if (std::all_of(options.monotone.begin(), options.monotone.end(), [](auto sign) { return sign == 0; })) {
        options.monotone.clear();
    }
    return options;
}

}  // namespace

Booster::Booster(const TrainingSet& training, const ProjectionDistribution* distribution, BoostOptions options)
    : training_(training),
      options_(checked(std::move(options), distribution, training)),
      pool_(training, distribution, options_) {}

void Booster::grow_round(std::int64_t round, const RoundGradients& gradients, double* scores, const ThreadTeam& team) {
    require(gradients.n_samples == n_samples(), "gradients need one row per sample");
    require(n_outputs_ == 0 || gradients.n_outputs == n_outputs_, "the number of outputs must not change");
    n_outputs_ = gradients.n_outputs;
    SharedLoops::run(team, [&](SharedLoops& loops) {
        draw_columns(round, gradients, loops);
        draw_samples_of(round);
        grow_trees(round, gradients, scores, loops);
    });
    first_value_ = forest_.values.size();
    for (const TreeArrays& arrays : arrays_) forest_.append(arrays);
    taken_ = false;
}

void Booster::draw_columns(std::int64_t round, const RoundGradients& gradients, SharedLoops& loops) {
    if (!binned_) pool_.bin_features(loops);
    binned_ = true;
    const std::int64_t draw = round / options_.redraw_every;
    if (draw == drawn_) return;
    pool_.redraw(draw, gradients.gradient, gradients.n_outputs, loops);
    drawn_ = draw;
}

void Booster::draw_samples_of(std::int64_t round) {
    inside_.clear();
    outside_.clear();
    if (options_.subsample >= 1.0) return;
    const std::int64_t n = n_samples();
    SampleDraws draws;
    draws.order = training_.samples.order;
    draws.n_samples = n;
    draws.n_draws = std::max<std::int64_t>(1, std::llround(options_.subsample * static_cast<double>(n)));
    draws.replace = false;
    Buffer<std::int32_t> times;
    times.resize(static_cast<std::size_t>(n));
    draw_samples(draws, options_.seed, static_cast<std::uint64_t>(round), times.data());
    for (std::int64_t i = 0; i < n; ++i) {
        (times[static_cast<std::size_t>(i)] > 0 ? inside_ : outside_).push_back(static_cast<std::uint32_t>(i));
    }
}

// Whole trees go to threads as long as every thread has one; the threads share the last ones.
void Booster::grow_trees(std::int64_t round, const RoundGradients& gradients, double* scores, SharedLoops& loops) {
    const std::int64_t n_trees = options_.vector_leaves ? 1 : gradients.n_outputs;
    trees_.resize(static_cast<std::size_t>(n_trees));
    arrays_.resize(static_cast<std::size_t>(n_trees));
    const std::int64_t n_threads = loops.n_threads();
    const std::int64_t n_alone = n_threads == 1 ? 0 : n_trees - n_trees % n_threads;
    while (static_cast<std::int64_t>(slots_.size()) < (n_alone > 0 ? n_threads : 1))
        slots_.emplace_back(pool_, options_);
    loops.for_each(n_alone, [&](std::int64_t tree, std::int64_t thread) {
        SharedLoops alone;
        grow_tree(round, static_cast<std::size_t>(tree), gradients, scores, slots_[static_cast<std::size_t>(thread)],
                  alone);
    });
    for (std::int64_t tree = n_alone; tree < n_trees; ++tree) {
        grow_tree(round, static_cast<std::size_t>(tree), gradients, scores, slots_.front(), loops);
    }
}

void Booster::grow_tree(std::int64_t round, std::size_t tree, const RoundGradients& gradients, double* scores,
                        Slot& slot, SharedLoops& loops) {
    GrownTree& grown = trees_[tree];
    grown.first_output = static_cast<std::int64_t>(tree);
    grown.n_outputs = options_.vector_leaves ? gradients.n_outputs : 1;
    slot.outputs.resize(static_cast<std::size_t>(grown.n_outputs));
    TreeTask task;
    for (std::size_t k = 0; k < slot.outputs.size(); ++k) {
        slot.outputs[k].round(gradients, grown.first_output + static_cast<std::int64_t>(k), loops);
        task.outputs.push_back(&slot.outputs[k]);
    }
    if (options_.subsample < 1.0) task.samples = &inside_;
    const auto number = static_cast<std::uint64_t>(round * gradients.n_outputs) + tree;
    task.key = stream_key(options_.seed, number, Purpose::boosted_tree);
    slot.grower.grow(task, loops);
    grown.nodes = slot.grower.nodes();
    arrays_[tree] = value_leaves(slot.outputs, pool_, options_, slot.grower.samples(), grown, loops);
    if (scores == nullptr) return;
    add_by_leaf(grown, slot.grower.samples(), n_samples(), gradients.n_outputs, scores, loops);
    add_by_route(grown, pool_, outside_, gradients.n_outputs, scores, loops);
}

std::int64_t Booster::n_leaves() const {
    std::int64_t n = 0;
    for (const GrownTree& tree : trees_) n += tree.n_leaves;
    return n;
}

std::vector<std::int32_t> Booster::leaves(const ThreadTeam& team) const {
    const auto n_trees = static_cast<std::int64_t>(trees_.size());
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(n_samples() * n_trees));
    constexpr std::int64_t kBlock = 4096;
    std::vector<CodedRouter> routers;
    routers.reserve(trees_.size());
    for (const GrownTree& tree : trees_) routers.emplace_back(tree.nodes, pool_);
    team.for_blocks(n_samples(), kBlock, [&](std::int64_t first, std::int64_t last) {
        std::int32_t before = 0;
        for (std::int64_t t = 0; t < n_trees; ++t) {
            const GrownTree& tree = trees_[static_cast<std::size_t>(t)];
            for (std::int64_t i = first; i < last; ++i) {
                const std::size_t node = routers[static_cast<std::size_t>(t)].leaf_of(i);
                numbers[static_cast<std::size_t>(i * n_trees + t)] = before + tree.leaf_of_node[node];
            }
            before += static_cast<std::int32_t>(tree.n_leaves);
        }
    });
    return numbers;
}

void Booster::set_values(const double* values, double* scores, const ThreadTeam& team) {
    require(!taken_, "values must be set before the trees are taken");
    const std::size_t n = static_cast<std::size_t>(n_leaves() * n_leaf_values());
    std::copy_n(values, n, forest_.values.data() + first_value_);
    for (GrownTree& tree : trees_) {
        tree.values.assign(values, values + tree.n_leaves * tree.n_outputs);
        values += tree.n_leaves * tree.n_outputs;
    }
    Buffer<std::uint32_t> all;
    all.resize(static_cast<std::size_t>(n_samples()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    SharedLoops::run(team, [&](SharedLoops& loops) {
        for (const GrownTree& tree : trees_) add_by_route(tree, pool_, all, n_outputs_, scores, loops);
    });
}

ForestArrays Booster::take_trees() {
    taken_ = true;
    return std::exchange(forest_, ForestArrays());
}

}  // namespace silvan
