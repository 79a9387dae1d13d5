// The node loop of TreeGrower.
#include "core/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace silvan {
namespace {

// Distinct rows that a tree will hardly exceed: six standard deviations above what equal draws give.
std::int64_t likely_tree_rows(const RowDraws& rows) {
    const std::int64_t most = std::min(rows.n_samples, rows.n_draws);
    if (!rows.replace) return most;
    const auto n = static_cast<double>(rows.n_samples);
    const double likely = n * -std::expm1(-static_cast<double>(rows.n_draws) / n) + 6.0 * std::sqrt(n) + 16.0;
    return std::min(most, static_cast<std::int64_t>(likely));
}

}  // namespace

TreeGrower::TreeGrower(const TrainingSet& training, const ProjectionDistribution& distribution,
                       const GrowOptions& options, const std::atomic<bool>& stop)
    : training_(training),
      distribution_(distribution),
      options_(options),
      stop_(stop),
      targets_(training.targets, options.criterion, likely_tree_rows(training.rows)),
      search_(*options.kernels, likely_tree_rows(training.rows), options.min_samples_leaf,
              stop),
      space_(options.gaussian),
      columns_(training.columns->for_thread()) {
    if (options.criterion == Criterion::gaussian) search_.use_space(space_);
    counts_.reserve(static_cast<std::size_t>(likely_tree_rows(training.rows)));
}

void TreeGrower::grow(std::int64_t tree, TreeArrays& arrays) {
    tree_ = tree;
    arrays.clear();
    Buffer<std::uint32_t>& rows = is_honest(training_.rows) ? structure_ : arrays.members;
    draw_tree_rows(rows);
    rows_ = rows.data();
    const auto n_rows = static_cast<std::int64_t>(rows.size());
    const EstimationRange estimates = estimation_.start();
    targets_.reserve_rows(std::max(n_rows, estimates.size()));
    search_.reserve_rows(n_rows);

    const auto tree_number = static_cast<std::uint64_t>(tree);
    Random tree_stream(stream_key(options_.seed, tree_number, Purpose::tree_sampler));
    const auto sampler = distribution_.make_sampler(tree_stream);
    root_weight_ = 0.0;
    open_.clear();
    open_.push_back({0, n_rows, 0, 0, stream_key(options_.seed, tree_number, Purpose::root_node), estimates});
    arrays.add_nodes(1);
    const NodeContext root = context_of(open_.back());
    columns_->start(root, columns_key(root.key, 0));
    sampler->prepare(root, tree_stream);
    while (!open_.empty() && !stop_.load(std::memory_order_relaxed)) {
        const OpenNode open = open_.back();
        open_.pop_back();
        grow_node(open, *sampler, arrays);
    }
}

// Lists the rows that the tree draws, ascending, and how often; those that fill the leaves of an honest tree go
// to `estimation_`.
void TreeGrower::draw_tree_rows(Buffer<std::uint32_t>& rows) {
    const bool honest = is_honest(training_.rows);
    auto* multiplicity = static_cast<std::int32_t*>(search_.room_for(training_.rows.n_samples));
    const auto tree = static_cast<std::uint64_t>(tree_);
    draw_rows(training_.rows, options_.seed, tree, multiplicity);
    std::vector<std::uint8_t> chosen;
    if (honest) chosen = choose_estimation_rows(training_.rows, options_.seed, tree, multiplicity);
    const std::int64_t n = training_.rows.n_samples;
    const std::int64_t n_drawn = n - std::count(multiplicity, multiplicity + n, 0);
    rows.clear();
    rows.reserve(static_cast<std::size_t>(n_drawn));
    counts_.clear();
    estimation_.clear();
    for (std::int64_t i = 0; i < n; ++i) {
        if (multiplicity[i] == 0) continue;
        const auto row = static_cast<std::uint32_t>(i);
        const bool estimates = !chosen.empty() && chosen[row] != 0;
        if (!estimates) {
            rows.push_back(row);
            counts_.push_back(multiplicity[i]);
        }
        // The only distinct row of a tree decides nothing, and serves for both.
        if (honest && (estimates || chosen.empty())) estimation_.add(row, multiplicity[i]);
    }
}

