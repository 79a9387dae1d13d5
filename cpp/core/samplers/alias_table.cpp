// Builds alias tables; drawing from them is inline in the header.
#include "core/samplers/alias_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace silvan {

namespace {

// `share` of a cell, in [0, 1], in units of 2^-64. A full cell keeps its own outcome as alias as well, so
// that the one draw in 2^64 that is not below the largest threshold still finds it.
std::uint64_t to_threshold(double share) {
    if (share >= 1.0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::ldexp(share, 64));
}

double checked_sum(const std::vector<double>& probabilities) {
    double sum = 0.0;
    for (const double probability : probabilities) {
        if (!(probability >= 0.0)) throw std::invalid_argument("a probability is negative or not a number");
        sum += probability;
    }
    if (!(sum > 0.0) || !std::isfinite(sum)) {
        throw std::invalid_argument("probabilities must have a finite sum above zero");
    }
    return sum;
}

}  // namespace

AliasTable::AliasTable(const std::vector<double>& probabilities) : outcomes_(probabilities.size()) {
    if (probabilities.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("an alias table holds fewer than 2^32 outcomes");
    }
    const double sum = checked_sum(probabilities);
    const auto n = static_cast<double>(probabilities.size());
    std::vector<double> shares(probabilities.size());
    std::vector<std::uint32_t> below;
    std::vector<std::uint32_t> above;
    for (std::uint32_t i = 0; i < probabilities.size(); ++i) {
        shares[i] = probabilities[i] / sum * n;
        (shares[i] < 1.0 ? below : above).push_back(i);
    }
    const auto largest = static_cast<std::uint32_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                                    probabilities.begin());
    while (!below.empty()) {
        const std::uint32_t small = below.back();
        below.pop_back();
        if (above.empty()) {
            // Rounding left cells a hair below full; filling them up from the most probable outcome, and
            // not with themselves, keeps outcomes of probability zero impossible.
            outcomes_[small] = {to_threshold(shares[small]), largest};
            continue;
        }
        const std::uint32_t large = above.back();
        outcomes_[small] = {to_threshold(shares[small]), large};
        shares[large] -= 1.0 - shares[small];
        if (shares[large] < 1.0) {
            above.pop_back();
            below.push_back(large);
        }
    }
    for (const std::uint32_t full : above) outcomes_[full] = {to_threshold(1.0), full};
}

std::vector<double> probabilities_from_cumulative(const std::vector<double>& cumulative) {
    std::vector<double> probabilities(cumulative.size());
    double before = 0.0;
    for (std::size_t i = 0; i < cumulative.size(); ++i) {
        probabilities[i] = cumulative[i] - before;
        before = cumulative[i];
    }
    return probabilities;
}

}  // namespace silvan
