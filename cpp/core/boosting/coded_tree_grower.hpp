// Grows one boosted tree: the leaf with the best split is split next, or every node where leaves are not limited.
#pragma once

#include <cstdint>
#include <vector>

#include "core/boosting/coded_tree.hpp"
#include "core/boosting/gradients.hpp"
#include "core/boosting/node_histograms.hpp"
#include "core/boosting/split_search.hpp"
#include "core/buffer.hpp"
#include "core/shared_loops.hpp"

namespace silvan {

struct TreeTask {
    std::vector<const WholeGradients*> outputs;      // one, or several where leaves are vectors
    const Buffer<std::uint32_t>* samples = nullptr;  // ascending, or nullptr: all
    std::uint64_t key = 0;
};

// Its memory serves one tree after the other.
class CodedTreeGrower {
public:
    CodedTreeGrower(const ColumnPool& pool, const BoostOptions& options) : pool_(pool), options_(options) {}

    void grow(const TreeTask& task, SharedLoops& loops);

    // Children come after their parents. The samples of a leaf are samples()[begin .. end), ascending.
    const std::vector<CodedNode>& nodes() const { return nodes_; }
    const std::uint32_t* samples() const { return samples_.data(); }

private:
    // What a node needs while it may still be split.
    struct OpenNode {
        std::int32_t histogram = -1;
        std::vector<std::int64_t> totals;  // what a bin with all its samples has
        std::uint64_t key = 0;
        std::vector<std::uint8_t> groups;  // interaction groups that have all features of its path
    };

    void start(const TreeTask& task, SharedLoops& loops);
    void choose_columns(std::uint64_t key);
    bool may_split(const CodedNode& node) const;
    void open_root(SharedLoops& loops);
    void split(std::int32_t parent, bool search_children, SharedLoops& loops);
    void search_children(std::int32_t parent, SharedLoops& loops);
    void search_nodes(const std::vector<std::int32_t>& nodes, std::int32_t filled, std::int32_t parent,
                      SharedLoops& loops);
    NodeSamples samples_of(std::int32_t node) const;
    SearchedNode describe(std::int32_t node, const std::vector<std::uint8_t>& allowed) const;
    void keep_best(std::int32_t node, const CodedSplit* of_groups);
    std::int32_t take_next();
    // Orders nodes by gain, equal ones so that the first is last.
    auto by_gain() const {
        return [this](std::int32_t a, std::int32_t b) {
            const double first = nodes_[static_cast<std::size_t>(a)].split.gain;
            const double second = nodes_[static_cast<std::size_t>(b)].split.gain;
            return first < second || (first == second && a > b);
        };
    }
    void bound_children(const CodedNode& parent, CodedNode& left, CodedNode& right) const;
    std::int64_t partition(const CodedNode& node, SharedLoops& loops);
    std::int64_t partition_block(const CodedSplit& split, std::int64_t begin, std::int64_t end);
    std::vector<std::uint8_t> allowed_columns(const OpenNode& open) const;
    SharedLoops& loops_for(std::int64_t work, SharedLoops& loops);

    const ColumnPool& pool_;
    const BoostOptions& options_;
    const TreeTask* task_ = nullptr;
    std::vector<std::uint8_t> columns_;  // 1 where the tree may split
    std::vector<CodedNode> nodes_;
    std::vector<OpenNode> open_;
    std::vector<std::int32_t> queue_;  // nodes with a split: a heap by gain, or a stack without a limit on leaves
    Buffer<std::uint32_t> samples_;
    Buffer<std::uint32_t> spare_;
    NodeHistograms histograms_;
    std::vector<SplitSearch> search_;  // of this tree
    std::vector<SplitSearch::Scratch> scratch_;
    SharedLoops alone_;
};

}  // namespace silvan
