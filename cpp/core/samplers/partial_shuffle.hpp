// The first k items of a random permutation of {0, ..., n - 1} in O(k), for draws without replacement.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/random.hpp"

namespace silvan {

// The order of the items is uniformly random too: where two candidates split equally well the first one
// wins, and no feature may be favoured by its number.
class PartialShuffle {
public:
    explicit PartialShuffle(std::int64_t n) : items_(static_cast<std::size_t>(n)) {
        std::iota(items_.begin(), items_.end(), 0);
    }

    // Writes `k` distinct items to `out`, 0 <= k <= n. What was drawn before has no influence: every swap is
    // undone.
    void draw(std::int64_t k, Random& random, std::int32_t* out) {
        const auto n_drawn = static_cast<std::size_t>(k);
        if (swapped_.size() < n_drawn) swapped_.resize(n_drawn);
        for (std::size_t i = 0; i < n_drawn; ++i) {
            const std::size_t j = i + random.below(items_.size() - i);
            out[i] = items_[j];
            items_[j] = items_[i];
            swapped_[i] = static_cast<std::int32_t>(j);
        }
        for (std::size_t i = 0; i < n_drawn; ++i) items_[static_cast<std::size_t>(swapped_[i])] = swapped_[i];
    }

private:
    std::vector<std::int32_t> items_;  // the identity between calls
    std::vector<std::int32_t> swapped_;
};

}  // namespace silvan
