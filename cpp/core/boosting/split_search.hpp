// Finds the best split of a node in the histograms of its columns.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/boosting/column_pool.hpp"
#include "core/boosting/gradients.hpp"
#include "core/boosting/newton_step.hpp"
#include "core/boosting/options.hpp"

namespace silvan {

// Samples with codes up to `bin` go left, and missing ones if it says so.
struct CodedSplit {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t column = -1;
    std::int32_t bin = 0;
    bool missing_left = false;
    double left_value = 0.0;  // where the column is constrained
    double right_value = 0.0;

    bool found() const { return column >= 0; }
    // Equal gains go to the first column.
    bool beats(const CodedSplit& other) const {
        return gain > other.gain || (gain == other.gain && found() && column < other.column);
    }
};

// What is known of a node when it is searched.
struct SearchedNode {
    const std::int64_t* histogram = nullptr;
    std::vector<GradientSums> totals;  // of each output
    double score = 0.0;
    ValueBounds bounds;
    const std::uint8_t* allowed = nullptr;  // per column, or nullptr: all
    std::uint64_t key = 0;
};

class SplitSearch {
public:
    // `columns` has 1 for each column that may be split; histograms of the others are not read.
    SplitSearch(const ColumnPool& pool, const BoostOptions& options, const std::vector<const WholeGradients*>& outputs,
                const std::vector<std::uint8_t>& columns);

    // Words of a node's histogram: output after output, bin after bin.
    std::int64_t n_words() const { return output_start_.back(); }
    std::int64_t output_start(std::size_t output) const { return output_start_[output]; }

    // Fills in totals and score, from what a bin with all samples has, two words per output.
    void describe(const std::vector<std::int64_t>& words, SearchedNode& node) const;

    // Memory of a thread that searches.
    struct Scratch {
        std::vector<double> gradient, hessian, weight, count, score;  // per edge that is tried
        std::vector<std::int32_t> edge;                               // its number
        Scratch();
    };

    // The best split along the columns of a group.
    CodedSplit search_group(const SearchedNode& node, std::int64_t group, Scratch& scratch) const;

private:
    void search_column(const SearchedNode& node, std::int64_t column, Scratch& scratch, CodedSplit& best) const;
    EdgeLimits score_edges(const SearchedNode& node, const PoolColumn& searched, bool missing_left,
                           std::int64_t n_edges, Scratch& scratch) const;
    void search_side(const SearchedNode& node, std::int64_t column, bool missing_left, std::int64_t n_edges,
                     Scratch& scratch, CodedSplit& best) const;
    std::int64_t list_edges(const SearchedNode& node, const PoolColumn& column, std::int64_t n_edges,
                            Scratch& scratch) const;
    void sum_edges(const SearchedNode& node, const PoolColumn& column, bool missing_left, std::int64_t n_tried,
                   std::size_t output, Scratch& scratch) const;
    void score_constrained(const SearchedNode& node, int direction, std::int64_t n_edges, Scratch& scratch) const;
    std::int64_t random_edge(const SearchedNode& node, std::int64_t column, std::int64_t n_edges,
                             const Scratch& scratch) const;
    int constraint(const PoolColumn& column) const;

    const ColumnPool& pool_;
    const BoostOptions& options_;
    const std::vector<const WholeGradients*>& outputs_;
    const std::vector<std::uint8_t>& columns_;
    std::vector<std::int64_t> output_start_;
    bool constrained_;
};

}  // namespace silvan
