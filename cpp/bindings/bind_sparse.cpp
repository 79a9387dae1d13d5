// Checks and binds samples that are mostly zero.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "bindings/bindings.hpp"
#include "core/require.hpp"

namespace silvan::bindings {
namespace {

using SparsePart = std::tuple<ConstArray<std::int64_t>, ConstArray<std::int32_t>, ConstArray<float>>;

HeldSparseFeatures::Part to_part(const SparsePart& part) {
    return {std::get<0>(part), std::get<1>(part), std::get<2>(part)};
}

// Indices rise within each row, or column, and are below `n_inner`.
void check_part(const HeldSparseFeatures::Part& part, std::int64_t n_outer, std::int64_t n_inner) {
    const std::int64_t* indptr = part.indptr.data();
    bool holds = static_cast<std::int64_t>(part.indptr.shape(0)) == n_outer + 1 && indptr[0] == 0 &&
                 part.indices.shape(0) == part.values.shape(0);
    for (std::int64_t i = 0; holds && i < n_outer; ++i) holds = indptr[i] <= indptr[i + 1];
    holds = holds && indptr[n_outer] == static_cast<std::int64_t>(part.indices.shape(0));
    for (std::int64_t i = 0; holds && i < n_outer; ++i) {
        std::int64_t before = -1;
        for (std::int64_t k = indptr[i]; holds && k < indptr[i + 1]; ++k) {
            holds = part.indices.data()[k] > before && part.indices.data()[k] < n_inner;
            before = part.indices.data()[k];
        }
    }
    require(holds, "sparse features need ascending indices within their shape");
}

}  // namespace

HeldSparseFeatures::HeldSparseFeatures(std::int64_t n_samples, std::int64_t n_features, Part rows,
                                       std::optional<Part> columns)
    : rows_(std::move(rows)), columns_(std::move(columns)) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    require(n_samples >= 0 && n_samples <= kLargest && n_features >= 1 && n_features <= kLargest,
            "sparse features need a shape below 2^31");
    check_part(rows_, n_samples, n_features);
    view = {n_samples, n_features, rows_.indptr.data(), rows_.indices.data(), rows_.values.data(), nullptr,
            nullptr,   nullptr};
    if (!columns_) return;
    check_part(*columns_, n_features, n_samples);
    view.column_indptr = columns_->indptr.data();
    view.column_indices = columns_->indices.data();
    view.column_values = columns_->values.data();
}

void bind_sparse(nb::module_& m) {
    nb::class_<HeldSparseFeatures>(m, "SparseFeatures",
                                   "Samples that are mostly zero: the other values, as float32, by samples and where "
                                   "trees grow on them by features; each part is indptr, indices and values.")
        .def(
            "__init__",
            [](HeldSparseFeatures* self, std::pair<std::int64_t, std::int64_t> shape, const SparsePart& rows,
               const std::optional<SparsePart>& columns) {
                new (self) HeldSparseFeatures(shape.first, shape.second, to_part(rows),
                                              columns ? std::optional(to_part(*columns)) : std::nullopt);
            },
            nb::arg("shape"), nb::arg("rows"), nb::arg("columns") = nb::none());
}

}  // namespace silvan::bindings
