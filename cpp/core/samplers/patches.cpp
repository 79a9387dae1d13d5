// Draws patches.
#include "core/samplers/patches.hpp"

#include <algorithm>
#include <utility>

#include "core/samplers/partial_shuffle.hpp"
#include "core/samplers/spans.hpp"

namespace silvan {

namespace {

struct Run {
    std::int64_t start, end;
};

// An index, of a cell or of a running sum, and its coefficient.
using Term = std::pair<std::int64_t, float>;

// Sorts terms by index, adds up those of the same index and drops those that cancel.
void merge_terms(std::vector<Term>& terms) {
    std::sort(terms.begin(), terms.end());
    std::size_t n = 0;
    for (const Term& term : terms) {
        if (n > 0 && terms[n - 1].first == term.first) {
            terms[n - 1].second += term.second;
        } else {
            terms[n++] = term;
        }
    }
    terms.resize(n);
    std::erase_if(terms, [](const Term& term) { return term.second == 0.0F; });
}

class PatchSampler final : public ProjectionSampler {
public:
    PatchSampler(const PatchShape& shape, const Grid& grid, bool uses_sums)
        : shape_(shape),
          grid_(grid),
          uses_sums_(uses_sums),
          spans_(shape.axes.size()),
          patches_(static_cast<std::size_t>(shape.n_patches)),
          all_cells_(shape.shuffled ? grid.n_cells() : 0) {
        for (Patch& patch : patches_) patch.runs.resize(shape.axes.size());
        for (const PatchAxis& axis : shape.axes) {
            subsets_.emplace_back(axis.boundary == Boundary::subset ? axis.length : 0);
        }
    }

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const bool offers_sums =
            node.columns == nullptr || node.columns->n_columns() == grid_.n_cells() + grid_.n_sums();
        const bool uses_sums = uses_sums_ && offers_sums;
        for (std::int64_t i = 0; i < n_directions; ++i) {
            std::int64_t n_cells = 0;
            std::int64_t n_corners = 0;
            for (std::size_t k = 0; k < patches_.size(); ++k) {
                draw_patch(k > 0, random, patches_[k]);
                n_cells += patches_[k].n_cells;
                n_corners += patches_[k].n_corners;
            }
            const bool over_sums =
                uses_sums && n_cells > Patches::kDirectCells && n_cells > Patches::kCornerCost * n_corners;
            if (patches_.size() == 1 && !over_sums) {
                append_cells(patches_[0], random, batch);
            } else {
                append_patches(over_sums, random, batch);
            }
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<PatchSampler>(*this); }

private:
    struct Patch {
        std::vector<std::vector<Run>> runs;  // of each axis, ascending
        std::int64_t n_cells = 0;
        std::int64_t n_corners = 0;
    };

    // A patch as the axes say, or one of the first one's size near it.
    void draw_patch(bool near, Random& random, Patch& patch) {
        patch.n_cells = 1;
        patch.n_corners = 1;
        for (std::size_t a = 0; a < shape_.axes.size(); ++a) {
            const PatchAxis& axis = shape_.axes[a];
            if (!near) spans_[a] = draw_span(axis, random);
            list_runs(a, near ? draw_near(axis, spans_[a], random) : spans_[a], random, patch.runs[a]);
            std::int64_t length = 0;
            std::int64_t n_ends = 0;
            for (const Run& run : patch.runs[a]) {
                length += run.end - run.start;
                n_ends += axis.boundary != Boundary::subset && run.start > 0 ? 2 : 1;
            }
            patch.n_cells *= length;
            patch.n_corners *= n_ends;
        }
    }

    // The cells of a span, as runs in ascending order.
    void list_runs(std::size_t a, const Span& span, Random& random, std::vector<Run>& runs) {
        const PatchAxis& axis = shape_.axes[a];
        const std::int64_t end = span.start + span.size;
        runs.clear();
        if (axis.boundary == Boundary::subset) {
            chosen_.resize(static_cast<std::size_t>(span.size));
            subsets_[a].draw(span.size, random, chosen_.data());
            std::sort(chosen_.begin(), chosen_.end());
            for (const std::int32_t cell : chosen_) runs.push_back({cell, cell + 1});
        } else if (axis.boundary == Boundary::wrap && span.size == axis.length) {
            runs.push_back({0, axis.length});
        } else if (axis.boundary == Boundary::wrap && end > axis.length) {
            runs.push_back({0, end - axis.length});
            runs.push_back({span.start, axis.length});
        } else {
            runs.push_back({std::max<std::int64_t>(0, span.start), std::min(axis.length, end)});
        }
    }

