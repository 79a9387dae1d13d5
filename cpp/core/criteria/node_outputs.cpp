// Room for a node's numbers, and their means.
#include "core/criteria/node_outputs.hpp"

namespace silvan {

void NodeOutputs::reserve_samples(std::int64_t max_samples) {
    const auto n = static_cast<std::size_t>(max_samples);
    if (n <= weight_.size()) return;
    sum_.allocate(n * static_cast<std::size_t>(training_.n_outputs));
    weight_.allocate(n);
}

void NodeOutputs::append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const {
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        if (training_.indicators && totals_[k] == 0.0) continue;
        outputs.push_back(static_cast<std::int32_t>(k));
        values.push_back(totals_[k] / total_weight_);
    }
}

}  // namespace silvan
