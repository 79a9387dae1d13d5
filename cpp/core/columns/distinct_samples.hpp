// How many of some samples differ: fits to few samples must not take repeated ones for more.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/views.hpp"

namespace silvan {

class DistinctSamples {
public:
    // The features must outlive it. They are read when somebody first asks.
    explicit DistinctSamples(const FeatureMatrix& features) : features_(features) {}

    // Any thread may ask.
    std::int64_t count(const std::uint32_t* samples, std::int64_t n_samples) const;

private:
    void read() const;

    FeatureMatrix features_;
    mutable std::once_flag read_;
    mutable std::vector<std::uint64_t> hashes_;  // empty: all samples differ
};

}  // namespace silvan
