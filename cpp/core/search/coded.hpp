// The engine of features with few values: the classes of each value are counted, for several directions in one pass
// over a node's samples, and nothing is projected, compared or sorted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/node_context.hpp"
#include "core/random.hpp"
#include "core/split.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

// Columns that are counted together.
inline constexpr std::int64_t kMaxCodedColumns = 8;

// A split whose values were counted: the next value and the weight up to `lower` are known without another look.
struct CountedSplit : Split {
    float upper = 0.0F;
    double weight_left = 0.0;
};

// Memory and counts of one node at a time. A value of a column has a cell: the count of each class and, where leaves
// must have several samples, their number. Few classes share a 64-bit word, so that a sample adds one number.
class CodeCounts {
public:
    // The node's samples and targets must stay while it is searched.
    void start(const NodeContext& node, const ClassTargets& targets, std::int64_t min_samples_leaf);

    // What each sample adds to a cell, and the bits of a class there; 0 where classes do not share a word.
    const std::uint64_t* words() const { return words_.data(); }
    std::int32_t bits() const { return bits_; }

    // Counts the samples in columns 0, 1, ... of `columns`, which are at most kMaxCodedColumns; all have codes.
    void count(const CodedColumn* columns, std::int64_t n_columns);

    // Searches column `i` of those counted, once: the best threshold or, where `random` is given, one that is drawn.
    // The split tells whether the column varies, and what else is known of it.
    CountedSplit search(std::int64_t i, Random* random);

private:
    // The codes that samples of the node have, ascending.
    struct Occupied {
        std::array<std::uint8_t, 256> codes;
        std::int32_t n = 0;
    };

    // How the columns are read at this node.
    const std::uint8_t* codes_of(std::int64_t i) const {
        const CodedColumn& column = columns_[static_cast<std::size_t>(i)];
        return streams_ ? column.contiguous : column.codes;
    }
    Occupied list_occupied(std::int64_t i) const;
    template <typename Side>
    CountedSplit search_best(const CodedColumn& column, const Occupied& occupied, Side&& left) const;
    template <typename Side>
    CountedSplit search_drawn(const CodedColumn& column, const Occupied& occupied, Random& random, Side&& left) const;
    template <typename Side>
    CountedSplit search_with(std::int64_t i, const Occupied& occupied, Random* random, Side&& left) const;
    void clear_cells(std::int64_t i, const Occupied& occupied);

    const std::uint32_t* samples_ = nullptr;
    std::int64_t n_samples_ = 0;
    std::int64_t min_samples_leaf_ = 1;
    ClassTargets targets_;
    std::int32_t n_fields_ = 0;         // of a cell
    std::int32_t bits_ = 0;             // of a field in a word; 0 where each has a number of its own
    std::vector<std::uint64_t> words_;  // what each sample adds to a cell
    std::array<CodedColumn, kMaxCodedColumns> columns_;
    bool streams_ = false;     // whether codes are read column by column
    std::int64_t stride_ = 1;  // bytes between the codes of a sample and of the next
    std::array<std::size_t, kMaxCodedColumns> first_cell_{};
    std::vector<std::uint64_t> cells_;      // zero between searches
    std::vector<std::int32_t> wide_cells_;  // n_fields_ numbers each, where they do not share a word; likewise
    std::vector<std::int64_t> wide_left_;
};

}  // namespace silvan
