// Binds growing: frees the GIL, and returns the forest as arrays.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/training_data.hpp"
#include "core/forest_grower.hpp"

namespace silvan::bindings {
namespace {

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const SplitKernels* const* table = available_kernels(); *table != nullptr; ++table) {
        names.emplace_back((*table)->name);
    }
    return names;
}

nb::dict grow(const HeldTrainingSet& data, const ProjectionDistribution& distribution, const GrowOptions& options,
              std::pair<std::int64_t, std::int64_t> trees, std::int64_t n_threads, const nb::object& on_progress) {
    if (trees.first < 0 || trees.second < trees.first || trees.second > std::numeric_limits<std::int32_t>::max()) {
        throw std::invalid_argument("trees must be a range within 0 .. 2^31 - 1");
    }
    if (options.n_directions < 1 || options.min_samples_leaf < 1 || options.max_depth < 0 || n_threads < 1) {
        throw std::invalid_argument(
            "n_directions, min_samples_leaf and n_threads must be positive, max_depth not negative");
    }
    check_targets(options.criterion.criterion, data.arrays.targets);
    const auto on_wait = [&on_progress](std::int64_t done) {
        check_signals();
        const nb::gil_scoped_acquire acquire;
        if (!on_progress.is_none()) on_progress(done);
    };
    std::optional<TrainingSet> training;
    run_interruptibly([&] {
        training.emplace(data.arrays, distribution, *options.kernels, PoolPlan{options.pool_size, options.seed});
    });
    ForestArrays forest;
    {
        const nb::gil_scoped_release release;
        forest = grow_forest(*training, distribution, options, {trees.first, trees.second}, n_threads, on_wait);
    }
    return to_dict(std::move(forest), training->space->describe());
}

}  // namespace

nb::dict to_dict(ForestArrays&& forest, ColumnDescription&& columns) {
    nb::dict arrays;
    arrays["grid_shape"] = to_numpy(std::move(columns.grid_shape));
    arrays["grid_contiguous"] = to_numpy(std::move(columns.grid_contiguous));
    arrays["channel_shapes"] = to_numpy(std::move(columns.windows.channel_shapes));
    arrays["window_max_size"] = to_numpy(std::move(columns.windows.max_size));
    arrays["window_wraps"] = to_numpy(std::move(columns.windows.wraps));
    arrays["window_statistics"] = to_numpy(std::move(columns.windows.statistics));
    arrays["window_channel"] = to_numpy(std::move(forest.window_channel));
    arrays["window_box"] = to_numpy(std::move(forest.window_box));
    arrays["window_statistic"] = to_numpy(std::move(forest.window_statistic));
    arrays["window_shift"] = to_numpy(std::move(forest.window_shift));
    arrays["window_scale"] = to_numpy(std::move(forest.window_scale));
    arrays["tree_offsets"] = to_numpy(std::move(forest.tree_offsets));
    arrays["leaf_offsets"] = to_numpy(std::move(forest.leaf_offsets));
    arrays["left"] = to_numpy(std::move(forest.left));
    arrays["threshold"] = to_numpy(std::move(forest.threshold));
    arrays["missing_left"] = to_numpy(std::move(forest.missing_left));
    arrays["direction_indptr"] = to_numpy(std::move(forest.direction_indptr));
    arrays["direction_indices"] = to_numpy(std::move(forest.direction_indices));
    arrays["direction_coefficients"] = to_numpy(std::move(forest.direction_coefficients));
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

void check_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_grow(nb::module_& m) {
    m.def("grow", &grow, nb::arg("training"), nb::arg("distribution"), nb::arg("options"), nb::arg("trees"),
          nb::arg("n_threads"), nb::arg("on_progress").none(),
          nb::sig("def grow(training: TrainingSet, distribution: ProjectionDistribution, options: GrowOptions, "
                  "trees: tuple[int, int], n_threads: int, on_progress: Callable[[int], object] | None) -> "
                  "dict[str, NDArray]"),
          "Grows trees [first, last) and returns the arrays of the forest.");
    m.def("instruction_sets", &instruction_sets,
          "The instruction sets that this processor can run and the core was compiled for, best last.");
}

}  // namespace silvan::bindings
