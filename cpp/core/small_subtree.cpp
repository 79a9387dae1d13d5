// The node loop of small subtrees.
#include "core/small_subtree.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "core/node_rules.hpp"
#include "core/search/random_threshold.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kMaxFeatures = 1024;  // whose values at a subtree's samples stay in a second-level cache

bool has_few_codes(const CodedColumn& column) { return column.codes != nullptr && column.n_codes <= kFewCodes; }

// Ordering many values costs as much as the engines need for all nodes; few codes, and values that are only compared
// with a threshold, cost little.
bool orders_few_values(const GrowOptions& options, const NodeColumns& columns) {
    if (options.random_thresholds) return true;
    const float one = 1.0F;
    std::int64_t n_few = 0;
    for (std::int32_t j = 0; j < columns.n_features(); ++j)
        n_few += has_few_codes(columns.coded({&j, &one, 1})) ? 1 : 0;
    return 2 * n_few > columns.n_features();
}

// What sets do not know is left to the engines.
bool sets_serve(const GrowOptions& options, const TrainingTargets& targets, const NodeColumns& columns) {
    return options.criterion.criterion == Criterion::gini && targets.label != nullptr && targets.weight == nullptr &&
           options.monotone.empty() && options.min_weight_fraction_leaf == 0.0 && options.min_balance == 0.0 &&
           options.max_leaf_nodes == 0 && !options.agnostic && columns.has_fixed_features() &&
           columns.n_features() <= kMaxFeatures;
}

std::uint64_t all_of(std::int64_t n) { return n == kSetSamples ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

}  // namespace

SmallSubtree::SmallSubtree(const GrowOptions& options, const TrainingTargets& targets, NodeColumns& columns)
    : options_(options),
      targets_(targets),
      columns_(columns),
      kernels_(*options.kernels),
      serves_(sets_serve(options, targets, columns)),
      orders_(serves_ && orders_few_values(options, columns)) {
    if (!serves_) return;
    made_for_.resize(static_cast<std::size_t>(columns.n_features()));
}

bool SmallSubtree::serve(ProjectionSampler& sampler) {
    if (!serves_) return false;
    sampler_ = &sampler;
    features_ = sampler.single_features();
    if (features_ != nullptr) {
        if (!orders_) return false;
        drawn_.resize(made_for_.size());
        sets_.resize(made_for_.size());
    } else {
        if (!options_.random_thresholds || !sampler.ignores_nodes()) return false;
        values_.resize(made_for_.size() * kSetSamples);
    }
    return true;
}

bool SmallSubtree::grow(const SubtreeRoot& root, TreeArrays& arrays) {
    if (!read_classes(root)) return false;
    start(root);
    const Mark mark{arrays.nodes.size(), arrays.leaves.size(), arrays.direction_indices.size(), arrays.values.size()};
    while (!open_.empty()) {
        const OpenSet open = open_.back();
        open_.pop_back();
        grow_node(open, arrays);
        if (!overflows_) continue;
        take_back(mark, arrays);
        return false;
    }
    return true;
}

void SmallSubtree::start(const SubtreeRoot& root) {
    root_ = root;
    std::copy_n(root.samples, root.n_samples, samples_);
    ++number_;
    n_written_ = 0;
    overflows_ = false;
    open_.assign(1, {all_of(root.n_samples), root.node, root.depth, root.key});
}

// The engines know what becomes of sums that are no numbers.
void SmallSubtree::take_back(const Mark& mark, TreeArrays& arrays) const {
    std::copy_n(samples_, root_.n_samples, root_.samples);
    arrays.nodes.resize(mark.nodes);
    arrays.leaves.resize(mark.leaves);
    arrays.direction_indices.resize(mark.directions);
    arrays.direction_coefficients.resize(mark.directions);
    arrays.value_outputs.resize(mark.values);
    arrays.values.resize(mark.values);
}

// Returns false where there are too many classes, or counts are too large.
bool SmallSubtree::read_classes(const SubtreeRoot& root) {
    const auto n = static_cast<std::size_t>(root.n_samples);
    std::int32_t any_count = 0;
    classes_.n_classes = 0;
    for (std::size_t i = 0; i < n; ++i) {
        any_count |= root.counts[i];
        const std::int32_t code = targets_.label[root.samples[i]];
        std::int32_t* end = class_codes_ + classes_.n_classes;
        std::int32_t* at = std::lower_bound(class_codes_, end, code);
        if (at != end && *at == code) continue;
        if (classes_.n_classes == kMaxSetClasses) return false;
        std::copy_backward(at, end, end + 1);
        *at = code;
        ++classes_.n_classes;
    }
    classes_.n_bits = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(any_count)));
    if (classes_.n_bits > kMaxCountBits) return false;
    for (std::int32_t k = 0; k < classes_.n_classes; ++k) std::fill_n(classes_.members[k], kMaxCountBits, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t code = targets_.label[root.samples[i]];
        const auto k = std::lower_bound(class_codes_, class_codes_ + classes_.n_classes, code) - class_codes_;
        const auto count = static_cast<std::uint64_t>(root.counts[i]);
        for (std::int32_t b = 0; b < classes_.n_bits; ++b) classes_.members[k][b] |= ((count >> b) & 1U) << i;
    }
    return true;
}

