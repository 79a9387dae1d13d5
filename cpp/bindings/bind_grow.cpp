// Binds growing: checks what Python hands over, frees the GIL, and returns the forest as arrays.
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bindings/bindings.hpp"
#include "core/forest_grower.hpp"

namespace silvan::bindings {
namespace {

const SplitKernels* find_kernels(const std::string& name) {
    for (const SplitKernels* const* table = available_kernels(); *table != nullptr; ++table) {
        if (name == (*table)->name) return *table;
    }
    throw std::invalid_argument("this processor has no kernels named " + name);
}

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const SplitKernels* const* table = available_kernels(); *table != nullptr; ++table) {
        names.emplace_back((*table)->name);
    }
    return names;
}

GaussianOptions read_gaussian(const nb::dict& options) {
    GaussianOptions read;
    read.full = nb::cast<bool>(options["full"]);
    read.n_dimensions = nb::cast<std::int64_t>(options["n_dimensions"]);
    read.max_thresholds = nb::cast<std::int64_t>(options["max_thresholds"]);
    read.ridge = nb::cast<double>(options["ridge"]);
    read.bits = nb::cast<std::int32_t>(options["bits"]);
    if (read.n_dimensions < 1) throw std::invalid_argument("a Gaussian needs a dimension");
    if (!(read.ridge > 0.0)) throw std::invalid_argument("the ridge must be positive");
    return read;
}

GrowOptions read_options(const nb::dict& options) {
    GrowOptions read;
    read.criterion.criterion = criterion_named(nb::cast<std::string>(options["criterion"]));
    read.n_directions = nb::cast<std::int64_t>(options["n_directions"]);
    read.max_depth = nb::cast<std::int64_t>(options["max_depth"]);
    read.min_samples_split = nb::cast<std::int64_t>(options["min_samples_split"]);
    read.min_samples_leaf = nb::cast<std::int64_t>(options["min_samples_leaf"]);
    read.min_impurity_decrease = nb::cast<double>(options["min_impurity_decrease"]);
    if (options.contains("random_thresholds")) read.random_thresholds = nb::cast<bool>(options["random_thresholds"]);
    if (options.contains("gaussian")) read.criterion.gaussian = read_gaussian(options["gaussian"]);
    read.seed = nb::cast<std::uint64_t>(options["seed"]);
    read.kernels = options.contains("instruction_set")
                       ? find_kernels(nb::cast<std::string>(options["instruction_set"]))
                       : &best_kernels();
    return read;
}

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

TrainingTargets read_targets(const nb::object& targets, const nb::object& weights, std::int64_t n_samples,
                             const nb::dict& options) {
    TrainingTargets read;
    read.n_outputs = nb::cast<std::int64_t>(options["n_outputs"]);
    const Criterion criterion = criterion_named(nb::cast<std::string>(options["criterion"]));
    // The Gaussian criterion reads no targets, but a law of directions that looks at them finds equal ones.
    if (criterion == Criterion::squared_error || (criterion == Criterion::gaussian && !targets.is_none())) {
        const auto values = nb::cast<ConstMatrix<double>>(targets);
        require(static_cast<std::int64_t>(values.shape(0)) == n_samples, "targets need one row per sample");
        require(static_cast<std::int64_t>(values.shape(1)) == read.n_outputs, "targets need n_outputs columns");
        read.value = values.data();
    } else if (criterion != Criterion::gaussian) {
        const auto labels = nb::cast<ConstArray<std::int32_t>>(targets);
        require(static_cast<std::int64_t>(labels.shape(0)) == n_samples, "targets need one entry per sample");
        read.label = labels.data();
        for (std::int64_t i = 0; i < n_samples; ++i) {
            require(read.label[i] >= 0 && read.label[i] < read.n_outputs, "class codes must be below n_outputs");
        }
    }
    if (!weights.is_none()) {
        const auto values = nb::cast<ConstArray<double>>(weights);
        require(static_cast<std::int64_t>(values.shape(0)) == n_samples, "weights need one entry per sample");
        read.weight = values.data();
    }
    return read;
}

