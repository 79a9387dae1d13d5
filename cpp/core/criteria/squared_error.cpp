// Loads the targets of a node for squared error.
#include "core/criteria/squared_error.hpp"

#include <algorithm>

#include "core/criteria/exact_sum.hpp"

namespace silvan {

void SquaredError::load(const NodeContext& node) {
    ExactSum squares;
    load_outputs(node, [&squares](double sum, double value) { squares.add_product(sum, value); });
    base_score_ = 0.0;
    for (const double total : totals()) base_score_ += total * total;
    base_score_ /= total_weight();
    const double decrease = std::max(0.0, squares.value() - base_score_);
    impurity_ = is_pure() ? 0.0 : decrease / total_weight() / n_averaged();
}

}  // namespace silvan
