// Patches of neighbouring features on a grid: the distribution of manifold forests (MORF paper 3.1; Perry 2020, 3.1).
#pragma once

#include <vector>

#include "core/columns/grid.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/samplers/random_coefficients.hpp"
#include "core/samplers/spans.hpp"

namespace silvan {

struct PatchShape {
    std::vector<PatchAxis> axes;
    CoefficientKind coefficients = CoefficientKind::ones;
    bool shuffled = false;
    std::int64_t n_patches = 1;
};

// A patch is a product of one run (or subset) per axis. A direction is a patch, or one patch and others of its
// size near it, which are subtracted and added in turn; where they cancel out it is the first patch alone. Where all
// coefficients are one and a direction has more than kDirectCells cells and kCornerCost cells per corner it is drawn
// over the running sums of the grid, else over the features themselves. Shuffled patches move their cells to
// random places.
class Patches final : public ProjectionDistribution {
public:
    static constexpr std::int64_t kDirectCells = 12;
    // 16 channels have 32 corners: 3 steps of them grow 1.2 (float32) to 1.5 times (uint8) faster from cells than
    // from sums, 6 steps equally fast, 12 steps half as fast.
    static constexpr std::int64_t kCornerCost = 3;

    explicit Patches(PatchShape shape);

    std::int64_t n_features() const override { return grid_.n_cells(); }
    std::int64_t n_columns() const { return grid_.n_cells() + (uses_sums_ ? grid_.n_sums() : 0); }
    ColumnDescription columns() const override {
        return uses_sums_ ? ColumnDescription{grid_.shape(), grid_.contiguous(), {}, {}} : ColumnDescription{};
    }
    std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const override;

private:
    PatchShape shape_;
    Grid grid_;
    bool uses_sums_;
};

}  // namespace silvan
