// Binds prediction: reads a forest's arrays from a Python object and fills result arrays.
#include <nanobind/stl/pair.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/training_data.hpp"
#include "bindings/window_table.hpp"
#include "core/explaining/shapley.hpp"
#include "core/predictor.hpp"
#include "core/votes.hpp"

namespace silvan::bindings {
namespace {

// A packed forest together with the arrays that it was made from.
class HeldForest {
public:
    explicit HeldForest(const nb::object& forest) {
        ForestView view;
        view.n_features = nb::cast<std::int64_t>(forest.attr("n_features"));
        view.n_outputs = nb::cast<std::int64_t>(forest.attr("n_outputs"));
        view.n_trees = hold(forest, "tree_offsets", view.tree_offsets) - 1;
        hold(forest, "leaf_offsets", view.leaf_offsets);
        hold(forest, "left", view.left);
        hold(forest, "threshold", view.threshold);
        hold(forest, "missing_left", view.missing_left);
        hold(forest, "direction_indptr", view.direction_indptr);
        hold(forest, "direction_indices", view.direction_indices);
        hold(forest, "direction_coefficients", view.direction_coefficients);
        hold(forest, "value_indptr", view.value_indptr);
        hold(forest, "value_outputs", view.value_outputs);
        hold(forest, "values", view.values);
        const auto shape = nb::cast<ConstArray<std::int64_t>>(forest.attr("grid_shape"));
        const auto contiguous = nb::cast<ConstArray<std::uint8_t>>(forest.attr("grid_contiguous"));
        const auto n_categories = nb::cast<ConstArray<std::int64_t>>(forest.attr("n_categories"));
        const WindowDescription windows = read_windows(forest);
        columns_ = make_column_space(view.n_features,
                                     {to_vector(shape), to_vector(contiguous), to_vector(n_categories), windows});
        windows_ = WindowTable(nb::cast<ConstArray<std::int32_t>>(forest.attr("window_channel")),
                               nb::cast<ConstArray<std::int32_t>>(forest.attr("window_box")),
                               nb::cast<ConstArray<std::uint8_t>>(forest.attr("window_statistic")),
                               nb::cast<ConstArray<std::int8_t>>(forest.attr("window_shift")),
                               nb::cast<ConstArray<float>>(forest.attr("window_scale")), windows.n_axes());
        view.windows = windows_.windows.data();
        view.columns = columns_.get();
        nb::gil_scoped_release release;
        packed_.emplace(view, ThreadTeam(1, check_signals));
    }

    const PackedForest& packed() const { return *packed_; }
    const ForestView& view() const { return packed_->view(); }

private:
    template <typename T>
    std::int64_t hold(const nb::object& forest, const char* name, const T*& to) {
        const auto array = nb::cast<ConstArray<T>>(forest.attr(name));
        to = array.data();
        held_.push_back(nb::cast(array));
        return static_cast<std::int64_t>(array.shape(0));
    }

    static WindowDescription read_windows(const nb::object& forest) {
        return {to_vector(nb::cast<ConstArray<std::int64_t>>(forest.attr("channel_shapes"))),
                to_vector(nb::cast<ConstArray<std::int64_t>>(forest.attr("window_max_size"))),
                to_vector(nb::cast<ConstArray<std::uint8_t>>(forest.attr("window_wraps"))),
                to_vector(nb::cast<ConstArray<std::uint8_t>>(forest.attr("window_statistics")))};
    }

