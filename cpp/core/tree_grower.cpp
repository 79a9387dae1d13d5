// The node loop of TreeGrower.
#include "core/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/node_rules.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// Distinct samples that a tree will hardly exceed: six standard deviations above what equal draws give.
std::int64_t likely_tree_samples(const SampleDraws& samples) {
    const std::int64_t max_distinct = std::min(samples.n_samples, samples.n_draws);
    if (!samples.replace) return max_distinct;
    const auto n = static_cast<double>(samples.n_samples);
    const double likely = n * -std::expm1(-static_cast<double>(samples.n_draws) / n) + 6.0 * std::sqrt(n) + 16.0;
    return std::min(max_distinct, static_cast<std::int64_t>(likely));
}

}  // namespace

TreeGrower::TreeGrower(const TrainingSet& training, const ProjectionDistribution& distribution,
                       const GrowOptions& options)
    : training_(training),
      distribution_(distribution),
      options_(options),
      columns_(training.columns->for_thread()),
      search_(make_node_search(options.criterion, training.targets,
                               {*options_.kernels, scratch_, options_.min_samples_leaf, 0.0, options_.random_thresholds,
                                options_.monotone.empty() ? nullptr : options_.monotone.data(), &bounds_,
                                options_.min_balance, options_.agnostic})),
      small_(options_, training.targets, *columns_) {}

// Room for nodes, and for leaves that are filled from other samples.
void TreeGrower::reserve_samples(std::int64_t n_samples, std::int64_t n_leaf_samples) {
    scratch_.values.reserve_samples(n_samples);
    search_->reserve_samples(std::max(n_samples, n_leaf_samples));
}

void TreeGrower::grow(std::int64_t number, TreePart& tree, Helpers* helpers) {
    tree_ = number;
    tree.arrays.clear();
    tree.handed_over.clear();
    const std::int64_t n_likely = likely_tree_samples(training_.samples);
    reserve_samples(n_likely, n_likely);
    counts_.reserve(static_cast<std::size_t>(n_likely));
    const bool honest = is_honest(training_.samples);
    Buffer<std::uint32_t>& samples = honest ? structure_ : tree.arrays.members;
    draw_tree_samples(samples);
    samples_ = samples.data();
    counts_of_ = counts_.data();
    const auto n_samples = static_cast<std::int64_t>(samples.size());
    const EstimationRange estimates = estimation_.start();
    reserve_samples(n_samples, estimates.size());

    const auto tree_number = static_cast<std::uint64_t>(number + training_.samples.first_tree);
    Random tree_stream(stream_key(options_.seed, tree_number, Purpose::tree_sampler));
    const auto sampler = distribution_.make_sampler(tree_stream);
    tree_weight_ = 0.0;
    open_.assign(1, {0, n_samples, 0, 0, stream_key(options_.seed, tree_number, Purpose::root_node), estimates, {}});
    const NodeContext root = context_of(open_.back());
    columns_->start(root, columns_key(root.key, 0));
    sampler->prepare(root, tree_stream);
    helpers_ = nullptr;
    if (options_.max_leaf_nodes > 0) {
        grow_best_first(*sampler, tree.arrays);
        return;
    }
    // The samples that fill leaves are divided in one place.
    grow_open_nodes(*sampler, tree, honest ? nullptr : helpers);
}

void TreeGrower::grow(Subtree& subtree, Helpers* helpers) {
    tree_ = subtree.tree;
    set_tree_weight(subtree.tree_weight);
    samples_ = subtree.samples;
    counts_of_ = subtree.counts;
    estimation_.clear();
    reserve_samples(subtree.root.end - subtree.root.begin, 0);
    OpenNode root = subtree.root;
    root.node = 0;
    open_.assign(1, root);
    grow_open_nodes(*subtree.sampler, *subtree.part, helpers);
}

void TreeGrower::set_tree_weight(double weight) {
    tree_weight_ = weight;
    search_->set_min_weight_leaf(options_.min_weight_fraction_leaf * weight);
}

void TreeGrower::grow_open_nodes(ProjectionSampler& sampler, TreePart& part, Helpers* helpers) {
    helpers_ = helpers;
    const bool small = !estimation_.honest() && small_.serve(sampler);
    part.arrays.add_nodes(1);
    while (!open_.empty()) {
        const OpenNode open = open_.back();
        open_.pop_back();
        throw_if_stopped(open.end - open.begin);
        if (helpers != nullptr && hand_over(open, sampler, part, *helpers)) continue;
        if (!small || !grow_small(open, part.arrays)) grow_node(open, sampler, part.arrays);
    }
}

