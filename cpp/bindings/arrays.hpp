// Moves arrays between NumPy and the core without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/views.hpp"

namespace silvan::bindings {

namespace nb = nanobind;

template <typename T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
using ConstArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using ConstMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Any two-dimensional array, read-only ones included.
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

// Hands a vector to NumPy, which owns it from then on.
template <typename T>
Array<T> to_numpy(std::vector<T>&& vector) {
    auto* moved = new std::vector<T>(std::move(vector));
    nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(moved->data(), {moved->size()}, owner);
}

template <typename T>
Array<T> to_numpy(Buffer<T>&& buffer) {
    auto* moved = new Buffer<T>(std::move(buffer));
    nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
    return Array<T>(moved->data(), {moved->size()}, owner);
}

template <typename T>
std::vector<T> to_vector(const ConstArray<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// Views a float32, float64 or uint8 matrix of any strides.
inline FeatureMatrix view_matrix(const AnyMatrix& x) {
    FeatureMatrix view;
    if (x.dtype() == nb::dtype<float>()) {
        view.type = FeatureType::float32;
    } else if (x.dtype() == nb::dtype<double>()) {
        view.type = FeatureType::float64;
    } else if (x.dtype() == nb::dtype<std::uint8_t>()) {
        view.type = FeatureType::uint8;
    } else {
        throw std::invalid_argument("features must be float32, float64 or uint8");
    }
    view.data = x.data();
    view.n_samples = static_cast<std::int64_t>(x.shape(0));
    view.n_features = static_cast<std::int64_t>(x.shape(1));
    view.row_stride = x.stride(0);
    view.column_stride = x.stride(1);
    return view;
}

// The same for what is stored: float32 or uint8.
inline FeatureMatrix view_features(const AnyMatrix& x) {
    const FeatureMatrix view = view_matrix(x);
    if (view.type == FeatureType::float64) throw std::invalid_argument("features must be float32 or uint8");
    return view;
}

// Sparse samples in Python: rows, and where trees grow on them columns.
class HeldSparseFeatures {
public:
    struct Part {
        ConstArray<std::int64_t> indptr;
        ConstArray<std::int32_t> indices;
        ConstArray<float> values;
    };

    HeldSparseFeatures(std::int64_t n_samples, std::int64_t n_features, Part rows, std::optional<Part> columns);

    SparseFeatures view;

private:
    Part rows_;
    std::optional<Part> columns_;
};

inline FeatureMatrix view_features(const HeldSparseFeatures& x) {
    FeatureMatrix view;
    view.n_samples = x.view.n_samples;
    view.n_features = x.view.n_features;
    view.sparse = &x.view;
    return view;
}

}  // namespace silvan::bindings
