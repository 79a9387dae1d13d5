// Checks training data, and binds it and the options of growing.
#include "bindings/training_data.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "core/require.hpp"
#include "core/tree_grower.hpp"

namespace silvan::bindings {

namespace {

constexpr std::int64_t kMaxPool = std::int64_t{1} << 24;

// Sums of positive weights; what is no number is not above any.
void check_cumulative(const ConstArray<double>& cumulative) {
    const std::size_t n = cumulative.shape(0);
    double before = 0.0;
    bool holds = cumulative.data()[0] > 0.0 && std::isfinite(cumulative.data()[n - 1]);
    for (std::size_t i = 0; i < n; ++i) {
        holds = holds && cumulative.data()[i] >= before;
        before = cumulative.data()[i];
    }
    require(holds, "cumulative must rise from above 0 to a finite number");
}

// Ends of groups of samples, the last one that of all.
void check_strata(const ConstArray<std::int64_t>& ends, std::int64_t n_samples) {
    std::int64_t before = 0;
    bool holds = ends.shape(0) >= 1;
    for (std::size_t s = 0; s < ends.shape(0); ++s) {
        holds = holds && ends.data()[s] > before;
        before = ends.data()[s];
    }
    require(holds && before == n_samples, "strata must rise to the number of samples");
}

template <typename T>
void check_length(const char* name, const ConstArray<T>& array, const SampleDraws& draws) {
    const std::string fault = std::string(name) + " and order differ in length";
    require(static_cast<std::int64_t>(array.shape(0)) == draws.n_samples, fault.c_str());
}

// Keeps an array, if any, and tells where it lies.
template <typename T>
const T* hold(std::optional<ConstArray<T>>& held, std::optional<ConstArray<T>> array) {
    held = std::move(array);
    return held ? held->data() : nullptr;
}

}  // namespace

const SplitKernels* find_kernels(const std::string& name) {
    for (const SplitKernels* const* table = available_kernels(); *table != nullptr; ++table) {
        if (name == (*table)->name) return *table;
    }
    throw std::invalid_argument("this processor has no kernels named " + name);
}

void check_order(const ConstArray<std::uint32_t>& order) {
    const std::uint32_t* begin = order.data();
    require(std::all_of(begin, begin + order.shape(0), [&](std::uint32_t at) { return at < order.shape(0); }),
            "order must have numbers of samples");
}

HeldSampleDraws::HeldSampleDraws(ConstArray<std::uint32_t> order, std::int64_t n_draws, bool replace)
    : order_(std::move(order)) {
    require(order_.shape(0) >= 1, "order must not be empty");
    require(n_draws >= 1 && n_draws <= std::numeric_limits<std::int32_t>::max(),
            "n_draws must be between 1 and 2^31 - 1");
    check_order(order_);
    view.order = order_.data();
    view.n_samples = static_cast<std::int64_t>(order_.shape(0));
    view.n_draws = n_draws;
    view.replace = replace;
}

void HeldSampleDraws::set_cumulative(Optional<double> cumulative) {
    if (cumulative) {
        check_length("cumulative", *cumulative, view);
        check_cumulative(*cumulative);
    }
    view.cumulative = hold(cumulative_, std::move(cumulative));
}

void HeldSampleDraws::set_estimation_share(double share) {
    require(share >= 0.0 && share < 1.0, "estimation_share must be in [0, 1)");
    view.estimation_share = share;
}

void HeldSampleDraws::set_repeats(Optional<std::uint8_t> repeats) {
    if (repeats) check_length("repeats", *repeats, view);
    view.repeats = hold(repeats_, std::move(repeats));
}

void HeldSampleDraws::set_given(Optional<std::int32_t> given) {
    if (given) check_length("given", *given, view);
    view.given = hold(given_, std::move(given));
}

void HeldSampleDraws::set_ranks(Optional<std::uint32_t> ranks) {
    if (ranks) check_length("ranks", *ranks, view);
    view.ranks = hold(ranks_, std::move(ranks));
}

void HeldSampleDraws::set_strata(Optional<std::int64_t> strata) {
    if (strata) check_strata(*strata, view.n_samples);
    view.n_strata = strata ? static_cast<std::int64_t>(strata->shape(0)) : 0;
    view.strata = hold(strata_, std::move(strata));
}

void HeldSampleDraws::set_first_tree(std::int64_t first_tree) {
    require(first_tree >= 0, "first_tree must not be negative");
    view.first_tree = first_tree;
}

HeldTargets::HeldTargets(Values values, std::optional<ConstArray<double>> weights, std::int64_t n_outputs,
                         std::optional<std::int64_t> n_averaged)
    : values_(std::move(values)), weights_(std::move(weights)) {
    require(n_outputs >= 1, "n_outputs must be at least 1");
    view.n_outputs = n_outputs;
    view.indicators = n_averaged.has_value();
    view.n_averaged = n_averaged.value_or(n_outputs);
    require(view.n_averaged >= 1 && view.n_averaged <= n_outputs, "n_averaged must be between 1 and n_outputs");
    if (weights_) view.weight = weights_->data();
    if (!values_) return;
    if (const auto* labels = std::get_if<ConstArray<std::int32_t>>(&*values_)) {
        view.label = labels->data();
        for (std::size_t i = 0; i < labels->shape(0); ++i) {
            require(view.label[i] >= 0 && view.label[i] < n_outputs, "class codes must be below n_outputs");
        }
    } else {
        const auto& outputs = std::get<ConstMatrix<double>>(*values_);
        require(static_cast<std::int64_t>(outputs.shape(1)) == n_outputs, "targets need n_outputs columns");
        view.value = outputs.data();
    }
}

void HeldTargets::check_samples(std::int64_t n_samples) const {
    const auto n = static_cast<std::size_t>(n_samples);
    require(!weights_ || weights_->shape(0) == n, "weights need one entry per sample");
    if (!values_) return;
    const std::size_t n_targets = std::visit([](const auto& array) { return array.shape(0); }, *values_);
    require(n_targets == n, "targets need one entry per sample");
}

HeldTrainingSet::HeldTrainingSet(AnyMatrix columns, std::optional<AnyMatrix> source, const HeldTargets& targets,
                                 const HeldSampleDraws& draws, std::optional<ConstArray<std::int64_t>> n_categories)
    : columns_(std::move(columns)), source_(std::move(source)), targets_(targets), draws_(draws) {
    FeatureLayouts& layouts = arrays.layouts;
    layouts.columns = view_features(columns_);
    if (source_) {
        const FeatureMatrix samples = view_matrix(*source_);
        require(samples.n_samples == layouts.columns.n_samples && samples.n_features == layouts.columns.n_features,
                "source and columns differ in shape");
        if (samples.column_stride == 1) layouts.rows = samples;
    }
    take_targets();
    if (n_categories) arrays.n_categories = to_vector(*n_categories);
}

HeldTrainingSet::HeldTrainingSet(const HeldSparseFeatures& features, const HeldTargets& targets,
                                 const HeldSampleDraws& draws)
    : sparse_(features), targets_(targets), draws_(draws) {
    require(sparse_->view.column_indptr != nullptr, "trees grow on sparse features with columns");
    arrays.layouts.columns = view_features(*sparse_);
    take_targets();
}

void HeldTrainingSet::take_targets() {
    targets_.check_samples(arrays.layouts.columns.n_samples);
    arrays.targets = targets_.view;
    arrays.samples = draws_.view;
}

namespace {

using namespace nb::literals;

void bind_draws(nb::module_& m) {
    using Held = HeldSampleDraws;
    nb::class_<Held>(m, "SampleDraws", "Which samples each tree draws, in canonical order; see sample_draws.hpp.")
        .def(nb::init<ConstArray<std::uint32_t>, std::int64_t, bool>(), "order"_a, "n_draws"_a, "replace"_a = true)
        .def_prop_rw("cumulative", nullptr, &Held::set_cumulative,
                     "Running sums of the weights that samples are drawn by, in order.")
        .def_prop_rw("estimation_share", nullptr, &Held::set_estimation_share,
                     "Share of its samples that an honest tree fills its leaves from.")
        .def_prop_rw("repeats", nullptr, &Held::set_repeats, "1 where a sample in order equals the one before.")
        .def_prop_rw("given", nullptr, &Held::set_given,
                     "How often each sample was drawn, where that was decided elsewhere.")
        .def_prop_rw("ranks", nullptr, &Held::set_ranks,
                     "Places of the samples in the order of the larger set that they were drawn from.")
        .def_prop_rw("strata", nullptr, &Held::set_strata,
                     "Where groups of samples that trees draw alike end in order.")
        .def_prop_rw("first_tree", nullptr, &Held::set_first_tree,
                     "The number that tree 0 has in the forest that it was grown in.");
}

void bind_training_set(nb::module_& m) {
    nb::class_<HeldTargets>(m, "Targets", "Class codes, or outputs with a column for each, and weights of the samples.")
        .def(nb::init<HeldTargets::Values, std::optional<ConstArray<double>>, std::int64_t,
                      std::optional<std::int64_t>>(),
             "values"_a.none().noconvert(), "weights"_a.none(), "n_outputs"_a, "n_averaged"_a.none() = nb::none());
    nb::class_<HeldTrainingSet>(m, "TrainingSet", "What trees grow on; holds the arrays, and copies none.")
        .def(nb::init<AnyMatrix, std::optional<AnyMatrix>, const HeldTargets&, const HeldSampleDraws&,
                      std::optional<ConstArray<std::int64_t>>>(),
             "columns"_a, "source"_a.none(), "targets"_a, "draws"_a, "n_categories"_a.none() = nb::none())
        .def(nb::init<const HeldSparseFeatures&, const HeldTargets&, const HeldSampleDraws&>(), "features"_a,
             "targets"_a, "draws"_a);
}

void bind_gaussian(nb::module_& m) {
    nb::class_<GaussianOptions>(m, "GaussianOptions", "How the Gaussian criterion measures a node.")
        .def(nb::init<>())
        .def_rw("full", &GaussianOptions::full, "Covariances, or the variances alone.")
        .def_rw("n_dimensions", &GaussianOptions::n_dimensions, "Dimensions of the space, at most.")
        .def_rw("max_thresholds", &GaussianOptions::max_thresholds, "Thresholds tried along a direction; 0: all.")
        .def_rw("ridge", &GaussianOptions::ridge, "Added to every variance.")
        .def_rw("bits", &GaussianOptions::bits, "Bits of a coordinate, besides its sign.");
}

std::int64_t pool_size(const GrowOptions& options) { return options.pool_size; }

void set_pool_size(GrowOptions& options, std::int64_t size) {
    require(size >= 0 && size <= kMaxPool, "pool_size must be 0 to 2^24");
    options.pool_size = size;
}

void bind_growing(nb::module_& m) {
    nb::class_<GrowOptions>(m, "GrowOptions", "How trees grow.")
        .def("__init__",
             [](GrowOptions* options) {
                 new (options) GrowOptions();
                 options->kernels = &best_kernels();
             })
        .def_prop_rw(
            "criterion", [](const GrowOptions& options) { return name_of(options.criterion.criterion); },
            [](GrowOptions& options, const std::string& name) { options.criterion.criterion = criterion_named(name); },
            "What a split maximises: gini, entropy, squared_error, absolute_error, poisson or gaussian.")
        .def_prop_rw(
            "gaussian", [](GrowOptions& options) -> GaussianOptions& { return options.criterion.gaussian; },
            [](GrowOptions& options, const GaussianOptions& gaussian) {
                require(gaussian.n_dimensions >= 1, "a Gaussian needs a dimension");
                require(gaussian.ridge > 0.0, "the ridge must be positive");
                options.criterion.gaussian = gaussian;
            },
            "Read by the Gaussian criterion alone.")
        .def_rw("n_directions", &GrowOptions::n_directions, "Candidate directions of a node.")
        .def_rw("max_depth", &GrowOptions::max_depth, "Depth of a leaf, at most.")
        .def_rw("min_samples_split", &GrowOptions::min_samples_split, "Samples of a node that is split, at least.")
        .def_rw("min_samples_leaf", &GrowOptions::min_samples_leaf, "Samples of a leaf, at least.")
        .def_rw("min_weight_fraction_leaf", &GrowOptions::min_weight_fraction_leaf,
                "Weight of a leaf, at least, as a share of the tree's.")
        .def_rw("min_balance", &GrowOptions::min_balance, "Share of a node's samples on either side, at least.")
        .def_rw("max_leaf_nodes", &GrowOptions::max_leaf_nodes, "Leaves of a tree, at most; 0: no limit.")
        .def_prop_rw(
            "monotone", [](const GrowOptions& options) { return std::vector<std::int8_t>(options.monotone); },
            [](GrowOptions& options, const ConstArray<std::int8_t>& signs) { options.monotone = to_vector(signs); },
            nb::for_setter(nb::sig("def monotone(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), "
                                   "order='C', device='cpu', writable=False)], /) -> None")),
            "Per feature 1 where means must rise with it, -1 where they must fall, else 0; empty: no constraint.")
        .def_rw("min_impurity_decrease", &GrowOptions::min_impurity_decrease, "Decrease by a split, at least.")
        .def_rw("random_thresholds", &GrowOptions::random_thresholds,
                "Whether a threshold is drawn along each direction, instead of the best one found.")
        .def_prop_rw("pool_size", &pool_size, &set_pool_size,
                     "Directions over windows that trees share for their nodes to choose from; 0: none are shared.")
        .def_rw("agnostic", &GrowOptions::agnostic,
                "Whether targets decide nothing but the values of leaves; with random thresholds.")
        .def_rw("seed", &GrowOptions::seed, "Of all random streams.")
        .def_prop_rw(
            "instruction_set", [](const GrowOptions& options) { return options.kernels->name; },
            [](GrowOptions& options, const std::string& name) { options.kernels = find_kernels(name); },
            "Of the kernels; the best that the processor has unless told otherwise.");
}

}  // namespace

void bind_training(nb::module_& m) {
    bind_draws(m);
    bind_training_set(m);
    bind_gaussian(m);
    bind_growing(m);
}

}  // namespace silvan::bindings
