// Counts samples by codes and classes, and scores what is between the codes that occur.
#include "core/search/coded.hpp"

#include <algorithm>
#include <bit>

#include "core/search/counted_sides.hpp"
#include "core/search/random_threshold.hpp"

namespace silvan {
namespace {

// What a pass over a node's samples adds up: codes and cells of some columns.
template <typename Cell>
struct Pass {
    const std::uint32_t* samples;
    std::int64_t n_samples;
    std::int64_t stride;
    const std::uint8_t* codes[kMaxCodedColumns];
    Cell* cells[kMaxCodedColumns];
};

constexpr std::int64_t kAhead = 32;  // codes are fetched so many samples before they are due

// Columns that are counted in one pass: their cells do not wait for each other. The number is a constant, so that all
// pointers stay in registers. `add` adds sample i to the cell of a code.
template <std::size_t kColumns, typename Cell, typename Add>
void add_samples(const Pass<Cell>& pass, const Add& add) {
    const std::uint8_t* codes[kColumns];
    Cell* cells[kColumns];
    std::copy_n(pass.codes, kColumns, codes);
    std::copy_n(pass.cells, kColumns, cells);
    const auto add_sample = [&](std::int64_t i) {
        const std::int64_t at = pass.samples[i] * pass.stride;
        for (std::size_t c = 0; c < kColumns; ++c) add(i, cells[c], codes[c][at]);
    };
    std::int64_t i = 0;
    if (pass.stride > 1) {
        const auto [first, last] = std::minmax_element(codes, codes + kColumns);
        for (; i + kAhead < pass.n_samples; ++i) {
            const std::int64_t next = pass.samples[i + kAhead] * pass.stride;
            __builtin_prefetch(*first + next);
            __builtin_prefetch(*last + next);
            add_sample(i);
        }
    }
    for (; i < pass.n_samples; ++i) add_sample(i);
}

template <typename Cell, typename Add>
void add_columns(const Pass<Cell>& pass, std::int64_t n_columns, const Add& add) {
    switch (n_columns) {
        case 1:
            return add_samples<1>(pass, add);
        case 2:
            return add_samples<2>(pass, add);
        case 3:
            return add_samples<3>(pass, add);
        case 4:
            return add_samples<4>(pass, add);
        case 5:
            return add_samples<5>(pass, add);
        case 6:
            return add_samples<6>(pass, add);
        case 7:
            return add_samples<7>(pass, add);
        default:
            return add_samples<kMaxCodedColumns>(pass, add);
    }
}

}  // namespace

void CodeCounts::start(const NodeContext& node, const ClassTargets& targets, std::int64_t min_samples_leaf) {
    constexpr std::int32_t kMaxFields = 8;
    samples_ = node.samples;
    n_samples_ = node.n_samples;
    min_samples_leaf_ = min_samples_leaf;
    targets_ = targets;
    const bool count_samples = min_samples_leaf > 1;
    n_fields_ = targets.n_classes + (count_samples ? 1 : 0);
    bits_ = n_fields_ <= kMaxFields ? 64 / std::max(2, n_fields_) : 0;
    if (bits_ > 0 && targets.total >> std::min(bits_, 31) != 0) bits_ = 0;
    if (bits_ == 0) return;
    const auto n = static_cast<std::size_t>(n_samples_);
    if (words_.size() < n) words_.resize(n);
    const std::uint64_t one_sample = count_samples ? std::uint64_t{1} << (bits_ * targets.n_classes) : 0;
    for (std::size_t i = 0; i < n; ++i) {
        words_[i] = (static_cast<std::uint64_t>(targets.count[i]) << (bits_ * targets.label[i])) + one_sample;
    }
}

// Nodes of many of the samples stream through columns; those of smaller ones are in the cache, or soon will be.
void CodeCounts::count(const CodedColumn* columns, std::int64_t n_columns) {
    std::copy_n(columns, n_columns, columns_.begin());
    streams_ = columns[0].contiguous != nullptr && 8 * n_samples_ > columns[0].n_samples;
    stride_ = streams_ ? 1 : columns[0].row_stride;
    std::size_t n_cells = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(n_columns); ++c) {
        first_cell_[c] = n_cells;
        n_cells += static_cast<std::size_t>(columns[c].n_codes);
    }
    const auto pass_over = [&]<typename Cell>(Cell* cells, std::int64_t width) {
        Pass<Cell> pass{samples_, n_samples_, stride_, {}, {}};
        for (std::int64_t c = 0; c < n_columns; ++c) {
            pass.codes[c] = codes_of(c);
            pass.cells[c] = cells + first_cell_[static_cast<std::size_t>(c)] * static_cast<std::size_t>(width);
        }
        return pass;
    };
    if (bits_ > 0) {
        if (cells_.size() < n_cells) cells_.resize(n_cells);
        const std::uint64_t* words = words_.data();
        add_columns(pass_over(cells_.data(), 1), n_columns,
                    [words](std::int64_t i, std::uint64_t* cells, std::size_t code) { cells[code] += words[i]; });
        return;
    }
    const std::int64_t width = n_fields_;
    const std::size_t n_numbers = n_cells * static_cast<std::size_t>(width);
    if (wide_cells_.size() < n_numbers) wide_cells_.resize(n_numbers);
    const std::int32_t one_sample = n_fields_ > targets_.n_classes ? 1 : 0;
    add_columns(pass_over(wide_cells_.data(), width), n_columns,
                [this, width, one_sample](std::int64_t i, std::int32_t* cells, std::int64_t code) {
                    std::int32_t* cell = cells + code * width;
                    cell[targets_.label[i]] += targets_.count[i];
                    if (one_sample != 0) ++cell[width - 1];
                });
}

