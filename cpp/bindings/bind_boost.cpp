// Binds boosting: options, and the booster that grows a round at a time.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/training_data.hpp"
#include "core/boosting/booster.hpp"
#include "core/require.hpp"
#include "core/samplers/axis_aligned.hpp"

namespace silvan::bindings {
namespace {

using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Booster in Python; the arguments live as long as it does (see keep_alive below).
class HeldBooster {
public:
    HeldBooster(const HeldTrainingSet& data, const ProjectionDistribution* distribution, const BoostOptions& options)
        : arrays_(data.arrays), features_(data.arrays.layouts.columns.n_features) {
        // Nodes read the bins of the pool.
        arrays_.layouts.has_few_values = false;
        run_interruptibly([&] {
            const ProjectionDistribution& described = distribution != nullptr ? *distribution : features_;
            training_.emplace(arrays_, described, *options.kernels);
        });
        booster_.emplace(*training_, distribution, options);
    }

    void grow_round(std::int64_t round, const ConstMatrix<double>& gradients, const ConstMatrix<double>& hessians,
                    const std::optional<Scores>& scores, std::int64_t n_threads) {
        require(round >= 0, "rounds count from 0");
        RoundGradients given;
        given.gradient = gradients.data();
        given.hessian = hessians.data();
        given.n_samples = static_cast<std::int64_t>(gradients.shape(0));
        given.n_outputs = static_cast<std::int64_t>(gradients.shape(1));
        require(given.n_outputs >= 1, "gradients need a column");
        require(hessians.shape(0) == gradients.shape(0) && hessians.shape(1) == gradients.shape(1),
                "hessians and gradients differ in shape");
        if (scores) check_scores(*scores, given.n_outputs);
        double* added = scores ? scores->data() : nullptr;
        const nb::gil_scoped_release release;
        booster_->grow_round(round, given, added, ThreadTeam(n_threads, check_signals));
    }

    nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> leaves(std::int64_t n_threads) const {
        std::vector<std::int32_t> numbers;
        {
            const nb::gil_scoped_release release;
            numbers = booster_->leaves(ThreadTeam(n_threads, check_signals));
        }
        auto* moved = new std::vector<std::int32_t>(std::move(numbers));
        nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
        const auto n_samples = static_cast<std::size_t>(booster_->n_samples());
        return {moved->data(), {n_samples, static_cast<std::size_t>(booster_->n_trees())}, owner};
    }

    void set_values(const ConstMatrix<double>& values, const Scores& scores, std::int64_t n_threads) {
        require(static_cast<std::int64_t>(values.shape(0)) == booster_->n_leaves() &&
                    static_cast<std::int64_t>(values.shape(1)) == booster_->n_leaf_values(),
                "values need a row for each leaf of the last round");
        check_scores(scores, booster_->n_outputs());
        const nb::gil_scoped_release release;
        booster_->set_values(values.data(), scores.data(), ThreadTeam(n_threads, check_signals));
    }

    nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>> outside() const {
        const Buffer<std::uint32_t>& numbers = booster_->outside();
        return to_numpy(std::vector<std::uint32_t>(numbers.data(), numbers.data() + numbers.size()));
    }

    std::int64_t n_leaves() const { return booster_->n_leaves(); }

    nb::dict take_trees() { return to_dict(booster_->take_trees(), training_->space->describe()); }

private:
    void check_scores(const Scores& scores, std::int64_t n_outputs) const {
        require(static_cast<std::int64_t>(scores.shape(0)) == booster_->n_samples() &&
                    static_cast<std::int64_t>(scores.shape(1)) == n_outputs,
                "scores need a row for each sample and a column for each output");
    }