// A thread keeps the last node that it has.
bool TreeGrower::hand_over(const OpenNode& open, const ProjectionSampler& sampler, TreePart& part, Helpers& helpers) {
    if (open_.empty() || open.end - open.begin < kLeastHandedOver || !helpers.are_idle()) return false;
    auto copy = sampler.copy();
    if (copy == nullptr) return false;
    const TreeArrays& arrays = part.arrays;
    part.handed_over.push_back(
        {open.node, arrays.nodes.size(), arrays.leaves.size(), arrays.values.size(), std::make_unique<TreePart>()});
    helpers.take(
        {open, tree_, tree_weight_, samples_, counts_of_, std::move(copy), part.handed_over.back().part.get()});
    return true;
}

// Lists the samples that the tree draws, ascending, and how often; those that fill the leaves of an honest tree go
// to `estimation_`.
void TreeGrower::draw_tree_samples(Buffer<std::uint32_t>& samples) {
    const bool honest = is_honest(training_.samples);
    auto* multiplicity = scratch_.values.borrow_all<std::int32_t>(training_.samples.n_samples);
    const auto tree = static_cast<std::uint64_t>(tree_);
    draw_samples(training_.samples, options_.seed, tree, multiplicity);
    std::vector<std::uint8_t> chosen;
    if (honest) chosen = choose_estimation_samples(training_.samples, options_.seed, tree, multiplicity);
    const std::int64_t n = training_.samples.n_samples;
    const std::int64_t n_drawn = n - std::count(multiplicity, multiplicity + n, 0);
    samples.clear();
    samples.reserve(static_cast<std::size_t>(n_drawn));
    counts_.clear();
    estimation_.clear();
    for (std::int64_t i = 0; i < n; ++i) {
        if (multiplicity[i] == 0) continue;
        const auto sample = static_cast<std::uint32_t>(i);
        const bool estimates = !chosen.empty() && chosen[sample] != 0;
        if (!estimates) {
            samples.push_back(sample);
            counts_.push_back(multiplicity[i]);
        }
        // The only distinct sample of a tree decides nothing, and serves for both.
        if (honest && (estimates || chosen.empty())) estimation_.add(sample, multiplicity[i]);
    }
}

bool TreeGrower::grow_small(const OpenNode& open, TreeArrays& arrays) {
    const std::int64_t n = open.end - open.begin;
    if (open.depth == 0 || n > kSetSamples) return false;
    return small_.grow(
        {samples_ + open.begin, counts_of_ + open.begin, n, open.node, open.depth, open.key, tree_weight_}, arrays);
}

void TreeGrower::grow_node(const OpenNode& open, ProjectionSampler& sampler, TreeArrays& arrays) {
    const Split split = describe_node(open, sampler, true, arrays);
    if (split.found) {
        add_split(open, split, search_->middle(), arrays);
    } else {
        add_leaf(open, arrays);
    }
}

// Writes down what is known of a node, and looks for a split that the limits allow.
Split TreeGrower::describe_node(const OpenNode& open, ProjectionSampler& sampler, bool search, TreeArrays& arrays) {
    const NodeSummary summary = search_->load(context_of(open), sampler);
    if (open.depth == 0) set_tree_weight(summary.weight);
    TreeNode& node = arrays.nodes[static_cast<std::size_t>(open.node)];
    node.n_samples = static_cast<std::int32_t>(open.end - open.begin);
    node.weight = summary.weight;
    node.impurity = static_cast<float>(summary.impurity);

    Split split;
    if (search && may_split(open, summary)) split = find_split(open, sampler);
    split.found = split.found && (options_.agnostic || decreases_enough(search_->impurity_decrease(split, tree_weight_),
                                                                        options_.min_impurity_decrease));
    return split;
}

// Below a node that no estimation sample reaches all leaves would take the values of the same ancestor.
bool TreeGrower::may_split(const OpenNode& open, const NodeSummary& summary) const {
    const std::int64_t n = open.end - open.begin;
    return open.estimates.reached && (options_.agnostic || !summary.pure) && open.depth < options_.max_depth &&
           n >= options_.min_samples_split && n >= 2 * options_.min_samples_leaf &&
           summary.weight >= 2.0 * options_.min_weight_fraction_leaf * tree_weight_;
}

NodeContext TreeGrower::context_of(const OpenNode& open) {
    return {columns_.get(),
            &training_.targets,
            samples_ + open.begin,
            counts_of_ + open.begin,
            open.end - open.begin,
            tree_,
            open.depth,
            open.key};
}

Split TreeGrower::find_split(const OpenNode& open, ProjectionSampler& sampler) {
    const NodeContext context = context_of(open);
    bounds_ = open.bounds;
    for (Redraws redraws(options_.n_directions, columns_->n_features());; redraws.next()) {
        redraw_ = redraws.number();
        Random random(attempt_key(open.key, redraw_));
        columns_->start(context, columns_key(open.key, redraw_));
        batch_.clear();
        sampler.sample(context, redraws.n_directions(), random, batch_);
        const Split split = search_directions(context, sampler);
        if (split.varies || redraws.is_last()) return split;
        if (redraw_ == 0 && samples_are_identical(open)) return split;
    }
}