CodeCounts::Occupied CodeCounts::list_occupied(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    const CodedColumn& column = columns_[at];
    const std::int64_t width = bits_ > 0 ? 1 : n_fields_;
    Occupied occupied;
    const auto list = [&occupied](std::int32_t code, bool found) {
        occupied.codes[static_cast<std::size_t>(occupied.n)] = static_cast<std::uint8_t>(code);
        occupied.n += found ? 1 : 0;
    };
    if (column.n_codes * width > 4 * n_samples_ + 16) {
        // A look at each sample is shorter than one at each cell.
        std::array<std::uint64_t, 4> present{};
        const std::uint8_t* codes = codes_of(i);
        for (std::int64_t s = 0; s < n_samples_; ++s) {
            const std::uint32_t code = codes[samples_[s] * stride_];
            present[code / 64] |= std::uint64_t{1} << (code % 64);
        }
        for (std::int32_t part = 0; part < 4; ++part) {
            for (std::uint64_t rest = present[static_cast<std::size_t>(part)]; rest != 0; rest &= rest - 1) {
                list(64 * part + std::countr_zero(rest), true);
            }
        }
    } else if (bits_ > 0) {
        const std::uint64_t* cells = cells_.data() + first_cell_[at];
        for (std::int32_t code = 0; code < column.n_codes; ++code) list(code, cells[code] != 0);
    } else {
        const std::int32_t* cells = wide_cells_.data() + first_cell_[at] * static_cast<std::size_t>(width);
        for (std::int32_t code = 0; code < column.n_codes; ++code, cells += width) {
            list(code, std::any_of(cells, cells + width, [](std::int32_t count) { return count != 0; }));
        }
    }
    return occupied;
}

template <typename Side>
CountedSplit CodeCounts::search_best(const CodedColumn& column, const Occupied& occupied, Side&& left) const {
    CountedSplit best;
    for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(occupied.n); ++k) {
        left.add(occupied.codes[k]);
        if (!left.has_samples(n_samples_, min_samples_leaf_)) continue;
        const double score = left.score();
        if (best.found && !(score > best.score)) continue;
        best.found = true;
        best.score = score;
        best.lower = column.values[occupied.codes[k]];
        best.upper = column.values[occupied.codes[k + 1]];
        best.weight_left = static_cast<double>(left.weight());
    }
    return best;
}

template <typename Side>
CountedSplit CodeCounts::search_drawn(const CodedColumn& column, const Occupied& occupied, Random& random,
                                      Side&& left) const {
    const auto last = static_cast<std::size_t>(occupied.n - 1);
    CountedSplit drawn;
    drawn.lower =
        draw_threshold({column.values[occupied.codes[0]], column.values[occupied.codes[last]], false}, random);
    for (std::size_t k = 0; column.values[occupied.codes[k]] <= drawn.lower; ++k) left.add(occupied.codes[k]);
    drawn.found = left.has_samples(n_samples_, min_samples_leaf_);
    drawn.score = left.score();
    drawn.weight_left = static_cast<double>(left.weight());
    return drawn;
}

template <typename Side>
CountedSplit CodeCounts::search_with(std::int64_t i, const Occupied& occupied, Random* random, Side&& left) const {
    const CodedColumn& column = columns_[static_cast<std::size_t>(i)];
    return random == nullptr ? search_best(column, occupied, left) : search_drawn(column, occupied, *random, left);
}

CountedSplit CodeCounts::search(std::int64_t i, Random* random) {
    const Occupied occupied = list_occupied(i);
    CountedSplit split;
    if (occupied.n > 1) {
        const std::size_t first = first_cell_[static_cast<std::size_t>(i)];
        if (bits_ == 32) {
            split = search_with(i, occupied, random, TwoClasses{cells_.data() + first, targets_});
        } else if (bits_ > 0) {
            split = search_with(i, occupied, random, ClassesOfWord{cells_.data() + first, targets_, bits_});
        } else {
            wide_left_.assign(static_cast<std::size_t>(n_fields_), 0);
            const std::int32_t* cells = wide_cells_.data() + first * static_cast<std::size_t>(n_fields_);
            split = search_with(i, occupied, random, ManyClasses{cells, targets_, n_fields_, wide_left_});
        }
        split.varies = true;
    }
    clear_cells(i, occupied);
    return split;
}

void CodeCounts::clear_cells(std::int64_t i, const Occupied& occupied) {
    const std::size_t first = first_cell_[static_cast<std::size_t>(i)];
    const auto width = static_cast<std::size_t>(n_fields_);
    for (std::size_t k = 0; k < static_cast<std::size_t>(occupied.n); ++k) {
        const std::size_t cell = first + occupied.codes[k];
        if (bits_ > 0) {
            cells_[cell] = 0;
        } else {
            std::fill_n(wide_cells_.begin() + static_cast<std::ptrdiff_t>(cell * width), width, 0);
        }
    }
}

}  // namespace silvan
