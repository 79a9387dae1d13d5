// Connected neighbourhoods of features that are the nodes of a graph (MORF paper 3.1; Perry 2020, 3.1).
#pragma once

#include <vector>

#include "core/samplers/projection_sampler.hpp"
#include "core/samplers/random_coefficients.hpp"

namespace silvan {

struct NeighborhoodSizes {
    std::int64_t smallest = 1;
    std::int64_t largest = 1;
};

// A centre is drawn uniformly and a size uniformly from {smallest, ..., largest}; the neighbourhood grows
// breadth first from the centre, and of the nodes at the distance that does not fit whole it takes a random
// subset. Where the centre's component has fewer nodes than the size, it takes them all.
class GraphNeighborhoods final : public ProjectionDistribution {
public:
    // The graph as the CSR structure of its adjacency matrix: neighbours of node i are
    // neighbors[indptr[i]] ... neighbors[indptr[i + 1] - 1].
    GraphNeighborhoods(std::vector<std::int64_t> indptr, std::vector<std::int32_t> neighbors, NeighborhoodSizes sizes,
                       CoefficientKind coefficients);

    std::int64_t n_features() const override { return static_cast<std::int64_t>(indptr_.size()) - 1; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    std::vector<std::int64_t> indptr_;
    std::vector<std::int32_t> neighbors_;
    NeighborhoodSizes sizes_;
    CoefficientKind coefficients_;
};

}  // namespace silvan