void TreeGrower::grow_node(const OpenNode& open, ProjectionSampler& sampler, TreeArrays& arrays) {
    const auto node = static_cast<std::size_t>(open.node);
    targets_.load(rows_ + open.begin, open.end - open.begin, counts_.data() + open.begin);
    if (targets_.is_gaussian()) load_space(open, sampler);
    if (open.node == 0) root_weight_ = targets_.total_weight();
    arrays.n_samples[node] = static_cast<std::int32_t>(open.end - open.begin);
    arrays.weight[node] = targets_.total_weight();
    arrays.impurity[node] = static_cast<float>(targets_.impurity());

    Split split;
    if (may_split(open)) split = find_split(open, sampler);
    // Scores are rounded: a decrease that equals the limit must not fall short of it by the last bits.
    const double limit = options_.min_impurity_decrease * (1.0 - 1e-9) - 1e-12;
    if (split.found && impurity_decrease(split) >= limit) {
        add_split(open, split, arrays);
    } else {
        add_leaf(open, arrays);
    }
}

// The space has a dimension for every feature if it may have so many. Otherwise directions are drawn for it;
// those that do not vary at the node are replaced by others a few times.
void TreeGrower::load_space(const OpenNode& open, ProjectionSampler& sampler) {
    constexpr std::uint64_t kMaxDraws = 8;
    const std::int64_t n_features = training_.n_features;
    space_.start(open.end - open.begin, targets_.row_weights(), space_key(open.key, 0));
    if (n_features <= options_.gaussian.n_dimensions) {
        if (features_.size() == 0) {
            for (std::int64_t j = 0; j < n_features; ++j) {
                features_.add(static_cast<std::int32_t>(j), 1.0F);
                features_.end_direction();
            }
        }
        add_dimensions(open, features_);
    } else {
        for (std::uint64_t draw = 1; draw <= kMaxDraws; ++draw) {
            const std::int64_t n_missing = options_.gaussian.n_dimensions - space_.n_dimensions();
            if (n_missing == 0) break;
            Random random(space_key(open.key, draw));
            batch_.clear();
            sampler.sample(context_of(open), n_missing, random, batch_);
            add_dimensions(open, batch_);
        }
    }
    space_.finish();
    targets_.describe(space_);
}

void TreeGrower::add_dimensions(const OpenNode& open, const ProjectionBatch& batch) {
    const std::int64_t n_rows = open.end - open.begin;
    values_.resize(static_cast<std::size_t>((n_rows + kLane - 1) / kLane * kLane));
    for (std::int64_t j = 0; j < batch.size(); ++j) {
        const ValueRange range =
            columns_->project(direction_of(batch, j), rows_ + open.begin, n_rows, values_.data());
        space_.add_dimension(values_.data(), range);
    }
}

// As a share of the tree's weight, and a mean over regression outputs, as impurities are.
double TreeGrower::impurity_decrease(const Split& split) const {
    const double outputs = targets_.is_classification() ? 1.0 : static_cast<double>(targets_.n_outputs());
    return (split.score - targets_.base_score()) / root_weight_ / outputs;
}

// Below a node that no estimation row reaches all leaves would take the values of the same ancestor.
bool TreeGrower::may_split(const OpenNode& open) const {
    const std::int64_t n = open.end - open.begin;
    return open.estimates.reached && !targets_.is_pure() && open.depth < options_.max_depth &&
           n >= options_.min_samples_split && n >= 2 * options_.min_samples_leaf;
}

NodeContext TreeGrower::context_of(const OpenNode& open) {
    return {columns_.get(), &training_.targets, rows_ + open.begin, counts_.data() + open.begin,
            open.end - open.begin, tree_, open.depth, open.key};
}

