// Uniformly random subsets of the features, each in ascending order: the supports of sparse directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace silvan {

class FeatureSubsets {
public:
    explicit FeatureSubsets(std::int64_t n_features);

    // Writes one subset after the other to `out`, subset i of sizes[i] features, 1 <= sizes[i] <= n_features;
    // they fill it up to `end`. Takes time linear in what it writes, plus n_features / 64 for a subset of
    // more than eight features unless it is so sparse that sorting it takes less.
    void draw(const std::int32_t* sizes, std::int64_t n_subsets, Random& random, std::int32_t* out,
              const std::int32_t* end);

private:
    void draw_long(std::int32_t size, Random& random, std::int32_t* out);

    std::uint64_t n_features_;
    std::vector<std::uint64_t> taken_;  // one bit per feature, all zero between calls
};

}  // namespace silvan
