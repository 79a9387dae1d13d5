// Projects on directions over features.
#include "core/columns/plain_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/columns/row_terms.hpp"

namespace silvan {
namespace {

template <typename T>
bool equal_features(const FeatureMatrix& x, std::uint32_t a, std::uint32_t b) {
    const T* first = x.as<T>() + static_cast<std::int64_t>(a) * x.row_stride;
    const T* second = x.as<T>() + static_cast<std::int64_t>(b) * x.row_stride;
    for (std::int64_t j = 0; j < x.n_features; ++j) {
        const T u = first[j * x.column_stride];
        const T v = second[j * x.column_stride];
        const bool both_missing = u != u && v != v;
        if (u != v && !both_missing) return false;
    }
    return true;
}

template <typename T>
void gather_feature(const FeatureMatrix& x, std::int32_t feature, const std::uint32_t* rows, std::int64_t n_rows,
                    double* values) {
    const T* from = x.as<T>() + feature * x.column_stride;
    for (std::int64_t i = 0; i < n_rows; ++i) values[i] = from[rows[i] * x.row_stride];
}

}  // namespace

PlainNodeColumns::PlainNodeColumns(const FeatureLayouts& layouts, const SplitKernels& kernels)
    : layouts_(layouts),
      kernels_(kernels),
      integral_(std::make_shared<const std::vector<std::uint8_t>>(find_integral_features(layouts.columns))),
      coded_(std::make_shared<const CodedFeatures>(layouts.columns)) {}

ValueRange PlainNodeColumns::project(const Direction& direction, const std::uint32_t* rows, std::int64_t n_rows,
                                     float* values) {
    if (coded_->serve(direction, n_rows)) return kernels_.project_codes(coded_->view(), rows, n_rows, direction, values);
    return kernels_.project(layouts_.layout_for(direction, n_rows), rows, n_rows, direction, values);
}

bool PlainNodeColumns::is_integral(const Direction& direction) const {
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if ((*integral_)[static_cast<std::size_t>(direction.indices[k])] == 0) return false;
        if (direction.weights[k] != std::trunc(direction.weights[k])) return false;
    }
    return true;
}

void PlainNodeColumns::read_feature(std::int32_t feature, const std::uint32_t* rows, std::int64_t n_rows,
                                    double* values) {
    if (feature_type() == FeatureType::uint8) {
        gather_feature<std::uint8_t>(features(), feature, rows, n_rows, values);
    } else {
        gather_feature<float>(features(), feature, rows, n_rows, values);
    }
}

bool PlainNodeColumns::equal_rows(std::uint32_t a, std::uint32_t b) const {
    return feature_type() == FeatureType::float32 ? equal_features<float>(features(), a, b)
                                                  : equal_features<std::uint8_t>(features(), a, b);
}

void PlainBlockColumns::project(const Direction& direction, const std::uint32_t* rows, std::int64_t n_rows,
                                float* values) {
    kernels_.project(block_, rows, n_rows, direction, values);
}

float PlainBlockColumns::project_row(const Direction& direction, std::uint32_t row) {
    if (block_.type == FeatureType::float32) return add_terms_of_row<float, float>(block_, direction, row);
    return add_terms_of_row<std::uint8_t, float>(block_, direction, row);
}

std::unique_ptr<NodeColumns> PlainFeatureSpace::read_training(const FeatureLayouts& layouts, const std::uint32_t*,
                                                              const SplitKernels& kernels) const {
    return std::make_unique<PlainNodeColumns>(layouts, kernels);
}

std::unique_ptr<BlockColumns> PlainFeatureSpace::read_block(const FeatureMatrix& block,
                                                            const SplitKernels& kernels) const {
    return std::make_unique<PlainBlockColumns>(block, kernels);
}

}  // namespace silvan
