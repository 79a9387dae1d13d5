// Binds what prepares training data: columns, canonical sample order and sample draws.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "bindings/training_data.hpp"
#include "core/columns/copy_columns.hpp"
#include "core/require.hpp"

namespace silvan::bindings {
namespace {

template <typename From, typename To>
nb::object make_columns(const AnyMatrix& x, std::int64_t n_threads) {
    const std::size_t n = x.shape(0);
    const std::size_t p = x.shape(1);
    auto* columns = new Buffer<To>();
    nb::capsule owner(columns, [](void* at) noexcept { delete static_cast<Buffer<To>*>(at); });
    run_on_team(n_threads, [&](const ThreadTeam& team) {
        columns->allocate(n * p);
        const MatrixView<From> view{static_cast<const From*>(x.data()), static_cast<std::int64_t>(n),
                                    static_cast<std::int64_t>(p), x.stride(0), x.stride(1)};
        copy_columns(view, columns->data(), team);
    });
    const std::int64_t stride = static_cast<std::int64_t>(n);
    return nb::cast(nb::ndarray<nb::numpy, To, nb::ndim<2>>(columns->data(), {n, p}, owner, {1, stride}));
}

nb::object to_columns(const AnyMatrix& x, std::int64_t n_threads) {
    if (x.dtype() == nb::dtype<float>()) return make_columns<float, float>(x, n_threads);
    if (x.dtype() == nb::dtype<std::uint8_t>()) return make_columns<std::uint8_t, std::uint8_t>(x, n_threads);
    if (x.dtype() == nb::dtype<double>()) return make_columns<double, float>(x, n_threads);
    if (x.dtype() == nb::dtype<std::int64_t>()) return make_columns<std::int64_t, float>(x, n_threads);
    if (x.dtype() == nb::dtype<std::int32_t>()) return make_columns<std::int32_t, float>(x, n_threads);
    throw std::invalid_argument("to_columns reads float32, float64, uint8, int32 and int64");
}

void check_factors(const std::optional<ConstArray<float>>& factors, const FeatureMatrix& features) {
    require(!factors || static_cast<std::int64_t>(factors->shape(0)) == features.n_features,
            "factors need one entry per feature");
}

template <typename Features, typename Target>
Array<std::uint32_t> sample_order(const Features& x, const ConstMatrix<Target>& targets,
                                  const std::optional<ConstArray<double>>& weights,
                                  const std::optional<ConstArray<float>>& factors, std::int64_t n_threads) {
    const FeatureMatrix features = view_features(x);
    const auto n = static_cast<std::size_t>(features.n_samples);
    require(targets.shape(0) == n, "targets need one entry per sample");
    require(!weights || weights->shape(0) == n, "weights need one entry per sample");
    check_factors(factors, features);
    std::vector<std::uint32_t> order;
    run_on_team(n_threads, [&](const ThreadTeam& team) {
        order = canonical_order(features, targets.data(), static_cast<std::int64_t>(targets.shape(1)),
                                weights ? weights->data() : nullptr, factors ? factors->data() : nullptr, team);
    });
    return to_numpy(std::move(order));
}

template <typename Target>
Array<std::uint64_t> sample_hashes(const AnyMatrix& x, const ConstMatrix<Target>& targets,
                                   const std::optional<ConstArray<float>>& factors) {
    const FeatureMatrix features = view_features(x);
    if (targets.shape(0) != x.shape(0)) throw std::invalid_argument("targets need one entry per sample");
    check_factors(factors, features);
    std::vector<std::uint64_t> hashes;
    run_on_team(1, [&](const ThreadTeam& team) {
        hashes = hash_samples(features, targets.data(), static_cast<std::int64_t>(targets.shape(1)),
                              factors ? factors->data() : nullptr, team);
    });
    return to_numpy(std::move(hashes));
}

Array<std::int32_t> draw_samples_of_tree(const HeldSampleDraws& draws, std::uint64_t seed, std::uint64_t tree) {
    std::vector<std::int32_t> multiplicity(static_cast<std::size_t>(draws.view.n_samples));
    run_interruptibly([&] { draw_samples(draws.view, seed, tree, multiplicity.data()); });
    return to_numpy(std::move(multiplicity));
}

nb::tuple list_draws_of_tree(const HeldSampleDraws& draws, std::uint64_t seed, std::uint64_t tree) {
    DrawnSamples drawn;
    run_interruptibly([&] { drawn = list_drawn_samples(draws.view, seed, tree); });
    return nb::make_tuple(to_numpy(std::move(drawn.samples)), to_numpy(std::move(drawn.counts)));
}

template <typename Features, typename Target>
Array<std::uint8_t> sample_repeats(const Features& x, const ConstMatrix<Target>& targets,
                                   const ConstArray<std::uint32_t>& order,
                                   const std::optional<ConstArray<float>>& factors, std::int64_t n_threads) {
    const FeatureMatrix features = view_features(x);
    check_factors(factors, features);
    const auto n = static_cast<std::size_t>(features.n_samples);
    require(targets.shape(0) == n && order.shape(0) == n, "targets and order need one entry per sample");
    check_order(order);
    std::vector<std::uint8_t> repeats;
    run_on_team(n_threads, [&](const ThreadTeam& team) {
        repeats = mark_repeats(features, targets.data(), static_cast<std::int64_t>(targets.shape(1)), order.data(),
                               factors ? factors->data() : nullptr, team);
    });
    return to_numpy(std::move(repeats));
}

Array<std::uint32_t> estimation_samples_of_tree(const HeldSampleDraws& draws, std::uint64_t seed, std::uint64_t tree) {
    std::vector<std::uint32_t> samples;
    run_interruptibly([&] { samples = list_estimation_samples(draws.view, seed, tree); });
    return to_numpy(std::move(samples));
}

template <typename Features, typename Target>
void bind_order(nb::module_& m) {
    m.def("sample_order", &sample_order<Features, Target>, nb::arg("X"), nb::arg("targets").noconvert(),
          nb::arg("weights") = nb::none(), nb::arg("factors") = nb::none(), nb::arg("n_threads") = 1,
          "The canonical order of the samples, by a hash of their features (times factors, if any) and targets, then "
          "by weight.");
    m.def(
        "sample_repeats", &sample_repeats<Features, Target>, nb::arg("X"), nb::arg("targets").noconvert(),
        nb::arg("order"), nb::arg("factors") = nb::none(), nb::arg("n_threads") = 1,
        "For each position in the canonical order with the same factors, 1 if the sample there equals the one before.");
}

}  // namespace

void bind_data(nb::module_& m) {
    m.def("to_columns", &to_columns, nb::arg("X"), nb::arg("n_threads") = 1,
          "Copies X into column-major float32 (uint8 stays uint8) in one pass; the caller has checked that the "
          "values are within the range of float32.");
    bind_order<AnyMatrix, double>(m);
    bind_order<AnyMatrix, std::int32_t>(m);
    bind_order<HeldSparseFeatures, double>(m);
    bind_order<HeldSparseFeatures, std::int32_t>(m);
    constexpr auto kSampleHashes =
        "The hash of each sample's features (times factors, if any) and targets, which sample_order sorts by.";
    m.def("sample_hashes", &sample_hashes<double>, nb::arg("X"), nb::arg("targets").noconvert(),
          nb::arg("factors") = nb::none(), kSampleHashes);
    m.def("sample_hashes", &sample_hashes<std::int32_t>, nb::arg("X"), nb::arg("targets").noconvert(),
          nb::arg("factors") = nb::none(), kSampleHashes);
    m.def("draw_samples", &draw_samples_of_tree, nb::arg("draws"), nb::arg("seed"), nb::arg("tree"),
          "How often a tree draws each sample.");
    m.def("list_draws", &list_draws_of_tree, nb::arg("draws"), nb::arg("seed"), nb::arg("tree"),
          nb::sig("def list_draws(draws: SampleDraws, seed: int, tree: int) -> tuple[NDArray[numpy.uint32], "
                  "NDArray[numpy.int32]]"),
          "The samples that a tree draws, ascending, and how often each: little memory for few draws.");
    m.def("estimation_samples", &estimation_samples_of_tree, nb::arg("draws"), nb::arg("seed"), nb::arg("tree"),
          "The samples that fill the leaves of an honest tree, ascending; none if trees are not honest.");
}

}  // namespace silvan::bindings