void SmallSubtree::grow_node(const OpenSet& open, TreeArrays& arrays) {
    kernels_.find_classes(classes_, open.samples, node_);
    throw_if_stopped(node_.n_samples);
    double squares = 0.0;
    for (std::int32_t k = 0; k < node_.n_classes; ++k) {
        const double total = node_.totals[k];
        squares += total * total;
    }
    const double weight = node_.total;
    const double base_score = squares / weight;
    TreeNode& node = arrays.nodes[static_cast<std::size_t>(open.node)];
    node.n_samples = node_.n_samples;
    node.weight = weight;
    node.impurity = node_.n_classes > 1 ? static_cast<float>(1.0 - base_score / weight) : 0.0F;
    if (may_split(open)) {
        const Found found = find_split(open);
        if (overflows_) return;
        if (found.split.found &&
            decreases_enough((found.split.score - base_score) / root_.tree_weight, options_.min_impurity_decrease)) {
            add_split(open, found, arrays);
            return;
        }
    }
    add_leaf(open, arrays);
}

bool SmallSubtree::may_split(const OpenSet& open) const {
    return node_.n_classes > 1 && open.depth < options_.max_depth && node_.n_samples >= options_.min_samples_split &&
           node_.n_samples >= 2 * options_.min_samples_leaf;
}

SmallSubtree::Found SmallSubtree::find_split(const OpenSet& open) {
    const std::int64_t n_features = columns_.n_features();
    Redraws redraws(options_.n_directions, n_features);
    for (;; redraws.next()) {
        Random random(attempt_key(open.key, redraws.number()));
        Found found;
        if (features_ != nullptr) {
            const std::int64_t n_drawn = std::min(redraws.n_directions(), n_features);
            features_->draw(n_drawn, random, drawn_.data());
            found = search(n_drawn, open.key);
        } else {
            batch_.clear();
            sampler_->sample({}, redraws.n_directions(), random, batch_);
            found = search_directions(open.key);
        }
        if (overflows_ || found.split.varies || redraws.is_last()) return found;
        if (redraws.number() == 0 && samples_are_identical()) return found;
    }
}

SmallSubtree::Found SmallSubtree::search(std::int64_t n_features, std::uint64_t key) {
    Random thresholds(thresholds_key(key));
    Found best;
    bool varies = false;
    for (std::size_t j = 0; j < static_cast<std::size_t>(n_features); ++j) {
        const std::int32_t feature = drawn_[j];
        float threshold = 0.0F;
        const SetSplit split = options_.random_thresholds
                                   ? search_drawn(feature, thresholds, threshold)
                                   : kernels_.search_set(sets_of(feature), node_, options_.min_samples_leaf);
        varies = varies || split.varies;
        if (split.found && (!best.split.found || split.score > best.split.score)) best = {split, feature, threshold};
    }
    best.split.varies = varies;
    return best;
}

// All samples of the subtree are projected: that is shorter than to pick those of the node.
SmallSubtree::Found SmallSubtree::search_directions(std::uint64_t key) {
    const std::int64_t n_padded = (root_.n_samples + kLane - 1) / kLane * kLane;
    std::int32_t inside[kSetSamples];
    for (std::int64_t i = 0; i < n_padded; ++i) inside[i] = -static_cast<std::int32_t>((node_.samples >> i) & 1U);
    Random thresholds(thresholds_key(key));
    Found best;
    bool varies = false;
    float values[kSetSamples];
    for (std::int64_t j = 0; j < batch_.size(); ++j) {
        const Direction direction = batch_.direction(j);
        read_features(direction);
        const ValueRange range = kernels_.project_set(values_.data(), n_padded, direction, inside, values);
        overflows_ = overflows_ || range.any_missing;
        if (overflows_) return best;
        if (range.minimum == range.maximum) continue;
        varies = true;
        const float threshold = draw_threshold(range, thresholds);
        const SetSplit split = kernels_.divide_values(values, n_padded, node_, threshold, options_.min_samples_leaf);
        if (split.found && (!best.split.found || split.score > best.split.score)) {
            best = {split, static_cast<std::int32_t>(j), threshold};
        }
    }
    best.split.varies = varies;
    return best;
}

