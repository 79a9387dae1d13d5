// Grows one tree (Tomita 2018, algorithm 1): draw samples, then split node after node along the best direction.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/criteria/node_search.hpp"
#include "core/estimation_samples.hpp"
#include "core/forest.hpp"
#include "core/grow_options.hpp"
#include "core/sample_draws.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/search/scratch.hpp"
#include "core/shared_search.hpp"
#include "core/small_subtree.hpp"
#include "core/split_kernels.hpp"
#include "core/training_set.hpp"
#include "core/tree_parts.hpp"
#include "core/value_bounds.hpp"

namespace silvan {

// A node that is not grown yet; samples are counted from the first of its tree.
struct OpenNode {
    std::int64_t begin, end;
    std::int32_t node;
    std::int64_t depth;
    std::uint64_t key;
    EstimationRange estimates;
    ValueBounds bounds;
    double time = 0.0;  // when its turn is, where chance decides which leaf is split next
};

// A subtree for another thread: its root, and what it must know of the tree.
struct Subtree {
    OpenNode root;
    std::int64_t tree;
    double tree_weight;
    std::uint32_t* samples;
    std::int32_t* counts;
    std::unique_ptr<ProjectionSampler> sampler;
    TreePart* part;  // to be filled
};

// Threads that may go on with subtrees, or search a node together.
class Helpers {
public:
    virtual ~Helpers() = default;
    virtual bool are_idle() const = 0;
    virtual void take(Subtree&& subtree) = 0;
    // Asks those that are idle to search; none begins and none is left once withdraw returns.
    virtual void offer(SharedSearch& search) = 0;
    virtual void withdraw(SharedSearch& search) = 0;
};

class TreeGrower {
public:
    // Smaller nodes are not worth the trouble of handing them over.
    static constexpr std::int64_t kLeastHandedOver = 4096;
    // Nor is it worth the trouble to search smaller ones together: whoever helps reads the targets of the node first.
    static constexpr std::int64_t kLeastShared = std::int64_t{1} << 14;

    TreeGrower(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options);

    // Fills `tree` anew. Where helpers took some of it, its memory and the counts of its samples (see take_counts) must
    // stay until they are done.
    void grow(std::int64_t number, TreePart& tree, Helpers* helpers = nullptr);

    // Grows what another thread handed over.
    void grow(Subtree& subtree, Helpers* helpers);

    // Searches directions of a node that another thread grows.
    void help(SharedSearch& search);

    Buffer<std::int32_t> take_counts() { return std::move(counts_); }

private:
    void reserve_samples(std::int64_t n_samples, std::int64_t n_leaf_samples);
    void draw_tree_samples(Buffer<std::uint32_t>& samples);
    void set_tree_weight(double weight);
    void grow_open_nodes(ProjectionSampler& sampler, TreePart& part, Helpers* helpers);
    bool hand_over(const OpenNode& open, const ProjectionSampler& sampler, TreePart& part, Helpers& helpers);
    // Grows the whole subtree and returns true, where that is faster than node by node.
    bool grow_small(const OpenNode& open, TreeArrays& arrays);
    void grow_node(const OpenNode& open, ProjectionSampler& sampler, TreeArrays& arrays);
    Split describe_node(const OpenNode& open, ProjectionSampler& sampler, bool search, TreeArrays& arrays);
    // A leaf that can be split, as long as others are split first.
    struct SplitLeaf {
        OpenNode open;
        Split split;
        double gain;
        double middle;           // of its sides
        std::uint64_t redraw;    // the draw that the direction is from
        ProjectionBatch winner;  // that direction alone
    };
    void grow_best_first(ProjectionSampler& sampler, TreeArrays& arrays);
    void queue_leaf(const OpenNode& open, const Split& split, std::vector<SplitLeaf>& queue) const;
    void split_again(SplitLeaf&& leaf, TreeArrays& arrays);
    double turn_of(std::uint64_t key, double time_of_parent) const;
    bool may_split(const OpenNode& open, const NodeSummary& summary) const;
    NodeContext context_of(const OpenNode& open);
    Split find_split(const OpenNode& open, ProjectionSampler& sampler);
    Split search_directions(const NodeContext& node, ProjectionSampler& sampler);
    bool searches_alone(const NodeContext& node) const;
    void take_directions(SharedSearch& search, const NodeContext& node);
    bool samples_are_identical(const OpenNode& open) const;
    std::int64_t partition(const OpenNode& open, const Split& split);
    void add_split(const OpenNode& open, const Split& split, double middle, TreeArrays& arrays);
    void add_leaf(const OpenNode& open, TreeArrays& arrays);

    const TrainingSet& training_;
    const ProjectionDistribution& distribution_;
    GrowOptions options_;
    std::int64_t tree_ = 0;
    double tree_weight_ = 0.0;
    std::uint32_t* samples_ = nullptr;   // the samples that decide splits, node by node
    std::int32_t* counts_of_ = nullptr;  // how often each of them was drawn
    Buffer<std::int32_t> counts_;        // the same of the tree that this thread began
    Buffer<std::uint32_t> structure_;    // those samples of an honest tree; another's are its members in the end
    EstimationSamples estimation_;
    std::vector<OpenNode> open_;
    Helpers* helpers_ = nullptr;  // of the tree or subtree that is grown
    ProjectionBatch batch_;
    std::uint64_t redraw_ = 0;  // the draw at a node that the batch is from
    ValueBounds bounds_;        // of the node that is searched
    std::unique_ptr<NodeColumns> columns_;
    SearchScratch scratch_;
    std::unique_ptr<NodeSearch> search_;
    SmallSubtree small_;
};

}  // namespace silvan
