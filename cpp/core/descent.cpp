// Several samples walk at a time, a step each in turn: their steps do not wait for each other, so that their loads
// overlap, and no branch depends on where a sample goes. After a few steps samples that have arrived make room for
// others.
//
// Where directions have several terms, the samples of a block are first divided at each node as in growing: they share
// the direction, and are projected by the same vector kernel. Once few are left at a node, they walk the rest of the
// way.
//
// Either way values are those of growing, bit for bit: a training sample can never be rounded to another side.
#include "core/descent.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::size_t kTogether = 16;  // samples that walk at a time
constexpr int kSteps = 4;              // of each, before those that have arrived make room
// Where more samples are at a node, they are divided together; of columns that are dear to read even few are.
constexpr std::int64_t kDivide = 16;
constexpr std::int64_t kDivideColumns = 8;

// How the value of a node's direction is read, by kind of the forest.
struct FeatureSteps {
    using Node = FeatureNode;
    template <typename T>
    static float value(const Node& node, const PackedTerm*, const T* features, std::int64_t stride) {
        return static_cast<float>(features[node.feature() * stride]);
    }
};

struct SingleTermSteps {
    using Node = PackedNode;
    template <typename T>
    static float value(const Node& node, const PackedTerm*, const T* features, std::int64_t stride) {
        return node.coefficient * static_cast<float>(features[node.place() * stride]);
    }
};

// The same operations in the same order as the projection kernels; what blocks are filled up with adds zero.
struct TermSteps {
    using Node = PackedNode;
    template <typename T>
    static float value(const Node& node, const PackedTerm* terms, const T* features, std::int64_t stride) {
        const PackedTerm* at = terms + kTermsOfBlock * node.place();
        const auto term = [&](std::int64_t k) {
            return at[k].coefficient * static_cast<float>(features[at[k].column * stride]);
        };
        float sum = term(0) + term(1) + term(2) + term(3);
        for (std::int32_t n = node.n_blocks; n > 1; --n) {
            at += kTermsOfBlock;
            sum = sum + term(0) + term(1) + term(2) + term(3);
        }
        return sum;
    }
};
static_assert(kTermsOfBlock == 4);

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
    forest_.fetch(tree, static_cast<std::int64_t>(samples.size()));
    if (forest_.has_single_terms()) {
        set_out(tree, 0, samples.data(), static_cast<std::int64_t>(samples.size()));
        walk();
    } else {
        divide(tree, samples);
    }
    return walkers_;
}

