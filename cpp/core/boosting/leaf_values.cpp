// Sums of gradients in leaves, and what follows from them.
#include "core/boosting/leaf_values.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/boosting/newton_step.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 12;
constexpr std::int64_t kScoreBlock = std::int64_t{1} << 13;  // samples whose scores are worth a thread

struct Sums {
    double gradient = 0.0;
    double hessian = 0.0;
};

void number_leaves(GrownTree& tree) {
    tree.n_leaves = 0;
    tree.leaf_of_node.assign(tree.nodes.size(), -1);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (tree.nodes[i].is_leaf()) tree.leaf_of_node[i] = static_cast<std::int32_t>(tree.n_leaves++);
    }
}

// Some samples of a leaf.
struct LeafPart {
    std::size_t node;
    std::int64_t begin;
    std::int64_t end;
};

// Leaves differ in size, so that large ones are shared by threads.
std::vector<LeafPart> part_leaves(const GrownTree& tree) {
    std::vector<LeafPart> parts;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CodedNode& node = tree.nodes[i];
        if (!node.is_leaf()) continue;
        for (std::int64_t begin = node.begin; begin < node.end; begin += kBlock) {
            parts.push_back({i, begin, std::min(begin + kBlock, node.end)});
        }
    }
    return parts;
}

// Of every node and output. Parts of leaves are added in their order, so that sums do not depend on the threads.
std::vector<Sums> sum_nodes(const std::vector<WholeGradients>& outputs, const std::uint32_t* samples,
                            const GrownTree& tree, SharedLoops& loops) {
    const auto n_outputs = static_cast<std::size_t>(tree.n_outputs);
    const std::size_t n_nodes = tree.nodes.size();
    const std::vector<LeafPart> parts = part_leaves(tree);
    std::vector<Sums> of_parts(parts.size() * n_outputs);
    loops.for_each(static_cast<std::int64_t>(parts.size()), [&](std::int64_t number, std::int64_t) {
        const auto p = static_cast<std::size_t>(number);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            const double* g = outputs[k].gradient();
            const double* h = outputs[k].hessian();
            throw_if_stopped(4 * (parts[p].end - parts[p].begin));
            Sums sum;
            for (std::int64_t s = parts[p].begin; s < parts[p].end; ++s) {
                sum.gradient += g[samples[s]];
                sum.hessian += h[samples[s]];
            }
            of_parts[p * n_outputs + k] = sum;
        }
    });
    std::vector<Sums> sums(n_nodes * n_outputs);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::size_t k = 0; k < n_outputs; ++k) {
            Sums& sum = sums[parts[p].node * n_outputs + k];
            sum.gradient += of_parts[p * n_outputs + k].gradient;
            sum.hessian += of_parts[p * n_outputs + k].hessian;
        }
    }
    for (std::size_t i = n_nodes; i-- > 0;) {
        if (tree.nodes[i].is_leaf()) continue;
        const auto left = static_cast<std::size_t>(tree.nodes[i].left);
        for (std::size_t k = 0; k < n_outputs; ++k) {
            const Sums& a = sums[left * n_outputs + k];
            const Sums& b = sums[(left + 1) * n_outputs + k];
            sums[i * n_outputs + k] = {a.gradient + b.gradient, a.hessian + b.hessian};
        }
    }
    return sums;
}

void write_split(const CodedNode& node, std::size_t i, const ColumnPool& pool, TreeArrays& arrays) {
    const PoolColumn& column = pool.column(node.split.column);
    arrays.nodes[i].left = node.left;
    arrays.nodes[i].threshold = column.bins.edge(node.split.bin);
    arrays.nodes[i].missing_left = node.split.missing_left ? 1 : 0;
    arrays.add_direction(i, column.direction(), pool.n_features());
}

void write_leaf(GrownTree& tree, std::size_t i, const Sums* sums, const BoostOptions& options, TreeArrays& arrays) {
    arrays.nodes[i].left = -1 - tree.leaf_of_node[i];
    arrays.leaves.push_back({static_cast<std::int32_t>(tree.n_outputs), 0});
    for (std::int64_t k = 0; k < tree.n_outputs; ++k) {
        const double value = newton_value(sums[k].gradient, sums[k].hessian, options, tree.nodes[i].bounds);
        arrays.value_outputs.push_back(static_cast<std::int32_t>(tree.first_output + k));
        arrays.values.push_back(options.learning_rate * value);
        tree.values.push_back(options.learning_rate * value);
    }
}

