// Where directions have one term, samples walk in groups: each round takes every sample of a group one step further,
// until all are at leaves. The steps of a round do not wait for each other, so that their loads overlap, and no branch
// depends on where a sample goes.
//
// Where directions have several terms, their number differs from node to node, and so the samples of a block are
// divided at each node as in growing: they share the direction, and are projected by the same vector kernel. Once few
// are left at a node, they walk the rest of the way one by one.
//
// Either way values are those of growing, bit for bit: a training sample can never be rounded to another side.
#include "core/descent.hpp"

#include <cstddef>

#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::size_t kGroup = 8;
constexpr std::int64_t kWalkSingly = 8;  // where more samples are at a node, they are divided together

bool has_missing(const FeatureMatrix& block) {
    if (block.type != FeatureType::float32 || block.complete) return false;
    for (std::int64_t i = 0; i < block.n_samples; ++i) {
        const float* sample = block.as<float>() + i * block.row_stride;
        bool missing = false;
        for (std::int64_t j = 0; j < block.n_features; ++j) {
            const float value = sample[j * block.column_stride];
            missing |= value != value;
        }
        if (missing) return true;
    }
    return false;
}

}  // namespace

Descent::Descent(const FeatureMatrix& block, const PackedForest& forest, const SplitKernels& kernels)
    : block_(block),
      forest_(forest),
      columns_(forest.view().columns->read_block(block, kernels)),
      missing_(has_missing(block)),
      values_(static_cast<std::size_t>(block.n_samples + kLane)),
      right_(static_cast<std::size_t>(block.n_samples)) {}

const std::vector<Walker>& Descent::run(std::int64_t tree, std::vector<std::uint32_t>& samples) {
    walkers_.clear();
    if (forest_.has_single_terms()) {
        set_out(tree, 0, samples.data(), static_cast<std::int64_t>(samples.size()));
        walk(0);
    } else {
        divide(tree, samples);
    }
    return walkers_;
}

const std::vector<Walker>& Descent::run_sample(std::uint32_t sample, std::int64_t first, std::int64_t last) {
    walkers_.clear();
    for (std::int64_t tree = first; tree < last; ++tree) set_out(tree, 0, &sample, 1);
    walk(0);
    return walkers_;
}

void Descent::set_out(std::int64_t tree, std::int32_t node, const std::uint32_t* samples, std::int64_t n) {
    const std::size_t first = walkers_.size();
    walkers_.resize(first + static_cast<std::size_t>(n));
    Walker* to = walkers_.data() + first;
    for (std::int64_t i = 0; i < n; ++i) {
        to[i] = {static_cast<std::uint32_t>(node), samples[i], static_cast<std::uint32_t>(tree), 0};
    }
}

// Takes the samples to nodes that few of them share; these walk on at once, while their features are in the cache.
void Descent::divide(std::int64_t tree, std::vector<std::uint32_t>& samples) {
    const TreeView nodes(forest_.view(), tree);
    open_.clear();
    open_.push_back({0, 0, static_cast<std::int64_t>(samples.size())});
    while (!open_.empty()) {
        const Group group = open_.back();
        open_.pop_back();
        std::uint32_t* first = samples.data() + group.begin;
        const std::int64_t n = group.end - group.begin;
        throw_if_stopped(n);
        if (n <= kWalkSingly || nodes.left[group.node] < 0) {
            const std::size_t n_arrived = walkers_.size();
            set_out(tree, group.node, first, n);
            walk(n_arrived);
        } else {
            divide_group(nodes, group, first, n);
        }
    }
}

void Descent::divide_group(const TreeView& tree, const Group& group, std::uint32_t* samples, std::int64_t n) {
    const Direction direction = tree.direction(group.node);
    throw_if_stopped(n * direction.n_nonzeros);
    columns_->project(direction, samples, n, values_.data());
    const float threshold = tree.threshold[group.node];
    const bool missing_left = tree.missing_left[group.node] != 0;
    const std::int64_t n_left = partition_samples(samples, right_.data(), values_.data(), n, threshold, missing_left);
    const std::int32_t left = tree.left[group.node];
    if (n_left < n) open_.push_back({left + 1, group.begin + n_left, group.end});
    if (n_left > 0) open_.push_back({left, group.begin, group.begin + n_left});
}

