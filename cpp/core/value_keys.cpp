// Sorts keys: by comparisons where they are few, by radix passes where they are many.
#include "core/value_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace silvan {

void sort_keys(std::vector<std::uint64_t>& keys, std::int64_t n, std::vector<std::uint64_t>& scratch) {
    constexpr std::int64_t kRadixFrom = 1024;  // below, the passes over 3 x 2,048 buckets are not worth it
    if (n < kRadixFrom) {
        std::sort(keys.begin(), keys.begin() + n);
        return;
    }
    scratch.resize(keys.size());
    constexpr int kBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    std::vector<std::uint32_t> offsets(3 * kBuckets);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t key = keys[static_cast<std::size_t>(i)] >> 32;
        for (std::size_t pass = 0; pass < 3; ++pass) {
            ++offsets[pass * kBuckets + ((key >> (kBits * static_cast<int>(pass))) & (kBuckets - 1))];
        }
    }
    for (std::size_t pass = 0; pass < 3; ++pass) {
        std::uint32_t* offset = offsets.data() + pass * kBuckets;
        std::uint32_t running = 0;
        for (std::size_t b = 0; b < kBuckets; ++b) running += std::exchange(offset[b], running);
        const int shift = 32 + kBits * static_cast<int>(pass);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t key = keys[static_cast<std::size_t>(i)];
            scratch[offset[(key >> shift) & (kBuckets - 1)]++] = key;
        }
        std::swap(keys, scratch);
    }
}

}  // namespace silvan
