// Rows walk in groups: each round takes every row of a group one step further, until all are at leaves.
//
// The steps of a round do not wait for each other, so that their loads overlap, and no branch depends on where a row
// goes. Where most directions are long or over other columns than features, the rows of a block are instead divided at
// each node as in growing, until few are left, so that they are projected by the same vector kernel; those few walk
// the rest of the way. Either way values are those of growing, bit for bit: a training row can never be rounded to
// another side.
#include "core/descent.hpp"

#include <bit>
#include <cstddef>

#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::size_t kGroup = 8;
constexpr std::int64_t kWalkSingly = 16;  // where more rows are at a node, they may be divided together

bool has_missing(const FeatureMatrix& block) {
    if (block.type != FeatureType::float32) return false;
    for (std::int64_t i = 0; i < block.n_samples; ++i) {
        const float* row = block.as<float>() + i * block.row_stride;
        bool missing = false;
        for (std::int64_t j = 0; j < block.n_features; ++j) {
            const float value = row[j * block.column_stride];
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

const std::vector<Walker>& Descent::run(std::int64_t tree, std::vector<std::uint32_t>& rows) {
    walkers_.clear();
    if (forest_.is_mostly_packed()) {
        set_out(tree, forest_.root(tree), rows.data(), static_cast<std::int64_t>(rows.size()));
    } else {
        divide(tree, rows);
    }
    walk();
    return walkers_;
}

const std::vector<Walker>& Descent::run_row(std::uint32_t row) {
    walkers_.clear();
    for (std::int64_t tree = 0; tree < forest_.view().n_trees; ++tree) set_out(tree, forest_.root(tree), &row, 1);
    walk();
    return walkers_;
}

void Descent::set_out(std::int64_t tree, const PackedNode* node, const std::uint32_t* rows, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) walkers_.push_back({node, rows[i], static_cast<std::uint32_t>(tree)});
}

// Takes the rows to nodes that few of them share, and lets them set out from there.
void Descent::divide(std::int64_t tree, std::vector<std::uint32_t>& rows) {
    const TreeView nodes(forest_.view(), tree);
    open_.clear();
    open_.push_back({0, 0, static_cast<std::int64_t>(rows.size())});
    while (!open_.empty()) {
        const Group group = open_.back();
        open_.pop_back();
        std::uint32_t* first = rows.data() + group.begin;
        const std::int64_t n = group.end - group.begin;
        throw_if_stopped(n);
        if (n <= kWalkSingly || nodes.left[group.node] < 0) {
            set_out(tree, forest_.root(tree) + group.node, first, n);
        } else {
            divide_group(nodes, group, first, n);
        }
    }
}

void Descent::divide_group(const TreeView& tree, const Group& group, std::uint32_t* rows, std::int64_t n) {
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

void Descent::walk() {
    // The last group is filled up with copies of its first walker, which are dropped again.
    const std::size_t n_walkers = walkers_.size();
    while (walkers_.size() % kGroup != 0) walkers_.push_back(walkers_[n_walkers - n_walkers % kGroup]);
    if (block_.type == FeatureType::float32) {
        walk_typed<float>();
    } else {
        walk_typed<std::uint8_t>();
    }
    walkers_.resize(n_walkers);
}

template <typename T>
void Descent::walk_typed() {
    const bool unit = block_.column_stride == 1;
    for (std::size_t first = 0; first < walkers_.size(); first += kGroup) {
        Walker* walkers = walkers_.data() + first;
        if (!forest_.has_single_terms()) {
            walk_chunks<T>(walkers);
        } else if (missing_) {
            unit ? walk_single_terms<T, true, true>(walkers) : walk_single_terms<T, false, true>(walkers);
        } else {
            unit ? walk_single_terms<T, true, false>(walkers) : walk_single_terms<T, false, false>(walkers);
        }
    }
}

template <typename T, bool kUnitStride, bool kMissing>
void Descent::walk_single_terms(Walker* walkers) {
    const std::int64_t stride = kUnitStride ? 1 : block_.column_stride;
    const PackedNode* at[kGroup];
    const T* features[kGroup];
    for (std::size_t i = 0; i < kGroup; ++i) {
        at[i] = walkers[i].at;
        features[i] = block_.as<T>() + walkers[i].row * block_.row_stride;
    }
    std::int32_t going = 1;
    while (going != 0) {
        throw_if_stopped(kGroup);
        going = 0;
        for (std::size_t i = 0; i < kGroup; ++i) {
            const PackedNode& node = *at[i];
            going |= node.next;
            at[i] = node.step<kMissing>(node.weight * static_cast<float>(features[i][node.place() * stride]));
        }
    }
    for (std::size_t i = 0; i < kGroup; ++i) walkers[i].at = at[i];
}

// Adds the first chunk of each direction, and then the rest of those that have more. The same operations in the same
// order as the projection kernels.
template <typename T>
void Descent::walk_chunks(Walker* walkers) {
    const std::int64_t stride = block_.column_stride;
    const TermChunk* const chunks = forest_.chunks();
    const T* features[kGroup];
    float sums[kGroup];
    for (std::size_t i = 0; i < kGroup; ++i) features[i] = block_.as<T>() + walkers[i].row * block_.row_stride;
    std::int32_t going = 1;
    while (going != 0) {
        throw_if_stopped(4 * kGroup);
        std::uint32_t unfinished = 0;
        for (std::size_t i = 0; i < kGroup; ++i) {
            const PackedNode& node = *walkers[i].at;
            const TermChunk& chunk = chunks[node.place()];
            float sum = chunk.weights[0] * static_cast<float>(features[i][chunk.columns[0] * stride]);
            for (std::size_t k = 1; k < TermChunk::kTerms; ++k) {
                sum += chunk.weights[k] * static_cast<float>(features[i][chunk.columns[k] * stride]);
            }
            sums[i] = sum;
            unfinished |= static_cast<std::uint32_t>(!node.is_leaf() & (node.n_chunks != 1)) << i;
        }
        for (; unfinished != 0; unfinished &= unfinished - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(unfinished));
            sums[i] = finish_projection<T>(walkers[i], features[i], sums[i]);
        }
        going = 0;
        for (std::size_t i = 0; i < kGroup; ++i) {
            going |= walkers[i].at->next;
            walkers[i].at = walkers[i].at->template step<true>(sums[i]);
        }
    }
}

template <typename T>
float Descent::finish_projection(const Walker& walker, const T* features, float sum) {
    const PackedNode& node = *walker.at;
    if (node.n_chunks == 0) {
        const Direction direction =
            TreeView(forest_.view(), walker.tree).direction(forest_.number(walker.at, walker.tree));
        throw_if_stopped(direction.n_nonzeros);
        return columns_->project_row(direction, walker.row);
    }
    const TermChunk* chunk = forest_.chunks() + node.place();
    for (const TermChunk* const end = chunk + node.n_chunks; ++chunk != end;) {
        for (std::size_t k = 0; k < TermChunk::kTerms; ++k) {
            sum += chunk->weights[k] * static_cast<float>(features[chunk->columns[k] * block_.column_stride]);
        }
    }
    return sum;
}

}  // namespace silvan
