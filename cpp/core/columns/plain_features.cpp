// Projects on directions over features.
#include "core/columns/plain_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/columns/sample_terms.hpp"

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
void gather_feature(const FeatureMatrix& x, std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                    double* values) {
    const T* from = x.as<T>() + feature * x.column_stride;
    for (std::int64_t i = 0; i < n_samples; ++i) values[i] = from[samples[i] * x.row_stride];
}

}  // namespace

PlainNodeColumns::PlainNodeColumns(const FeatureLayouts& layouts, const SplitKernels& kernels, bool few_values)
    : layouts_(layouts),
      kernels_(kernels),
      integral_(std::make_shared<const std::vector<std::uint8_t>>(find_integral_features(layouts.columns))),
      coded_(few_values && layouts.has_few_values ? std::make_shared<const CodedFeatures>(layouts.columns)
                                                  : std::make_shared<const CodedFeatures>()),
      finite_(are_all_finite(layouts.columns)) {}

ValueRange PlainNodeColumns::project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                                     float* values) {
    // Neighbouring samples are read fastest from columns.
    if (!are_consecutive(samples, n_samples) && coded_->serve(direction, n_samples))
        return kernels_.project_codes(coded_->view(), samples, n_samples, direction, values);
    return kernels_.project(layouts_.layout_for(direction, n_samples), samples, n_samples, direction, values);
}

bool PlainNodeColumns::is_integral(const Direction& direction) const {
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if ((*integral_)[static_cast<std::size_t>(direction.indices[k])] == 0) return false;
        if (direction.coefficients[k] != std::trunc(direction.coefficients[k])) return false;
    }
    return true;
}

void PlainNodeColumns::read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                                    double* values) {
    if (feature_type() == FeatureType::uint8) {
        gather_feature<std::uint8_t>(features(), feature, samples, n_samples, values);
    } else {
        gather_feature<float>(features(), feature, samples, n_samples, values);
    }
}

bool PlainNodeColumns::equal_samples(std::uint32_t a, std::uint32_t b) const {
    const CodedFeatures::Same same = coded_->compare(a, b);
    if (same != CodedFeatures::Same::unknown) return same == CodedFeatures::Same::yes;
    return feature_type() == FeatureType::float32 ? equal_features<float>(features(), a, b)
                                                  : equal_features<std::uint8_t>(features(), a, b);
}

void PlainBlockColumns::project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                                float* values) {
    kernels_.project(block_, samples, n_samples, direction, values);
}

float PlainBlockColumns::project_sample(const Direction& direction, std::uint32_t sample) {
    if (block_.type == FeatureType::float32) return add_terms_of_sample<float, float>(block_, direction, sample);
    return add_terms_of_sample<std::uint8_t, float>(block_, direction, sample);
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
