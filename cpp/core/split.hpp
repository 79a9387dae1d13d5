// A split of a node's samples, from one search of one direction to what the tree keeps.
#pragma once

#include <cstdint>

namespace silvan {

struct Split {
    // Of one direction: samples with values up to `lower` go left. `found` is false if no position is allowed, or
    // none beats the score that the search was asked to beat.
    double score = 0.0;  // what the criterion maximises
    float lower = 0.0F;
    bool found = false;
    bool missing_left = false;
    bool only_missing_right = false;  // all values that are not missing go left

    // Of the winner among a node's directions.
    bool varies = false;  // some direction tells some samples apart, whether or not they may be split there
    float threshold = 0.0F;
    std::int64_t direction = -1;
};

}  // namespace silvan
