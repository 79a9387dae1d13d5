// Draws from a finite distribution in constant time: Walker's alias method (1977), built as Vose (1991) does.
//
// Dictionary atoms, mixture components and Poisson counts are all drawn through it. It needs one 64-bit
// draw and no loop; inversion by binary search takes log2(n) unpredictable branches instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bounded_draw.hpp"
#include "core/random.hpp"

namespace silvan {

class AliasTable {
public:
    // `probabilities` are finite, not negative, not all zero; they need not sum to one. An outcome of
    // probability zero is never drawn. Throws std::invalid_argument otherwise.
    explicit AliasTable(const std::vector<double>& probabilities);

    std::size_t size() const { return outcomes_.size(); }

    std::uint32_t draw(Random& random) const {
        const BoundedDraw draw = split_draw(random.bits(), outcomes_.size());
        const Outcome& outcome = outcomes_[draw.choice];
        // Selected by mask: compilers make a branch of ?:, which is guessed wrongly every other time.
        const auto keep = 0U - static_cast<std::uint32_t>(draw.rest < outcome.threshold);
        return (static_cast<std::uint32_t>(draw.choice) & keep) | (outcome.alias & ~keep);
    }

private:
    // Cell i gives i below the threshold (in units of 2^-64) and `alias` from it on.
    struct Outcome {
        std::uint64_t threshold;
        std::uint32_t alias;
    };

    std::vector<Outcome> outcomes_;
};

// The steps of a running sum: what `cumulative` was the sum of.
std::vector<double> probabilities_from_cumulative(const std::vector<double>& cumulative);

}  // namespace silvan
