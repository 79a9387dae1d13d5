// Binds what prepares training data: columns, canonical row order and row draws.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bindings/bindings.hpp"

namespace silvan::bindings {
namespace {

// Tiles keep both the rows that are read and the columns that are written in the first-level cache.
constexpr std::size_t kTileRows = 256;
constexpr std::size_t kTileColumns = 16;

template <typename From, typename To>
void copy_tiled(const AnyMatrix& x, To* columns) {
    const auto* data = static_cast<const From*>(x.data());
    const std::size_t n = x.shape(0);
    const std::size_t p = x.shape(1);
    const std::int64_t row_stride = x.stride(0);
    const std::int64_t column_stride = x.stride(1);
    for (std::size_t i0 = 0; i0 < n; i0 += kTileRows) {
        const std::size_t i1 = std::min(n, i0 + kTileRows);
        for (std::size_t j0 = 0; j0 < p; j0 += kTileColumns) {
            const std::size_t j1 = std::min(p, j0 + kTileColumns);
            for (std::size_t j = j0; j < j1; ++j) {
                const From* from = data + static_cast<std::int64_t>(j) * column_stride;
                To* to = columns + j * n;
                for (std::size_t i = i0; i < i1; ++i) {
                    to[i] = static_cast<To>(from[static_cast<std::int64_t>(i) * row_stride]);
                }
            }
        }
    }
}

template <typename From, typename To>
nb::object make_columns(const AnyMatrix& x) {
    const std::size_t n = x.shape(0);
    const std::size_t p = x.shape(1);
    auto* columns = new Buffer<To>();
    nb::capsule owner(columns, [](void* at) noexcept { delete static_cast<Buffer<To>*>(at); });
    {
        nb::gil_scoped_release release;
        columns->allocate(n * p);
        copy_tiled<From, To>(x, columns->data());
    }
    const std::int64_t stride = static_cast<std::int64_t>(n);
    return nb::cast(nb::ndarray<nb::numpy, To, nb::ndim<2>>(columns->data(), {n, p}, owner, {1, stride}));
}

nb::object to_columns(const AnyMatrix& x) {
    if (x.dtype() == nb::dtype<float>()) return make_columns<float, float>(x);
    if (x.dtype() == nb::dtype<std::uint8_t>()) return make_columns<std::uint8_t, std::uint8_t>(x);
    if (x.dtype() == nb::dtype<double>()) return make_columns<double, float>(x);
    if (x.dtype() == nb::dtype<std::int64_t>()) return make_columns<std::int64_t, float>(x);
    if (x.dtype() == nb::dtype<std::int32_t>()) return make_columns<std::int32_t, float>(x);
    throw std::invalid_argument("to_columns reads float32, float64, uint8, int32 and int64");
}

template <typename Target>
Array<std::uint32_t> row_order(const AnyMatrix& x, const ConstMatrix<Target>& targets,
                               const std::optional<ConstArray<double>>& weights) {
    const FeatureMatrix features = view_features(x);
    if (targets.shape(0) != x.shape(0)) throw std::invalid_argument("targets need one row per sample");
    if (weights && weights->shape(0) != x.shape(0)) throw std::invalid_argument("weights need one entry per sample");
    std::vector<std::uint32_t> order;
    {
        nb::gil_scoped_release release;
        order = canonical_order(features, targets.data(), static_cast<std::int64_t>(targets.shape(1)),
                                weights ? weights->data() : nullptr);
    }
    return to_numpy(std::move(order));
}

Array<std::int32_t> draw_rows_of_tree(const nb::dict& rows, std::uint64_t seed, std::uint64_t tree) {
    const RowDraws draws = view_rows(rows);
    std::vector<std::int32_t> multiplicity(static_cast<std::size_t>(draws.n_samples));
    draw_rows(draws, seed, tree, multiplicity.data());
    return to_numpy(std::move(multiplicity));
}

template <typename Target>
Array<std::uint8_t> row_repeats(const AnyMatrix& x, const ConstMatrix<Target>& targets,
                                const ConstArray<std::uint32_t>& order) {
    const FeatureMatrix features = view_features(x);
    if (targets.shape(0) != x.shape(0) || order.shape(0) != x.shape(0)) {
        throw std::invalid_argument("targets and order need one row per sample");
    }
    std::vector<std::uint8_t> repeats;
    {
        nb::gil_scoped_release release;
        repeats = mark_repeats(features, targets.data(), static_cast<std::int64_t>(targets.shape(1)), order.data());
    }
    return to_numpy(std::move(repeats));
}

Array<std::uint32_t> estimation_rows_of_tree(const nb::dict& rows, std::uint64_t seed, std::uint64_t tree) {
    const RowDraws draws = view_rows(rows);
    std::vector<std::uint32_t> estimation;
    if (is_honest(draws)) {
        std::vector<std::int32_t> multiplicity(static_cast<std::size_t>(draws.n_samples));
        draw_rows(draws, seed, tree, multiplicity.data());
        const std::vector<std::uint8_t> chosen = choose_estimation_rows(draws, seed, tree, multiplicity.data());
        for (std::size_t row = 0; row < multiplicity.size(); ++row) {
            const bool estimates = chosen.empty() ? multiplicity[row] > 0 : chosen[row] != 0;
            if (estimates) estimation.push_back(static_cast<std::uint32_t>(row));
        }
    }
    return to_numpy(std::move(estimation));
}

}  // namespace

RowDraws view_rows(const nb::dict& rows) {
    const auto order = nb::cast<ConstArray<std::uint32_t>>(rows["order"]);
    RowDraws draws;
    draws.order = order.data();
    draws.n_samples = static_cast<std::int64_t>(order.shape(0));
    if (!rows["cumulative"].is_none()) {
        const auto cumulative = nb::cast<ConstArray<double>>(rows["cumulative"]);
        if (cumulative.shape(0) != order.shape(0)) throw std::invalid_argument("cumulative and order differ in length");
        draws.cumulative = cumulative.data();
    }
    draws.n_draws = nb::cast<std::int64_t>(rows["n_draws"]);
    draws.replace = nb::cast<bool>(rows["replace"]);
    if (rows.contains("estimation_share")) draws.estimation_share = nb::cast<double>(rows["estimation_share"]);
    if (rows.contains("repeats") && !rows["repeats"].is_none()) {
        const auto repeats = nb::cast<ConstArray<std::uint8_t>>(rows["repeats"]);
        if (repeats.shape(0) != order.shape(0)) throw std::invalid_argument("repeats and order differ in length");
        draws.repeats = repeats.data();
    }
    return draws;
}

void bind_data(nb::module_& m) {
    m.def("to_columns", &to_columns, nb::arg("X"),
          "Copies X into column-major float32 (uint8 stays uint8) in one pass; the caller has checked that the "
          "values are within the range of float32.");
    constexpr auto kRowOrder = "The canonical order of the rows, by a hash of their features and targets, then by weight.";
    m.def("row_order", &row_order<double>, nb::arg("X"), nb::arg("targets").noconvert(),
          nb::arg("weights") = nb::none(), kRowOrder);
    m.def("row_order", &row_order<std::int32_t>, nb::arg("X"), nb::arg("targets").noconvert(),
          nb::arg("weights") = nb::none(), kRowOrder);
    m.def("draw_rows", &draw_rows_of_tree, nb::arg("rows"), nb::arg("seed"), nb::arg("tree"),
          "How often a tree draws each row.");
    constexpr auto kRowRepeats = "For each position in the canonical order, 1 if the row there equals the one before.";
    m.def("row_repeats", &row_repeats<double>, nb::arg("X"), nb::arg("targets").noconvert(), nb::arg("order"),
          kRowRepeats);
    m.def("row_repeats", &row_repeats<std::int32_t>, nb::arg("X"), nb::arg("targets").noconvert(), nb::arg("order"),
          kRowRepeats);
    m.def("estimation_rows", &estimation_rows_of_tree, nb::arg("rows"), nb::arg("seed"), nb::arg("tree"),
          "The rows that fill the leaves of an honest tree, ascending; none if trees are not honest.");
}

}  // namespace silvan::bindings