    // The usual case, without the terms that several patches are merged in.
    void append_cells(const Patch& patch, Random& random, ProjectionBatch& batch) {
        choose_cells(patch, random);
        const ProjectionBatch::Tail tail = batch.extend(1, patch.n_cells);
        std::copy(cells_.begin(), cells_.end(), tail.indices);
        draw_coefficients(shape_.coefficients, patch.n_cells, random, tail.coefficients);
        tail.ends[0] = tail.begin + patch.n_cells;
    }

    void append_patches(bool over_sums, Random& random, ProjectionBatch& batch) {
        terms_.clear();
        std::size_t first_end = 0;
        for (std::size_t k = 0; k < patches_.size(); ++k) {
            const float sign = k % 2 == 0 ? 1.0F : -1.0F;
            if (over_sums) {
                add_corners(patches_[k], sign);
            } else {
                add_cells(patches_[k], sign, random);
            }
            if (k == 0) first_end = terms_.size();
        }
        first_terms_.assign(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(first_end));
        merge_terms(terms_);
        if (terms_.empty()) {
            std::swap(terms_, first_terms_);
            merge_terms(terms_);
        }
        for (const auto& [index, coefficient] : terms_) batch.add(static_cast<std::int32_t>(index), coefficient);
        batch.end_direction();
    }

    void choose_cells(const Patch& patch, Random& random) {
        cells_.clear();
        if (shape_.shuffled) {
            cells_.resize(static_cast<std::size_t>(patch.n_cells));
            all_cells_.draw(patch.n_cells, random, cells_.data());
            std::sort(cells_.begin(), cells_.end());
        } else {
            list_cells(patch, 0, 0);
        }
    }

    void add_cells(const Patch& patch, float sign, Random& random) {
        choose_cells(patch, random);
        coefficients_.resize(cells_.size());
        draw_coefficients(shape_.coefficients, patch.n_cells, random, coefficients_.data());
        for (std::size_t i = 0; i < cells_.size(); ++i) terms_.emplace_back(cells_[i], sign * coefficients_[i]);
    }

    // Runs ascend on every axis, and so do the cells.
    void list_cells(const Patch& patch, std::size_t a, std::int64_t offset) {
        const std::int64_t stride = grid_.cell_stride(a);
        for (const Run& run : patch.runs[a]) {
            for (std::int64_t at = run.start; at < run.end; ++at) {
                if (a + 1 == shape_.axes.size()) {
                    cells_.push_back(static_cast<std::int32_t>(offset + at * stride));
                } else {
                    list_cells(patch, a + 1, offset + at * stride);
                }
            }
        }
    }

    // +1 at the end of each run and -1 at its start, multiplied over the axes; sums before the first cell are zero.
    void add_corners(const Patch& patch, float sign) {
        corners_.assign(1, {grid_.n_cells(), sign});
        for (std::size_t a = 0; a < shape_.axes.size(); ++a) {
            next_corners_.clear();
            const std::int64_t stride = grid_.sum_stride(a);
            for (const auto& [index, coefficient] : corners_) {
                for (const Run& run : patch.runs[a]) {
                    if (shape_.axes[a].boundary == Boundary::subset) {
                        next_corners_.emplace_back(index + run.start * stride, coefficient);
                        continue;
                    }
                    if (run.start > 0) next_corners_.emplace_back(index + run.start * stride, -coefficient);
                    next_corners_.emplace_back(index + run.end * stride, coefficient);
                }
            }
            std::swap(corners_, next_corners_);
        }
        terms_.insert(terms_.end(), corners_.begin(), corners_.end());
    }

    const PatchShape& shape_;
    const Grid& grid_;
    bool uses_sums_;
    std::vector<Span> spans_;  // of the first patch
    std::vector<Patch> patches_;
    std::vector<PartialShuffle> subsets_;
    PartialShuffle all_cells_;
    std::vector<std::int32_t> chosen_;
    std::vector<std::int32_t> cells_;
    std::vector<float> coefficients_;
    std::vector<Term> terms_;
    std::vector<Term> first_terms_;
    std::vector<Term> corners_;
    std::vector<Term> next_corners_;
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

Patches::Patches(PatchShape shape) : shape_(std::move(shape)), grid_(make_grid(shape_.axes)) {
    std::int64_t largest = shape_.n_patches;
    std::int64_t cells_per_corner = 1;
    for (const PatchAxis& axis : shape_.axes) {
        largest *= axis.max_size;
        if (axis.boundary != Boundary::subset) cells_per_corner *= axis.max_size;
    }
    uses_sums_ = shape_.coefficients == CoefficientKind::ones && !shape_.shuffled && largest > kDirectCells &&
                 cells_per_corner > kCornerCost;
}

std::unique_ptr<ProjectionSampler> Patches::make_sampler(Random&) const {
    return std::make_unique<PatchSampler>(shape_, grid_, uses_sums_);
}

}  // namespace silvan