// All at once, or together with threads that have nothing else to do.
Split TreeGrower::search_directions(const NodeContext& node, ProjectionSampler& sampler) {
    if (searches_alone(node)) return search_->find(node, batch_, {0, batch_.size()});
    SharedSearch search({node, &batch_, &sampler, columns_key(node.key, redraw_), tree_weight_});
    struct Offer {
        Helpers& helpers;
        SharedSearch& search;
        ~Offer() { helpers.withdraw(search); }
    };
    helpers_->offer(search);
    {
        const Offer offer{*helpers_, search};
        take_directions(search, node);
    }
    const Split& best = search.best();
    if (best.found) {
        columns_->project(batch_.direction(best.direction), node.samples, node.n_samples, scratch_.values.current());
        scratch_.values.keep_current();
    }
    return best;
}

bool TreeGrower::searches_alone(const NodeContext& node) const {
    if (helpers_ == nullptr || node.n_samples < kLeastShared || batch_.size() < 2 || !helpers_->are_idle()) return true;
    if (!search_->may_be_shared()) return true;
    for (std::int64_t j = 0; j < batch_.size(); ++j) {
        if (columns_->is_learnt(batch_.direction(j))) return true;
    }
    return false;
}

void TreeGrower::take_directions(SharedSearch& search, const NodeContext& node) {
    for (DirectionRange range; search.take(range);) {
        search.report(search_->find(node, *search.task().batch, range));
    }
}

void TreeGrower::help(SharedSearch& search) {
    const SharedSearch::Task& task = search.task();
    NodeContext node = task.node;
    node.columns = columns_.get();
    reserve_samples(node.n_samples, 0);
    set_tree_weight(task.tree_weight);
    columns_->start(node, task.columns_key);
    search_->load(node, *task.sampler);
    take_directions(search, node);
}

bool TreeGrower::samples_are_identical(const OpenNode& open) const {
    const std::uint32_t first = samples_[open.begin];
    for (std::int64_t i = open.begin + 1; i < open.end; ++i) {
        if (!columns_->equal_samples(first, samples_[i])) return false;
    }
    return true;
}

std::int64_t TreeGrower::partition(const OpenNode& open, const Split& split) {
    const std::int64_t n = open.end - open.begin;
    const float* values = scratch_.values.best();
    partition_samples(counts_of_ + open.begin, scratch_.values.borrow_current<std::int32_t>(), values, n,
                      split.threshold, split.missing_left);
    return open.begin + partition_samples(samples_ + open.begin, scratch_.values.borrow_current<std::uint32_t>(),
                                          values, n, split.threshold, split.missing_left);
}

void TreeGrower::add_split(const OpenNode& open, const Split& split, double middle, TreeArrays& arrays) {
    const std::int64_t border = partition(open, split);
    const auto node = static_cast<std::size_t>(open.node);
    const auto left = static_cast<std::int32_t>(arrays.nodes.size());

    const Direction winner = batch_.direction(split.direction);
    const Direction kept = columns_->written_out(winner);
    arrays.add_direction(node, kept, columns_->n_features());
    arrays.nodes[node].left = left;
    arrays.nodes[node].threshold = split.threshold;
    arrays.nodes[node].missing_left = split.missing_left ? 1 : 0;
    arrays.add_nodes(2);
    const auto [left_estimates, right_estimates] =
        estimation_.divide(open.estimates, *columns_, winner, split.threshold, split.missing_left);
    const int sign = options_.monotone.empty() ? 0 : options_.monotone[static_cast<std::size_t>(winner.indices[0])];
    const std::uint64_t right_key = child_key(open.key, Side::right);
    const std::uint64_t left_key = child_key(open.key, Side::left);
    open_.push_back({border, open.end, left + 1, open.depth + 1, right_key, right_estimates,
                     open.bounds.of_right(sign, middle), turn_of(right_key, open.time)});
    open_.push_back({open.begin, border, left, open.depth + 1, left_key, left_estimates,
                     open.bounds.of_left(sign, middle), turn_of(left_key, open.time)});
}

void TreeGrower::add_leaf(const OpenNode& open, TreeArrays& arrays) {
    arrays.nodes[static_cast<std::size_t>(open.node)].left = -1 - static_cast<std::int32_t>(arrays.leaves.size());
    std::int64_t n_members = open.end - open.begin;
    const std::size_t before = arrays.values.size();
    if (estimation_.honest()) {
        NodeContext estimates;
        estimates.samples = estimation_.samples(open.estimates);
        estimates.counts = estimation_.counts(open.estimates);
        n_members = estimates.n_samples = open.estimates.size();
        search_->append_value_of(estimates, arrays.value_outputs, arrays.values);
        arrays.members.append(estimates.samples, static_cast<std::size_t>(n_members));
    } else {
        search_->append_value(arrays.value_outputs, arrays.values);
    }
    arrays.leaves.push_back(
        {static_cast<std::int32_t>(arrays.values.size() - before), static_cast<std::int32_t>(n_members)});
}

}  // namespace silvan
