// Rules of nodes that do not depend on how their splits are searched.
#pragma once

#include <algorithm>
#include <cstdint>

namespace silvan {

// If no direction of the first draw tells any samples apart, ever more are drawn; only a node whose samples are all
// alike is given up at once.
class Redraws {
public:
    Redraws(std::int64_t n_directions, std::int64_t n_features)
        : n_directions_(n_directions), n_features_(n_features) {}

    std::uint64_t number() const { return number_; }
    std::int64_t n_directions() const { return n_directions_; }
    bool is_last() const { return number_ == kMaxRedraws; }
    void next() {
        ++number_;
        n_directions_ = std::max(n_directions_, std::min(2 * n_directions_, 2 * n_features_));
    }

private:
    static constexpr std::uint64_t kMaxRedraws = 8;

    std::uint64_t number_ = 0;
    std::int64_t n_directions_;
    std::int64_t n_features_;
};

// Scores are rounded: a decrease that equals the limit must not fall short of it by the last bits.
inline bool decreases_enough(double decrease, double min_decrease) {
    return decrease >= min_decrease * (1.0 - 1e-9) - 1e-12;
}

// The threshold between two adjacent values; at least the lower one, and below the other.
inline float threshold_between(float lower, float upper) {
    const auto middle = static_cast<float>(0.5 * (static_cast<double>(lower) + static_cast<double>(upper)));
    return middle < upper ? middle : lower;
}

}  // namespace silvan