nb::dict to_dict(ForestArrays&& forest, ColumnDescription&& columns) {
    nb::dict arrays;
    arrays["grid_shape"] = to_numpy(std::move(columns.grid_shape));
    arrays["grid_contiguous"] = to_numpy(std::move(columns.grid_contiguous));
    arrays["tree_offsets"] = to_numpy(std::move(forest.tree_offsets));
    arrays["leaf_offsets"] = to_numpy(std::move(forest.leaf_offsets));
    arrays["left"] = to_numpy(std::move(forest.left));
    arrays["threshold"] = to_numpy(std::move(forest.threshold));
    arrays["missing_left"] = to_numpy(std::move(forest.missing_left));
    arrays["direction_indptr"] = to_numpy(std::move(forest.direction_indptr));
    arrays["direction_indices"] = to_numpy(std::move(forest.direction_indices));
    arrays["direction_weights"] = to_numpy(std::move(forest.direction_weights));
    arrays["n_samples"] = to_numpy(std::move(forest.n_samples));
    arrays["weight"] = to_numpy(std::move(forest.weight));
    arrays["impurity"] = to_numpy(std::move(forest.impurity));
    arrays["value_indptr"] = to_numpy(std::move(forest.value_indptr));
    arrays["value_outputs"] = to_numpy(std::move(forest.value_outputs));
    arrays["values"] = to_numpy(std::move(forest.values));
    arrays["member_indptr"] = to_numpy(std::move(forest.member_indptr));
    arrays["members"] = to_numpy(std::move(forest.members));
    return arrays;
}

// The caller's own matrix, where it is row-major and of a type that growing reads, as a second layout.
void view_rows_layout(const nb::object& source, FeatureLayouts& features) {
    if (source.is_none()) return;
    const FeatureMatrix rows = view_matrix(nb::cast<AnyMatrix>(source));
    require(rows.n_samples == features.columns.n_samples && rows.n_features == features.columns.n_features,
            "source and columns differ in shape");
    if (rows.column_stride == 1) features.rows = rows;
}

nb::dict grow(const AnyMatrix& columns, const nb::object& source, const nb::object& targets, const nb::object& weights,
              const nb::dict& rows, const std::shared_ptr<ProjectionDistribution>& distribution,
              const nb::dict& options, std::pair<std::int64_t, std::int64_t> trees, std::int64_t n_threads,
              const nb::object& on_progress) {
    FeatureLayouts layouts;
    layouts.columns = view_features(columns);
    view_rows_layout(source, layouts);
    TrainingSet training;
    const std::int64_t n_features = layouts.columns.n_features;
    training.targets = read_targets(targets, weights, layouts.columns.n_samples, options);
    training.rows = view_rows(rows);
    require(training.rows.n_samples == layouts.columns.n_samples, "rows need one entry per sample");
    require(training.rows.n_draws >= 1, "at least one row must be drawn");
    require(distribution->n_features() == n_features,
            "the distribution was made for another number of features");
    const GrowOptions read = read_options(options);
    // Categories have no running sums: what they are worth changes from node to node.
    ColumnDescription description = distribution->columns();
    if (options.contains("n_categories")) {
        require(training.targets.label != nullptr || training.targets.value != nullptr, "categories need targets");
        description = {{}, {}, nb::cast<std::vector<std::int64_t>>(options["n_categories"])};
    }
    const std::unique_ptr<ColumnSpace> space = make_column_space(n_features, description);
    space->check(layouts.columns);
    const auto on_wait = [&on_progress](std::int64_t done) {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!on_progress.is_none()) on_progress(done);
    };
    ForestArrays forest;
    {
        nb::gil_scoped_release release;
        training.columns = space->read_training(layouts, training.rows.order, *read.kernels);
        forest = grow_forest(training, *distribution, read, {trees.first, trees.second}, n_threads, on_wait);
    }
    return to_dict(std::move(forest), std::move(description));
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("grow", &grow, nb::arg("columns"), nb::arg("source").none(), nb::arg("targets").none(), nb::arg("weights").none(), nb::arg("rows"),
          nb::arg("distribution"), nb::arg("options"), nb::arg("trees"), nb::arg("n_threads"),
          nb::arg("on_progress").none(), "Grows trees [first, last) and returns the arrays of the forest.");
    m.def("instruction_sets", &instruction_sets,
          "The instruction sets that this processor can run and the core was compiled for, best last.");
}

}  // namespace silvan::bindings
