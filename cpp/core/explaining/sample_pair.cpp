// Reads the terms of directions for two samples.
#include "core/explaining/sample_pair.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace silvan {

PairReader::PairReader(const ForestView& forest, const FeatureMatrix& samples, const FeatureMatrix& background)
    : samples_(samples), background_(background) {
    const ColumnDescription columns = forest.columns->describe();
    require(columns.grid_shape.empty() && columns.windows.channel_shapes.empty(),
            "directions must be over features or categories");
    for (const FeatureMatrix* matrix : {&samples, &background}) {
        require(matrix->type == FeatureType::float32 && matrix->column_stride == 1, "samples must be rows of float32");
        forest.columns->check(*matrix);
    }
    choose_sample(0);
    choose_background(0);
    if (!columns.n_categories.empty()) {
        categories_.emplace(columns.n_categories);
        own_columns_ = forest.columns->read_block(samples_, best_kernels());
        other_columns_ = forest.columns->read_block(background_, best_kernels());
    }
    std::int64_t longest = 0;
    const std::int64_t n_nodes = forest.tree_offsets[forest.n_trees];
    for (std::int64_t node = 0; node < n_nodes; ++node) {
        longest = std::max(longest, forest.direction_indptr[node + 1] - forest.direction_indptr[node]);
    }
    terms_.resize(static_cast<std::size_t>(longest));
}

// The indicators of a feature's categories follow each other; their codes are one term.
std::size_t PairReader::read_categories(const Direction& direction, std::int64_t first) {
    const std::int32_t* const end = direction.indices + direction.n_nonzeros;
    const std::int32_t* at = direction.indices + first;
    auto n_terms = static_cast<std::size_t>(first);
    while (at != end) {
        const std::int32_t feature = categories_->feature_of(*at);
        const std::int64_t last = categories_->first_column(feature) + categories_->count(feature);
        const std::int32_t* next = std::lower_bound(at, end, last);
        const Direction codes{at, direction.coefficients + (at - direction.indices), next - at, nullptr};
        terms_[n_terms++] = {feature, own_columns_->project_sample(codes, sample_),
                             other_columns_->project_sample(codes, background_sample_)};
        at = next;
    }
    return n_terms;
}

}  // namespace silvan
