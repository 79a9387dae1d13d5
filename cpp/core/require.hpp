// Refuses what a caller should not have passed.
#pragma once

#include <stdexcept>

namespace silvan {

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

}  // namespace silvan