// If no direction of the first draw tells any rows apart, ever more are drawn; only a node whose rows are all
// alike is given up at once.
Split TreeGrower::find_split(const OpenNode& open, ProjectionSampler& sampler) {
    constexpr std::uint64_t kMaxRedraws = 8;
    const NodeContext context = context_of(open);
    const std::int64_t n_features = training_.n_features;
    std::int64_t n_directions = options_.n_directions;
    for (std::uint64_t redraw = 0;; ++redraw) {
        Random random(attempt_key(open.key, redraw));
        columns_->start(context, columns_key(open.key, redraw));
        batch_.clear();
        sampler.sample(context, n_directions, random, batch_);
        const Split split = search_.find(context.rows, targets_, batch_, *columns_);
        if (split.varies || redraw == kMaxRedraws || stop_.load(std::memory_order_relaxed)) return split;
        if (redraw == 0 && rows_are_identical(open)) return split;
        n_directions = std::max(n_directions, std::min(2 * n_directions, 2 * n_features));
    }
}

bool TreeGrower::rows_are_identical(const OpenNode& open) const {
    const std::uint32_t first = rows_[open.begin];
    for (std::int64_t i = open.begin + 1; i < open.end; ++i) {
        if (!columns_->equal_rows(first, rows_[i])) return false;
    }
    return true;
}

std::int64_t TreeGrower::partition(const OpenNode& open, const Split& split) {
    const std::int64_t n = open.end - open.begin;
    const float* values = search_.winning_values();
    partition_rows(counts_.data() + open.begin, static_cast<std::int32_t*>(search_.spare()), values, n,
                   split.threshold, split.missing_left);
    return open.begin + partition_rows(rows_ + open.begin, static_cast<std::uint32_t*>(search_.spare()), values, n,
                                       split.threshold, split.missing_left);
}

// Where training met no missing value, later ones follow the side of the larger weight.
bool TreeGrower::heavier_left(const Split& split) const {
    const float* values = search_.winning_values();
    double weight = 0.0;
    for (std::int64_t i = 0; i < targets_.n_rows(); ++i) {
        weight += values[i] <= split.threshold ? targets_.row_weight(i) : 0.0;
    }
    return weight > targets_.total_weight() - weight;
}

void TreeGrower::add_split(const OpenNode& open, const Split& split, TreeArrays& arrays) {
    const bool missing_left = split.has_missing ? split.missing_left : heavier_left(split);
    const std::int64_t middle = partition(open, split);
    const auto node = static_cast<std::size_t>(open.node);
    const auto left = static_cast<std::int32_t>(arrays.left.size());

    const Direction winner = direction_of(batch_, split.direction);
    const Direction kept = columns_->written_out(winner);
    const auto length = static_cast<std::size_t>(kept.n_nonzeros);
    arrays.direction_start[node] = static_cast<std::int64_t>(arrays.direction_indices.size());
    arrays.direction_indices.append(kept.indices, length);
    arrays.direction_weights.append(kept.weights, length);
    arrays.n_nonzeros[node] = static_cast<std::int32_t>(length);
    arrays.left[node] = left;
    arrays.threshold[node] = split.threshold;
    arrays.missing_left[node] = missing_left ? 1 : 0;
    arrays.add_nodes(2);
    const auto [left_estimates, right_estimates] =
        estimation_.divide(open.estimates, *columns_, winner, split.threshold, missing_left);
    open_.push_back({middle, open.end, left + 1, open.depth + 1, child_key(open.key, Side::right), right_estimates});
    open_.push_back({open.begin, middle, left, open.depth + 1, child_key(open.key, Side::left), left_estimates});
}

void TreeGrower::add_leaf(const OpenNode& open, TreeArrays& arrays) {
    std::int64_t n_members = open.end - open.begin;
    if (estimation_.honest()) {
        const std::uint32_t* members = estimation_.rows(open.estimates);
        n_members = open.estimates.size();
        targets_.load(members, n_members, estimation_.counts(open.estimates));
        arrays.members.append(members, static_cast<std::size_t>(n_members));
    }
    const auto node = static_cast<std::size_t>(open.node);
    arrays.left[node] = -1 - static_cast<std::int32_t>(arrays.n_values.size());
    const std::size_t before = arrays.values.size();
    targets_.append_value(arrays.value_outputs, arrays.values);
    arrays.n_values.push_back(static_cast<std::int32_t>(arrays.values.size() - before));
    arrays.n_members.push_back(static_cast<std::int32_t>(n_members));
}

}  // namespace silvan