// Where hessians all but vanish the impurity is beyond float32.
float to_finite(double value) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

const double* values_of(const GrownTree& tree, std::size_t leaf) {
    return tree.values.data() + tree.leaf_of_node[leaf] * tree.n_outputs;
}

// Adds the values of a leaf to the scores of one sample.
void add_leaf(const GrownTree& tree, std::size_t node, double* scores) {
    const double* values = values_of(tree, node);
    for (std::int64_t k = 0; k < tree.n_outputs; ++k) scores[tree.first_output + k] += values[k];
}

}  // namespace

TreeArrays value_leaves(const std::vector<WholeGradients>& outputs, const ColumnPool& pool, const BoostOptions& options,
                        const std::uint32_t* samples, GrownTree& tree, SharedLoops& loops) {
    number_leaves(tree);
    const std::vector<Sums> sums = sum_nodes(outputs, samples, tree, loops);
    TreeArrays arrays;
    arrays.add_nodes(tree.nodes.size());
    tree.values.clear();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CodedNode& node = tree.nodes[i];
        const Sums* here = sums.data() + i * static_cast<std::size_t>(tree.n_outputs);
        double score = 0.0;
        for (std::int64_t k = 0; k < tree.n_outputs; ++k) {
            arrays.nodes[i].weight += here[k].hessian;
            score += newton_score(here[k].gradient, here[k].hessian, options, node.bounds);
        }
        arrays.nodes[i].n_samples = static_cast<std::int32_t>(node.size());
        // Weight times impurity falls by the gain of a split.
        arrays.nodes[i].impurity = arrays.nodes[i].weight > 0.0 ? to_finite(-score / arrays.nodes[i].weight) : 0.0F;
        if (node.is_leaf()) {
            write_leaf(tree, i, here, options, arrays);
        } else {
            write_split(node, i, pool, arrays);
        }
    }
    return arrays;
}

// A thread writes the scores of samples that are neighbours: those of a leaf lie between those of others, and threads
// that write to the same cache lines wait for each other.
void add_by_leaf(const GrownTree& tree, const std::uint32_t* samples, std::int64_t n_samples, std::int64_t n_outputs,
                 double* scores, SharedLoops& loops) {
    const std::int64_t n_blocks = 2 * loops.n_threads();
    const std::int64_t block = std::max(kScoreBlock, (n_samples + n_blocks - 1) / n_blocks);
    loops.for_blocks(n_samples, block, [&](std::int64_t first, std::int64_t last) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            const CodedNode& node = tree.nodes[i];
            if (!node.is_leaf()) continue;
            const std::uint32_t* end = std::lower_bound(samples + node.begin, samples + node.end, last);
            const std::uint32_t* begin = std::lower_bound(samples + node.begin, end, first);
            throw_if_stopped(4 * (end - begin) + 16);
            const double* values = values_of(tree, i);
            for (std::int64_t k = 0; k < tree.n_outputs; ++k) {
                double* to = scores + tree.first_output + k;
                const double value = values[k];
                for (const std::uint32_t* s = begin; s < end; ++s) to[*s * n_outputs] += value;
            }
        }
    });
}

void add_by_route(const GrownTree& tree, const ColumnPool& pool, const Buffer<std::uint32_t>& samples,
                  std::int64_t n_outputs, double* scores, SharedLoops& loops) {
    const CodedRouter router(tree.nodes, pool);
    loops.for_blocks(static_cast<std::int64_t>(samples.size()), kBlock, [&](std::int64_t first, std::int64_t last) {
        throw_if_stopped(64 * (last - first));
        for (std::int64_t s = first; s < last; ++s) {
            const std::uint32_t sample = samples[static_cast<std::size_t>(s)];
            add_leaf(tree, router.leaf_of(sample), scores + sample * n_outputs);
        }
    });
}

}  // namespace silvan