const std::vector<Walker>& Descent::run_sample(std::uint32_t sample, std::int64_t first, std::int64_t last) {
    walkers_.clear();
    for (std::int64_t tree = first; tree < last; ++tree) set_out(tree, 0, &sample, 1);
    walk();
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

// Takes the samples to nodes that few of them share; then they walk on, side by side with their neighbours, or at once
// where they walk alone, while their columns are in the cache.
void Descent::divide(std::int64_t tree, std::vector<std::uint32_t>& samples) {
    const TreeView nodes(forest_.view(), tree);
    const bool alone = forest_.kind() == PackedForest::Kind::columns;
    const std::int64_t few = alone ? kDivideColumns : kDivide;
    open_.clear();
    open_.push_back({0, 0, static_cast<std::int64_t>(samples.size())});
    while (!open_.empty()) {
        const Group group = open_.back();
        open_.pop_back();
        std::uint32_t* first = samples.data() + group.begin;
        const std::int64_t n = group.end - group.begin;
        throw_if_stopped(n);
        if (n <= few || nodes.left[group.node] < 0) {
            const std::size_t n_before = walkers_.size();
            set_out(tree, group.node, first, n);
            if (alone) walk_alone(n_before);
        } else {
            divide_group(nodes, group, first, n);
        }
    }
    if (!alone) walk();
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

void Descent::walk_alone(std::size_t begin) {
    for (std::size_t i = begin; i < walkers_.size(); ++i) {
        block_.type == FeatureType::float32 ? walk_alone<float>(walkers_[i]) : walk_alone<std::uint8_t>(walkers_[i]);
    }
}

void Descent::walk() {
    if (block_.type == FeatureType::float32) {
        walk_typed<float>();
    } else {
        walk_typed<std::uint8_t>();
    }
}

template <typename T>
void Descent::walk_typed() {
    switch (forest_.kind()) {
        case PackedForest::Kind::features:
            return walk_strided<FeatureSteps, T>();
        case PackedForest::Kind::single_terms:
            return walk_strided<SingleTermSteps, T>();
        case PackedForest::Kind::terms:
            return walk_strided<TermSteps, T>();
        case PackedForest::Kind::columns:
            return walk_alone(0);
    }
}

template <typename Steps, typename T>
void Descent::walk_strided() {
    const bool unit = block_.column_stride == 1;
    if (missing_) {
        unit ? walk_together<Steps, T, true, true>() : walk_together<Steps, T, false, true>();
    } else {
        unit ? walk_together<Steps, T, true, false>() : walk_together<Steps, T, false, false>();
    }
}

template <typename Steps, typename T, bool kUnitStride, bool kMissing>
void Descent::walk_together() {
    if (walkers_.empty()) return;
    using Node = typename Steps::Node;
    const std::int64_t stride = kUnitStride ? 1 : block_.column_stride;
    const PackedTerm* const terms = forest_.terms();
    Walker* next = walkers_.data();
    Walker* const end = walkers_.data() + walkers_.size();
    Walker* walkers[kTogether];
    const Node* at[kTogether];
    const T* features[kTogether];
    const auto set_out = [&](std::size_t i) {
        walkers[i] = next++;
        at[i] = forest_.root<Node>(walkers[i]->tree) + walkers[i]->node;
        features[i] = block_.as<T>() + walkers[i]->sample * block_.row_stride;
    };
    std::size_t n_walking = 0;
    for (std::size_t i = 0; i < kTogether; ++i) {
        if (next != end) {
            set_out(i);
            ++n_walking;
        } else {
            walkers[i] = nullptr;
            at[i] = at[0];
            features[i] = features[0];
        }
    }
    while (n_walking > 0) {
        throw_if_stopped(kTogether * kSteps);
        std::uint32_t arrived = 0;
        for (int step = 0; step < kSteps; ++step) {
            for (std::size_t i = 0; i < kTogether; ++i) {
                const Node& node = *at[i];
                if (step == kSteps - 1) arrived |= static_cast<std::uint32_t>(node.is_leaf()) << i;
                at[i] = node.template step<kMissing>(Steps::value(node, terms, features[i], stride));
            }
        }
        for (; arrived != 0; arrived &= arrived - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(arrived));
            if (walkers[i] == nullptr) continue;
            walkers[i]->node = static_cast<std::uint32_t>(at[i] - forest_.root<Node>(walkers[i]->tree));
            walkers[i]->leaf = at[i]->leaf_number();
            if (next != end) {
                set_out(i);
            } else {
                walkers[i] = nullptr;
                --n_walking;
            }
        }
    }
}

// Through a forest whose directions have columns of which the space alone knows how to read them.
template <typename T>
void Descent::walk_alone(Walker& walker) {
    const T* const features = block_.as<T>() + walker.sample * block_.row_stride;
    const PackedNode* const root = forest_.root<PackedNode>(walker.tree);
    const PackedNode* at = root + walker.node;
    std::int64_t work = 0;
    while (!at->is_leaf()) {
        float value = 0.0F;
        if (at->n_blocks == 0) {
            walker.node = static_cast<std::uint32_t>(at - root);
            value = columns_->project_sample(direction_of(walker), walker.sample);
        } else {
            work += kTermsOfBlock * at->n_blocks;
            value = TermSteps::value(*at, forest_.terms(), features, block_.column_stride);
        }
        // A branch: the processor guesses it, and loads what comes next before the value is known.
        at += goes_left(value, at->threshold, at->missing_left()) ? at->next : at->next + 1;
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