    TrainingArrays arrays_;
    AxisAligned features_;
    std::optional<TrainingSet> training_;
    std::optional<Booster> booster_;
};

void bind_options(nb::module_& m) {
    nb::class_<BoostOptions>(m, "BoostOptions", "How boosted trees grow.")
        .def("__init__",
             [](BoostOptions* options) {
                 new (options) BoostOptions();
                 options->kernels = &best_kernels();
             })
        .def_rw("seed", &BoostOptions::seed, "Of all random streams.")
        .def_rw("use_features", &BoostOptions::use_features, "Whether every feature is a column.")
        .def_rw("n_directions", &BoostOptions::n_directions, "Columns that are drawn from the distribution.")
        .def_rw("redraw_every", &BoostOptions::redraw_every, "Rounds that a draw of directions lasts.")
        .def_rw("max_bins", &BoostOptions::max_bins, "Bins of a column besides that of missing values, 2 to 255.")
        .def_rw("max_leaf_nodes", &BoostOptions::max_leaf_nodes, "Leaves of a tree, at most; 0: no limit.")
        .def_rw("max_depth", &BoostOptions::max_depth, "Depth of a leaf, at most.")
        .def_rw("min_samples_leaf", &BoostOptions::min_samples_leaf, "Samples of a leaf, at least.")
        .def_rw("min_child_weight", &BoostOptions::min_child_weight, "Sum of hessians of a leaf, at least.")
        .def_rw("min_gain", &BoostOptions::min_gain, "A split gains more than this.")
        .def_rw("l1", &BoostOptions::l1, "Sums of gradients shrink by it.")
        .def_rw("l2", &BoostOptions::l2, "Added to sums of hessians.")
        .def_rw("learning_rate", &BoostOptions::learning_rate, "Factor of all values.")
        .def_rw("subsample", &BoostOptions::subsample, "Share of the samples that the trees of a round grow on.")
        .def_rw("colsample", &BoostOptions::colsample, "Share of the columns that a tree may split.")
        .def_rw("random_thresholds", &BoostOptions::random_thresholds,
                "Whether one random edge is tried for each column and node, instead of all.")
        .def_rw("vector_leaves", &BoostOptions::vector_leaves,
                "Whether a round grows one tree with a value for each output in its leaves.")
        .def_prop_rw(
            "monotone", [](const BoostOptions& options) { return std::vector<std::int8_t>(options.monotone); },
            [](BoostOptions& options, const ConstArray<std::int8_t>& signs) { options.monotone = to_vector(signs); },
            nb::for_setter(nb::sig("def monotone(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), "
                                   "order='C', device='cpu', writable=False)], /) -> None")),
            "Per feature 1 where values must rise with it, -1 where they must fall, else 0; empty: no constraint.")
        .def_rw("interaction_groups", &BoostOptions::interaction_groups,
                "Features that may be split on one path; empty: all.")
        .def_prop_rw(
            "instruction_set", [](const BoostOptions& options) { return options.kernels->name; },
            [](BoostOptions& options, const std::string& name) { options.kernels = find_kernels(name); },
            "Of the kernels; the best that the processor has unless told otherwise.");
}

}  // namespace

void bind_boost(nb::module_& m) {
    using namespace nb::literals;
    bind_options(m);
    nb::class_<HeldBooster>(m, "Booster", "Grows boosted trees, a round at a time.")
        .def(nb::init<const HeldTrainingSet&, const ProjectionDistribution*, const BoostOptions&>(), "training"_a,
             "distribution"_a.none(), "options"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             "The options are copied; a distribution is needed for directions alone.")
        .def("grow_round", &HeldBooster::grow_round, "round"_a, "gradients"_a, "hessians"_a, "scores"_a.none(),
             "n_threads"_a,
             "Grows the trees of a round (0, 1, ...) and adds their values to the scores, unless they are None.\n\n"
             "Gradients, hessians and scores have a row for each sample and a column for each output.")
        .def("leaves", &HeldBooster::leaves, "n_threads"_a,
             "Per sample and tree of the last round the leaf, counted through all of its trees.")
        .def("outside", &HeldBooster::outside, "Samples that the last round's trees were not grown on, ascending.")
        .def_prop_ro("n_leaves", &HeldBooster::n_leaves, "Leaves of all trees of the last round.")
        .def("set_values", &HeldBooster::set_values, "values"_a, "scores"_a, "n_threads"_a,
             "Replaces the values of the last round's leaves, a row for each leaf, and adds them to the scores.\n\n"
             "A row has one value, or one for each output where leaves are vectors. No learning rate is applied.")
        .def("take_trees", &HeldBooster::take_trees, nb::sig("def take_trees(self) -> dict[str, NDArray]"),
             "The arrays of the trees since the last call, in the order of rounds and outputs.");
}

}  // namespace silvan::bindings