void SmallSubtree::read_features(const Direction& direction) {
    const float one = 1.0F;
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const auto feature = static_cast<std::size_t>(direction.indices[k]);
        if (made_for_[feature] == number_) continue;
        columns_.project({direction.indices + k, &one, 1}, samples_, root_.n_samples,
                         values_.data() + feature * kSetSamples);
        made_for_[feature] = number_;
    }
}

SetSplit SmallSubtree::search_drawn(std::int32_t feature, Random& thresholds, float& threshold) {
    const ValueSets& sets = sets_of(feature);
    const ValueRange range = kernels_.range_of_set(sets, node_.samples);
    if (range.minimum == range.maximum) return {};
    threshold = draw_threshold(range, thresholds);
    return kernels_.divide_set(sets, node_, threshold, options_.min_samples_leaf);
}

const ValueSets& SmallSubtree::sets_of(std::int32_t feature) {
    const auto at = static_cast<std::size_t>(feature);
    if (made_for_[at] != number_) {
        read_feature(feature, sets_[at]);
        made_for_[at] = number_;
    }
    return sets_[at];
}

// Where thresholds are drawn, features of many values need no order.
void SmallSubtree::read_feature(std::int32_t feature, ValueSets& sets) {
    const float one = 1.0F;
    const Direction direction{&feature, &one, 1};
    const CodedColumn column = columns_.coded(direction);
    if (has_few_codes(column)) {
        if (offsets_for_ != number_) {
            for (std::int64_t i = 0; i < root_.n_samples; ++i) offsets_[i] = samples_[i] * column.row_stride;
            offsets_for_ = number_;
        }
        kernels_.order_codes(column, offsets_, root_.n_samples, sets);
    } else if (options_.random_thresholds) {
        columns_.project(direction, samples_, root_.n_samples, sets.values);
        sets.n_values = 0;
    } else {
        float values[kSetSamples];
        columns_.project(direction, samples_, root_.n_samples, values);
        kernels_.order_set(values, root_.n_samples, sets);
    }
}

bool SmallSubtree::samples_are_identical() const {
    const std::uint32_t first = samples_[std::countr_zero(node_.samples)];
    for (std::uint64_t rest = node_.samples & (node_.samples - 1); rest != 0; rest &= rest - 1) {
        if (!columns_.equal_samples(first, samples_[std::countr_zero(rest)])) return false;
    }
    return true;
}

float SmallSubtree::threshold_of(const Found& found) {
    if (options_.random_thresholds) return found.threshold;
    const ValueSets& sets = sets_of(found.feature);
    const auto place = static_cast<std::size_t>(found.split.place);
    std::size_t next = place;
    while ((sets.up_to[next] & node_.samples) == found.split.left) {
        next += 1 + static_cast<std::size_t>(std::countr_zero(sets.places >> (next + 1)));
    }
    return threshold_between(sets.values[place], sets.values[next]);
}

void SmallSubtree::add_split(const OpenSet& open, const Found& found, TreeArrays& arrays) {
    const auto left = static_cast<std::int32_t>(arrays.nodes.size());
    TreeNode& node = arrays.nodes[static_cast<std::size_t>(open.node)];
    node.left = left;
    node.threshold = threshold_of(found);
    node.missing_left = 2 * found.split.weight_left > node_.total ? 1 : 0;
    const float one = 1.0F;
    arrays.add_direction(static_cast<std::size_t>(open.node),
                         features_ != nullptr ? Direction{&found.feature, &one, 1} : batch_.direction(found.feature),
                         columns_.n_features());
    arrays.add_nodes(2);
    const std::uint64_t on_right = node_.samples & ~found.split.left;
    open_.push_back({on_right, left + 1, open.depth + 1, child_key(open.key, Side::right)});
    open_.push_back({found.split.left, left, open.depth + 1, child_key(open.key, Side::left)});
}

void SmallSubtree::add_leaf(const OpenSet& open, TreeArrays& arrays) {
    arrays.nodes[static_cast<std::size_t>(open.node)].left = -1 - static_cast<std::int32_t>(arrays.leaves.size());
    for (std::int32_t k = 0; k < node_.n_classes; ++k) {
        arrays.value_outputs.push_back(class_codes_[node_.classes[k]]);
        arrays.values.push_back(static_cast<double>(node_.totals[k]) / static_cast<double>(node_.total));
    }
    arrays.leaves.push_back({node_.n_classes, node_.n_samples});
    for (std::uint64_t rest = open.samples; rest != 0; rest &= rest - 1) {
        root_.samples[n_written_++] = samples_[std::countr_zero(rest)];
    }
}

}  // namespace silvan
