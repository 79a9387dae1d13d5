// Looks for the first broken rule and says where it is.
#include "core/samplers/check_directions.hpp"

#include <cmath>

namespace silvan {

namespace {

std::string at_direction(std::size_t i, const std::string& fault) {
    return "direction " + std::to_string(i) + " " + fault;
}

}  // namespace

std::string find_fault(const DirectionsView& directions, std::int64_t n_features) {
    const auto& [indptr, indices, coefficients] = directions;
    if (indptr.size() < 2) return "there are no directions";
    if (indices.size() != coefficients.size()) return "indices and coefficients differ in length";
    if (indptr.front() != 0 || indptr.back() != static_cast<std::int64_t>(indices.size())) {
        return "indptr does not run from 0 to the number of nonzeros";
    }
    for (std::size_t i = 0; i + 1 < indptr.size(); ++i) {
        if (indptr[i + 1] <= indptr[i]) return at_direction(i, "is empty");
        // Checked here and not only at the end: a sample may not reach beyond the arrays.
        if (indptr[i + 1] > indptr.back()) return "indptr does not ascend";
        std::int64_t before = -1;
        for (auto k = static_cast<std::size_t>(indptr[i]); k < static_cast<std::size_t>(indptr[i + 1]); ++k) {
            const std::int64_t feature = indices[k];
            if (feature < 0 || feature >= n_features) {
                return at_direction(
                    i, "has feature " + std::to_string(feature) + ", outside 0.." + std::to_string(n_features - 1));
            }
            if (feature <= before) return at_direction(i, "has features that do not ascend");
            if (!std::isfinite(coefficients[k])) return at_direction(i, "has a coefficient that is not finite");
            if (coefficients[k] == 0.0F) return at_direction(i, "has a coefficient of zero");
            before = feature;
        }
    }
    return {};
}

}  // namespace silvan