void Descent::walk(std::size_t begin) {
    if (block_.type == FeatureType::float32) {
        walk_typed<float>(begin);
    } else {
        walk_typed<std::uint8_t>(begin);
    }
}

template <typename T>
void Descent::walk_typed(std::size_t begin) {
    if (forest_.has_features()) {
        walk_groups<FeatureNode, T>(begin);
    } else if (forest_.has_single_terms()) {
        walk_groups<PackedNode, T>(begin);
    } else {
        for (std::size_t i = begin; i < walkers_.size(); ++i) walk_terms<T>(walkers_[i]);
    }
}

template <typename Node, typename T>
void Descent::walk_groups(std::size_t begin) {
    // The last group is filled up with copies of the last walker, which are dropped again.
    const std::size_t n_walkers = walkers_.size();
    while ((walkers_.size() - begin) % kGroup != 0) walkers_.push_back(Walker(walkers_.back()));
    const bool unit = block_.column_stride == 1;
    for (std::size_t first = begin; first < walkers_.size(); first += kGroup) {
        Walker* walkers = walkers_.data() + first;
        if (missing_) {
            unit ? walk_single_terms<Node, T, true, true>(walkers) : walk_single_terms<Node, T, false, true>(walkers);
        } else {
            unit ? walk_single_terms<Node, T, true, false>(walkers) : walk_single_terms<Node, T, false, false>(walkers);
        }
    }
    walkers_.resize(n_walkers);
}

template <typename Node, typename T, bool kUnitStride, bool kMissing>
void Descent::walk_single_terms(Walker* walkers) {
    const std::int64_t stride = kUnitStride ? 1 : block_.column_stride;
    const Node* at[kGroup];
    const T* features[kGroup];
    for (std::size_t i = 0; i < kGroup; ++i) {
        at[i] = forest_.root<Node>(walkers[i].tree) + walkers[i].node;
        features[i] = block_.as<T>() + walkers[i].sample * block_.row_stride;
    }
    std::uint32_t going = 1;
    while (going != 0) {
        throw_if_stopped(kGroup);
        going = 0;
        for (std::size_t i = 0; i < kGroup; ++i) {
            const Node& node = *at[i];
            going |= node.going();
            at[i] = node.template step<kMissing>(node.value(features[i], stride));
        }
    }
    for (std::size_t i = 0; i < kGroup; ++i) {
        walkers[i].node = static_cast<std::uint32_t>(at[i] - forest_.root<Node>(walkers[i].tree));
        walkers[i].leaf = at[i]->leaf_number();
    }
}

// The same operations in the same order as the projection kernels.
template <typename T>
void Descent::walk_terms(Walker& walker) {
    const ForestView& forest = forest_.view();
    const std::int64_t first_term = forest.direction_indptr[forest.tree_offsets[walker.tree]];
    const std::int32_t* const columns = forest.direction_indices + first_term;
    const float* const coefficients = forest.direction_coefficients + first_term;
    const T* const features = block_.as<T>() + walker.sample * block_.row_stride;
    const std::int64_t stride = block_.column_stride;
    const PackedNode* const root = forest_.root<PackedNode>(walker.tree);
    const PackedNode* at = root + walker.node;
    std::int64_t work = 0;
    while (!at->is_leaf()) {
        float sum = 0.0F;
        if (at->n_terms == 0) {
            walker.node = static_cast<std::uint32_t>(at - root);
            sum = columns_->project_sample(direction_of(walker), walker.sample);
        } else {
            std::size_t k = at->place();
            const std::size_t end = k + at->n_terms;
            work += at->n_terms;
            sum = coefficients[k] * static_cast<float>(features[columns[k] * stride]);
            for (++k; k != end; ++k) sum += coefficients[k] * static_cast<float>(features[columns[k] * stride]);
        }
        // A branch: the processor guesses it, and loads what comes next before the sum is known.
        at += goes_left(sum, at->threshold, at->missing_left()) ? at->next : at->next + 1;
    }
    throw_if_stopped(work);
    walker.node = static_cast<std::uint32_t>(at - root);
    walker.leaf = at->leaf_number();
}

// Tells of the work of reading it, too.
Direction Descent::direction_of(const Walker& walker) const {
    const TreeView tree(forest_.view(), walker.tree);
    const Direction direction = tree.direction(static_cast<std::int32_t>(walker.node));
    throw_if_stopped(direction.n_nonzeros);
    return direction;
}

}  // namespace silvan
