// Sorts few keys by comparing them, many by three passes over eleven bits each.
#include "core/search/sort_keys.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace silvan {

void sort_keys(SortMemory& memory, std::size_t first, std::size_t n) {
    constexpr std::size_t kRadixFrom = 1024;  // below, the passes over 3 x 2,048 buckets are not worth it
    std::uint64_t* keys = memory.keys.data() + first;
    if (n < kRadixFrom) {
        std::sort(keys, keys + n);
        return;
    }
    if (memory.sorted.size() < n) memory.sorted.resize(n);
    constexpr int kBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kBits;
    std::vector<std::uint32_t> offsets(3 * kBuckets);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = keys[i] >> 32;
        for (std::size_t pass = 0; pass < 3; ++pass) {
            ++offsets[pass * kBuckets + ((key >> (kBits * static_cast<int>(pass))) & (kBuckets - 1))];
        }
    }
    std::uint64_t* from = keys;
    std::uint64_t* to = memory.sorted.data();
    for (std::size_t pass = 0; pass < 3; ++pass) {
        std::uint32_t* offset = offsets.data() + pass * kBuckets;
        std::uint32_t running = 0;
        for (std::size_t b = 0; b < kBuckets; ++b) running += std::exchange(offset[b], running);
        const int shift = 32 + kBits * static_cast<int>(pass);
        for (std::size_t i = 0; i < n; ++i) to[offset[(from[i] >> shift) & (kBuckets - 1)]++] = from[i];
        std::swap(from, to);
    }
    std::copy(from, from + n, keys);
}

void sort_samples(const float* values, std::int64_t n_samples, SortMemory& memory) {
    memory.keys.resize(static_cast<std::size_t>(n_samples));
    memory.missing_samples.clear();
    std::size_t n_keys = 0;
    for (std::int64_t i = 0; i < n_samples; ++i) {
        if (std::isnan(values[i])) {
            memory.missing_samples.push_back(static_cast<std::uint32_t>(i));
        } else {
            memory.keys[n_keys++] = make_key(values[i], i);
        }
    }
    memory.keys.resize(n_keys);
    sort_keys(memory, 0, n_keys);
}

}  // namespace silvan
