// Counts samples by the codes of several features, and scores thresholds drawn among the values that occur.
#include "core/search/joint_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/columns/column_space.hpp"
#include "core/search/counted_sides.hpp"
#include "core/search/random_threshold.hpp"
#include "core/stopping.hpp"

namespace silvan {

void JointCounts::start(const NodeContext& node, const ClassTargets& targets, const CodeCounts& counts,
                        std::int64_t min_samples_leaf) {
    node_ = node;
    targets_ = targets;
    min_samples_leaf_ = min_samples_leaf;
    words_ = counts.words();
    bits_ = counts.bits();
    columns_.clear();
    for (auto& columns : by_terms_) columns.clear();
    values_.clear();
}

bool JointCounts::add(const Direction& direction) {
    const float one = 1.0F;
    const auto n_terms = static_cast<std::size_t>(direction.n_nonzeros);
    if (bits_ == 0 || n_terms > kMaxTerms) return false;
    if (n_terms == 1 && direction.coefficients[0] == 1.0F) return false;
    if (values_.size() > kMaxAllCells) return false;
    const std::int64_t max_cells = std::min(node_.n_samples / 2, kMaxCells);
    std::array<CodedColumn, kMaxTerms> terms;
    Column column{{}, {}, values_.size(), 1};
    for (std::size_t t = 0; t < n_terms; ++t) {
        terms[t] = node_.columns->coded({direction.indices + t, &one, 1});
        if (terms[t].codes == nullptr) return false;
        column.codes[t] = terms[t].codes;
        column.n_codes[t] = terms[t].n_codes;
        column.n_cells *= static_cast<std::size_t>(terms[t].n_codes);
        if (static_cast<std::int64_t>(column.n_cells) > max_cells) return false;
    }
    if (!add_values(direction, terms)) return false;
    stride_ = terms[0].row_stride;
    by_terms_[n_terms - 1].push_back(static_cast<std::uint32_t>(columns_.size()));
    columns_.push_back(column);
    return true;
}

// The values are those of a projection, term after term. Returns false where a sum leaves the range of a float.
bool JointCounts::add_values(const Direction& direction, const std::array<CodedColumn, kMaxTerms>& terms) {
    std::array<float, kMaxCells> sums;
    std::array<float, kMaxCells> longer;
    std::size_t n = 0;
    for (std::int32_t code = 0; code < terms[0].n_codes; ++code) {
        sums[n++] = direction.coefficients[0] * terms[0].values[code];
    }
    for (std::size_t t = 1; t < static_cast<std::size_t>(direction.n_nonzeros); ++t) {
        std::size_t n_longer = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::int32_t code = 0; code < terms[t].n_codes; ++code) {
                longer[n_longer++] = sums[i] + direction.coefficients[t] * terms[t].values[code];
            }
        }
        n = n_longer;
        std::copy_n(longer.begin(), n, sums.begin());
    }
    if (!std::all_of(sums.begin(), sums.begin() + n, [](float sum) { return std::isfinite(sum); })) return false;
    values_.insert(values_.end(), sums.begin(), sums.begin() + n);
    return true;
}

// Directions that are counted together do not wait for each other's cells; the numbers are constants, so that few
// pointers leave the registers.
template <std::size_t kTerms, std::size_t kTogether>
void JointCounts::count_together(const Block& block, const std::uint32_t* columns) {
    const std::uint8_t* codes[kTogether][kTerms];
    std::int64_t n_codes[kTogether][kTerms];
    std::uint64_t* cells[kTogether];
    for (std::size_t c = 0; c < kTogether; ++c) {
        const Column& column = columns_[columns[c]];
        std::copy_n(column.codes.begin(), kTerms, codes[c]);
        std::copy_n(column.n_codes.begin(), kTerms, n_codes[c]);
        cells[c] = cells_.data() + column.first_cell;
    }
    for (std::int64_t i = 0; i < block.n_samples; ++i) {
        const std::int64_t at = block.samples[i] * stride_;
        const std::uint64_t word = block.words[i];
        for (std::size_t c = 0; c < kTogether; ++c) {
            std::int64_t cell = codes[c][0][at];
            for (std::size_t t = 1; t < kTerms; ++t) cell = cell * n_codes[c][t] + codes[c][t][at];
            cells[c][cell] += word;
        }
    }
}

template <std::size_t kTerms, std::size_t kTogether>
void JointCounts::count_terms(const Block& block) {
    const std::vector<std::uint32_t>& columns = by_terms_[kTerms - 1];
    std::size_t c = 0;
    for (; c + kTogether <= columns.size(); c += kTogether) count_together<kTerms, kTogether>(block, &columns[c]);
    for (; c < columns.size(); ++c) count_together<kTerms, 1>(block, &columns[c]);
}

// Block after block: what samples have in their rows is read once for all directions.
void JointCounts::count() {
    constexpr std::int64_t kBlock = 512;
    if (cells_.size() < values_.size()) cells_.resize(values_.size());
    for (std::int64_t first = 0; first < node_.n_samples; first += kBlock) {
        throw_if_stopped(kBlock * size());
        const Block block{node_.samples + first, words_ + first, std::min(kBlock, node_.n_samples - first)};
        count_terms<1, 4>(block);
        count_terms<2, 3>(block);
        count_terms<3, 2>(block);
        count_terms<4, 2>(block);
        count_terms<5, 1>(block);
    }
}

CountedSplit JointCounts::draw(std::int64_t i, Random& random) {
    const Column& column = columns_[static_cast<std::size_t>(i)];
    std::uint64_t* cells = cells_.data() + column.first_cell;
    const float* values = values_.data() + column.first_cell;
    ValueRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), false};
    for (std::size_t k = 0; k < column.n_cells; ++k) {
        if (cells[k] == 0) continue;
        range.minimum = std::min(range.minimum, values[k]);
        range.maximum = std::max(range.maximum, values[k]);
    }
    CountedSplit drawn;
    if (range.minimum < range.maximum) {
        drawn.varies = true;
        drawn.lower = draw_threshold(range, random);
        std::uint64_t left = 0;
        for (std::size_t k = 0; k < column.n_cells; ++k) left += values[k] <= drawn.lower ? cells[k] : 0;
        const auto score = [&](const auto& side) {
            drawn.found = side.has_samples(node_.n_samples, min_samples_leaf_);
            drawn.score = side.score();
            drawn.weight_left = static_cast<double>(side.weight());
        };
        if (bits_ == 32) {
            score(TwoClasses{cells, targets_, left});
        } else {
            score(ClassesOfWord{cells, targets_, bits_, left});
        }
    }
    std::fill_n(cells, column.n_cells, 0);
    return drawn;
}

}  // namespace silvan