    std::vector<nb::object> held_;
    std::unique_ptr<ColumnSpace> columns_;
    WindowTable windows_;
    std::optional<PackedForest> packed_;
};

// What a forest made when it first predicted. Held here, too, because another thread that was first at the same time
// may replace it.
class PackedOf {
public:
    explicit PackedOf(const nb::object& forest) : owner_(forest.attr("packed")) {}
    const HeldForest& operator*() const { return nb::cast<const HeldForest&>(owner_); }

private:
    nb::object owner_;
};

template <typename Features>
FeatureMatrix view_checked(const Features& x, const ForestView& forest) {
    const FeatureMatrix features = view_features(x);
    forest.columns->check(features);
    return features;
}

template <typename T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <typename T>
Matrix<T> to_matrix(std::vector<T>&& values, std::int64_t n_columns) {
    auto* moved = new std::vector<T>(std::move(values));
    nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    const auto width = static_cast<std::size_t>(n_columns);
    return Matrix<T>(moved->data(), {width == 0 ? 0 : moved->size() / width, width}, owner);
}

std::size_t size_of(std::int64_t n_samples, std::int64_t n_columns) {
    return static_cast<std::size_t>(n_samples) * static_cast<std::size_t>(n_columns);
}

template <typename Features>
Matrix<std::int32_t> apply(const nb::object& forest, const Features& x, std::int64_t n_threads) {
    const PackedOf owner(forest);
    const HeldForest& held = *owner;
    const FeatureMatrix features = view_checked(x, held.view());
    std::vector<std::int32_t> nodes(size_of(features.n_samples, held.view().n_trees));
    {
        nb::gil_scoped_release release;
        apply_forest(held.packed(), features, ThreadTeam(n_threads, check_signals), nodes.data());
    }
    return to_matrix(std::move(nodes), held.view().n_trees);
}

template <typename Features>
Matrix<double> predict(const nb::object& forest, const Features& x, bool hard, std::int64_t n_threads) {
    const PackedOf owner(forest);
    const HeldForest& held = *owner;
    const FeatureMatrix features = view_checked(x, held.view());
    std::vector<double> sums(size_of(features.n_samples, held.view().n_outputs));
    {
        nb::gil_scoped_release release;
        sum_votes(held.packed(), features, hard ? Voting::hard : Voting::soft, {0, held.view().n_trees},
                  ThreadTeam(n_threads, check_signals), sums.data());
        for (double& sum : sums) sum /= static_cast<double>(held.view().n_trees);
    }
    return to_matrix(std::move(sums), held.view().n_outputs);
}

using Sums = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void add_leaf_values(const nb::object& forest, const AnyMatrix& x, const Sums& sums,
                     std::pair<std::int64_t, std::int64_t> trees, std::int64_t n_threads) {
    const PackedOf owner(forest);
    const HeldForest& held = *owner;
    const FeatureMatrix features = view_checked(x, held.view());
    const auto [first, last] = trees;
    if (first < 0 || first > last || last > held.view().n_trees) throw std::invalid_argument("there are no such trees");
    if (static_cast<std::int64_t>(sums.shape(0)) != features.n_samples ||
        static_cast<std::int64_t>(sums.shape(1)) != held.view().n_outputs) {
        throw std::invalid_argument("sums need a row for each sample and a column for each output");
    }
    const nb::gil_scoped_release release;
    sum_votes(held.packed(), features, Voting::soft, {first, last}, ThreadTeam(n_threads, check_signals), sums.data());
}

template <typename Features>
std::pair<Matrix<double>, Array<std::int32_t>> predict_out_of_bag(const nb::object& forest, const Features& x,
                                                                  bool hard, const HeldSampleDraws& draws,
                                                                  std::uint64_t seed, std::int64_t n_threads) {
    const PackedOf owner(forest);
    const HeldForest& held = *owner;
    const FeatureMatrix features = view_checked(x, held.view());
    if (draws.view.n_samples != features.n_samples) throw std::invalid_argument("draws need one entry per sample");
    std::vector<double> sums(size_of(features.n_samples, held.view().n_outputs));
    std::vector<std::int32_t> counts(static_cast<std::size_t>(features.n_samples));
    {
        nb::gil_scoped_release release;
        sum_out_of_bag_votes(held.packed(), features, hard ? Voting::hard : Voting::soft, {draws.view, seed},
                             ThreadTeam(n_threads, check_signals), {sums.data(), counts.data()});
    }
    return {to_matrix(std::move(sums), held.view().n_outputs), to_numpy(std::move(counts))};
}

std::pair<Matrix<double>, Matrix<double>> shapley_values(const nb::object& forest, const AnyMatrix& x,
                                                         const AnyMatrix& background, const ShapleyOptions& options,
                                                         std::int64_t n_threads) {
    const PackedOf owner(forest);
    const ForestView& view = (*owner).view();
    const FeatureMatrix samples = view_checked(x, view);
    const FeatureMatrix others = view_checked(background, view);
    const std::int64_t size = view.n_features * view.n_outputs;
    std::vector<double> values(size_of(samples.n_samples, size));
    std::vector<double> variances(values.size());
    run_on_team(n_threads, [&](const ThreadTeam& team) {
        sum_shapley_values(view, samples, others, options, team, {values.data(), variances.data()});
    });
    return {to_matrix(std::move(values), size), to_matrix(std::move(variances), size)};
}

Array<double> leaf_votes(const ConstArray<std::int64_t>& indptr, const ConstArray<double>& values) {
    std::vector<double> votes(values.shape(0));
    for (std::size_t leaf = 0; leaf + 1 < indptr.shape(0); ++leaf) {
        const std::int64_t begin = indptr.data()[leaf];
        const std::int64_t end = indptr.data()[leaf + 1];
        if (begin < 0 || begin >= end || end > static_cast<std::int64_t>(values.shape(0))) {
            throw std::invalid_argument("value_indptr must rise within the values");
        }
        cast_vote(values.data() + begin, end - begin,
                  [&](std::int64_t k, double share) { votes[static_cast<std::size_t>(begin + k)] = share; });
    }
    return to_numpy(std::move(votes));
}

template <typename Features>
void bind_readers(nb::module_& m) {
    m.def("apply", &apply<Features>, nb::arg("forest"), nb::arg("X"), nb::arg("n_threads"),
          "The node of each tree, counted from the tree's first, where each sample ends.");
    m.def("predict", &predict<Features>, nb::arg("forest"), nb::arg("X"), nb::arg("hard"), nb::arg("n_threads"),
          "The mean over trees of the leaf values, or of each tree's vote.");
    m.def("predict_out_of_bag", &predict_out_of_bag<Features>, nb::arg("forest"), nb::arg("X"), nb::arg("hard"),
          nb::arg("draws"), nb::arg("seed"), nb::arg("n_threads"),
          "Sums of votes over the trees that did not draw a sample, and the number of those trees.");
}

}  // namespace

void bind_predict(nb::module_& m) {
    nb::class_<HeldForest>(m, "PackedForest", "A forest's nodes as prediction reads them; made from ForestArrays.")
        .def(nb::init<const nb::object&>(), nb::arg("forest"))
        .def_prop_ro("nbytes", [](const HeldForest& held) { return held.packed().bytes(); });
    bind_readers<AnyMatrix>(m);
    bind_readers<HeldSparseFeatures>(m);
    m.def("add_leaf_values", &add_leaf_values, nb::arg("forest"), nb::arg("X"), nb::arg("sums"), nb::arg("trees"),
          nb::arg("n_threads"),
          "Adds the leaf values of trees [first, last) to sums, a row for each sample, in the order of the trees.");
    nb::class_<ShapleyOptions>(m, "ShapleyOptions", "How Shapley values are computed.")
        .def(nb::init<std::int64_t, std::int64_t, std::uint64_t>(), nb::arg("max_exact_features"),
             nb::arg("n_permutations"), nb::arg("seed"));
    m.def("shapley_values", &shapley_values, nb::arg("forest"), nb::arg("X"), nb::arg("background"), nb::arg("options"),
          nb::arg("n_threads"),
          "Shapley values of each feature and output, summed over trees, and the variances of those that are sampled.");
    m.def("leaf_votes", &leaf_votes, nb::arg("value_indptr"), nb::arg("values"),
          "The vote of each leaf: a share for each of its values, zero for those that are not the largest.");
}

}  // namespace silvan::bindings
