// Draws patches.
#include "core/samplers/patches.hpp"

#include <algorithm>
#include <utility>

#include "core/samplers/partial_shuffle.hpp"

namespace silvan {

namespace {

struct Run {
    std::int64_t start, end;
};

std::uint64_t as_count(std::int64_t n) { return static_cast<std::uint64_t>(n); }

std::int64_t draw_between(Random& random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.below(as_count(high - low + 1)));
}

// The cells of one axis, as runs in ascending order.
void draw_runs(const PatchAxis& axis, Random& random, PartialShuffle& subsets, std::vector<std::int32_t>& chosen,
               std::vector<Run>& runs) {
    runs.clear();
    if (axis.boundary == Boundary::corner) {
        const std::int64_t start = draw_between(random, 0, axis.length - axis.min_size);
        const std::int64_t most = std::min(axis.max_size, axis.length - start);
        runs.push_back({start, start + draw_between(random, axis.min_size, most)});
        return;
    }
    const std::int64_t size = draw_between(random, axis.min_size, axis.max_size);
    switch (axis.boundary) {
        case Boundary::inside: {
            const std::int64_t start = draw_between(random, 0, axis.length - size);
            runs.push_back({start, start + size});
            break;
        }
        case Boundary::pad: {
            const std::int64_t start = draw_between(random, 1 - size, axis.length - 1);
            runs.push_back({std::max<std::int64_t>(0, start), std::min(axis.length, start + size)});
            break;
        }
        case Boundary::wrap: {
            const std::int64_t start = draw_between(random, 0, axis.length - 1);
            const std::int64_t over = start + size - axis.length;
            if (size == axis.length) {
                runs.push_back({0, axis.length});
            } else if (over > 0) {
                runs.push_back({0, over});
                runs.push_back({start, axis.length});
            } else {
                runs.push_back({start, start + size});
            }
            break;
        }
        default: {
            chosen.resize(static_cast<std::size_t>(size));
            subsets.draw(size, random, chosen.data());
            std::sort(chosen.begin(), chosen.end());
            for (const std::int32_t cell : chosen) runs.push_back({cell, cell + 1});
        }
    }
}

class PatchSampler final : public ProjectionSampler {
public:
    PatchSampler(const std::vector<PatchAxis>& axes, const Grid& grid, WeightLaw weights, bool shuffled,
                 bool uses_sums)
        : axes_(axes),
          grid_(grid),
          weights_(weights),
          uses_sums_(uses_sums),
          runs_(axes.size()),
          all_cells_(shuffled ? grid.n_cells() : 0),
          shuffled_(shuffled) {
        for (const PatchAxis& axis : axes) {
            subsets_.emplace_back(axis.boundary == Boundary::subset ? axis.length : 0);
        }
    }

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        for (std::int64_t i = 0; i < n_directions; ++i) {
            std::int64_t n_cells = 1;
            std::int64_t n_corners = 1;
            for (std::size_t a = 0; a < axes_.size(); ++a) {
                draw_runs(axes_[a], random, subsets_[a], chosen_, runs_[a]);
                std::int64_t length = 0;
                std::int64_t n_ends = 0;
                for (const Run& run : runs_[a]) {
                    length += run.end - run.start;
                    n_ends += axes_[a].boundary != Boundary::subset && run.start > 0 ? 2 : 1;
                }
                n_cells *= length;
                n_corners *= n_ends;
            }
            if (uses_sums_ && n_cells > Patches::kDirectCells && n_cells > Patches::kCornerCost * n_corners) {
                add_corners(batch);
            } else {
                add_cells(n_cells, random, batch);
            }
        }
    }

private:
    void add_cells(std::int64_t n_cells, Random& random, ProjectionBatch& batch) {
        cells_.clear();
        if (shuffled_) {
            cells_.resize(static_cast<std::size_t>(n_cells));
            all_cells_.draw(n_cells, random, cells_.data());
            std::sort(cells_.begin(), cells_.end());
        } else {
            list_cells(0, 0);
        }
        const ProjectionBatch::Tail tail = batch.extend(1, n_cells);
        std::copy(cells_.begin(), cells_.end(), tail.indices);
        draw_weights(weights_, n_cells, random, tail.weights);
        tail.ends[0] = tail.begin + n_cells;
    }

    // Runs ascend on every axis, and so do the cells.
    void list_cells(std::size_t a, std::int64_t offset) {
        const std::int64_t stride = grid_.cell_stride(a);
        for (const Run& run : runs_[a]) {
            for (std::int64_t at = run.start; at < run.end; ++at) {
                if (a + 1 == axes_.size()) {
                    cells_.push_back(static_cast<std::int32_t>(offset + at * stride));
                } else {
                    list_cells(a + 1, offset + at * stride);
                }
            }
        }
    }

    // +1 at the end of each run and -1 at its start, multiplied over the axes; sums before the first cell are zero.
    void add_corners(ProjectionBatch& batch) {
        corners_.assign(1, {grid_.n_cells(), 1.0F});
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            next_corners_.clear();
            const std::int64_t stride = grid_.sum_stride(a);
            for (const auto& [index, weight] : corners_) {
                for (const Run& run : runs_[a]) {
                    if (axes_[a].boundary == Boundary::subset) {
                        next_corners_.emplace_back(index + run.start * stride, weight);
                        continue;
                    }
                    if (run.start > 0) next_corners_.emplace_back(index + run.start * stride, -weight);
                    next_corners_.emplace_back(index + run.end * stride, weight);
                }
            }
            std::swap(corners_, next_corners_);
        }
        std::sort(corners_.begin(), corners_.end());
        for (const auto& [index, weight] : corners_) batch.add(static_cast<std::int32_t>(index), weight);
        batch.end_direction();
    }

    const std::vector<PatchAxis>& axes_;
    const Grid& grid_;
    WeightLaw weights_;
    bool uses_sums_;
    std::vector<std::vector<Run>> runs_;
    std::vector<PartialShuffle> subsets_;
    PartialShuffle all_cells_;
    bool shuffled_;
    std::vector<std::int32_t> chosen_;
    std::vector<std::int32_t> cells_;
    std::vector<std::pair<std::int64_t, float>> corners_;
    std::vector<std::pair<std::int64_t, float>> next_corners_;
};

Grid make_grid(const std::vector<PatchAxis>& axes) {
    std::vector<std::int64_t> shape;
    std::vector<std::uint8_t> contiguous;
    for (const PatchAxis& axis : axes) {
        shape.push_back(axis.length);
        contiguous.push_back(axis.boundary == Boundary::subset ? 0 : 1);
    }
    return {std::move(shape), std::move(contiguous)};
}

}  // namespace

Patches::Patches(std::vector<PatchAxis> axes, WeightLaw weights, bool shuffled)
    : axes_(std::move(axes)), weights_(weights), shuffled_(shuffled), grid_(make_grid(axes_)) {
    std::int64_t largest = 1;
    std::int64_t cells_per_corner = 1;
    for (const PatchAxis& axis : axes_) {
        largest *= axis.max_size;
        if (axis.boundary != Boundary::subset) cells_per_corner *= axis.max_size;
    }
    uses_sums_ = weights == WeightLaw::ones && !shuffled && largest > kDirectCells && cells_per_corner > kCornerCost;
}

std::unique_ptr<ProjectionSampler> Patches::make_sampler(Random&) const {
    return std::make_unique<PatchSampler>(axes_, grid_, weights_, shuffled_, uses_sums_);
}

}  // namespace silvan
