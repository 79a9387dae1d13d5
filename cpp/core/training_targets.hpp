// The targets of the whole training set, as the caller gives them.
#pragma once

#include <cstdint>

namespace silvan {

// One of label and value is set, or neither where the criterion does not read them.
struct TrainingTargets {
    const std::int32_t* label = nullptr;  // classification: class codes
    const double* value = nullptr;        // regression: n_samples x n_outputs
    const double* weight = nullptr;       // of each sample besides its multiplicity, or nullptr for ones
    std::int64_t n_outputs = 1;           // classes, or regression outputs
    bool indicators = false;              // whether values are 0 and 1, a column for each class of several outputs
    std::int64_t n_averaged = 1;          // impurities are means over so many outputs, whatever classes they have
};

}  // namespace silvan
