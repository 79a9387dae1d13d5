// A boosted tree over the codes of the pool's columns, as it grows and as training samples are routed through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/boosting/column_pool.hpp"
#include "core/boosting/split_search.hpp"

namespace silvan {

struct CodedNode {
    std::int32_t left = -1;  // the right child is the next; -1 at a leaf
    CodedSplit split;        // the best one found; of an inner node the one that was made
    std::int64_t begin = 0;  // its samples
    std::int64_t end = 0;
    std::int64_t depth = 0;
    ValueBounds bounds;

    std::int64_t size() const { return end - begin; }
    bool is_leaf() const { return left < 0; }
};

// For each byte that a column's codes are stored as, whether it goes left.
class CodeTest {
public:
    CodeTest(const CodedSplit& split, const PoolColumn& column) {
        const std::int64_t missing = column.bins.missing_code();
        const auto goes_left = [&](std::int64_t code) {
            return code == missing ? split.missing_left : code <= split.bin;
        };
        // Codes of other columns in the same byte say that this one is in its most frequent bin.
        left_.fill(goes_left(column.place.default_bin));
        for (std::int64_t code = 0; code < column.bins.n_bins(); ++code) {
            left_[static_cast<std::size_t>(column.place.to_byte(code))] = goes_left(code);
        }
    }

    bool operator()(std::uint8_t byte) const { return left_[byte]; }

private:
    std::array<bool, static_cast<std::size_t>(kMaxCodes)> left_;
};

// Takes training samples through a tree.
class CodedRouter {
public:
    CodedRouter(const std::vector<CodedNode>& nodes, const ColumnPool& pool) : nodes_(nodes) {
        tests_.reserve(nodes.size());
        for (const CodedNode& node : nodes) {
            place_.push_back(tests_.size());
            if (node.is_leaf()) continue;
            const std::int32_t column = node.split.column;
            tests_.push_back({pool.codes_of(column), CodeTest(node.split, pool.column(column))});
        }
    }

    // The leaf of a sample, by its node.
    std::size_t leaf_of(std::int64_t sample) const {
        std::size_t at = 0;
        while (!nodes_[at].is_leaf()) {
            const auto& [codes, goes_left] = tests_[place_[at]];
            at = static_cast<std::size_t>(nodes_[at].left) + (goes_left(codes[sample * kColumnGroup]) ? 0 : 1);
        }
        return at;
    }

private:
    struct Test {
        const std::uint8_t* codes;
        CodeTest goes_left;
    };

    const std::vector<CodedNode>& nodes_;
    std::vector<std::size_t> place_;  // of inner nodes among the tests
    std::vector<Test> tests_;
};

}  // namespace silvan
