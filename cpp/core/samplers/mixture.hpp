// A mixture of distributions: each direction comes from one of them, chosen by weight.
#pragma once

#include <memory>
#include <vector>

#include "core/samplers/alias_table.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan {

// The number of directions of each component is multinomial; each component then draws its share in one call
// (so that axis-aligned directions do not repeat), and the directions come grouped by component in the order of
// `components`. A component that has fewer directions than its share leaves the node with fewer.
// Throws std::invalid_argument unless all components have the same number of features, and the same
// further columns where they have any.
class Mixture final : public ProjectionDistribution {
public:
    using Components = std::vector<std::shared_ptr<const ProjectionDistribution>>;

    Mixture(Components components, const std::vector<double>& cumulative);

    std::int64_t n_features() const override { return components_.front()->n_features(); }
    ColumnDescription columns() const override { return columns_; }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    Components components_;
    ColumnDescription columns_;
    AliasTable chances_;
};

}  // namespace silvan
