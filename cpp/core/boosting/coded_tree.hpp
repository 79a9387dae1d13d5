// A boosted tree over the codes of the pool's columns, as it grows and as training samples are routed through it.
#pragma once

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

// Whether a code goes left; the codes of missing values are the last of their columns.
struct CodeTest {
    std::uint8_t bin;
    std::uint8_t missing;  // the code that goes left besides, or `bin`

    CodeTest(const CodedSplit& split, const PoolColumn& column)
        : bin(static_cast<std::uint8_t>(split.bin)),
          missing(static_cast<std::uint8_t>(split.missing_left ? column.bins.missing_code() : split.bin)) {}

    bool operator()(std::uint8_t code) const {
        return static_cast<int>(code <= bin) | static_cast<int>(code == missing);
    }
};

// The leaf, by its node, of a sample.
inline std::int32_t route(const std::vector<CodedNode>& nodes, const ColumnPool& pool, std::int64_t sample) {
    std::int32_t at = 0;
    for (;;) {
        const CodedNode& node = nodes[static_cast<std::size_t>(at)];
        if (node.is_leaf()) return at;
        const std::uint8_t code = pool.codes_of(node.split.column)[sample * kColumnGroup];
        at = node.left + (CodeTest(node.split, pool.column(node.split.column))(code) ? 0 : 1);
    }
}

}  // namespace silvan
