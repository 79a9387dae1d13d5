// Binds the projection distributions.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/node_data.hpp"
#include "bindings/python_distribution.hpp"
#include "bindings/window_table.hpp"
#include "core/columns/column_space.hpp"
#include "core/require.hpp"
#include "core/samplers/axis_aligned.hpp"
#include "core/samplers/canonical_directions.hpp"
#include "core/samplers/dictionary.hpp"
#include "core/samplers/draw_at_node.hpp"
#include "core/samplers/graph_neighborhoods.hpp"
#include "core/samplers/mixture.hpp"
#include "core/samplers/patches.hpp"
#include "core/samplers/perturbed_hyperplanes.hpp"
#include "core/samplers/principal_components.hpp"
#include "core/samplers/random_rotation.hpp"
#include "core/samplers/ridge_directions.hpp"
#include "core/samplers/ridge_windows.hpp"
#include "core/samplers/sparse_signs.hpp"
#include "core/samplers/uniform_combinations.hpp"
#include "core/samplers/unit_free.hpp"
#include "core/samplers/weighted_combinations.hpp"
#include "core/samplers/windows.hpp"

namespace silvan::bindings {

namespace {

using DistributionPtr = std::shared_ptr<ProjectionDistribution>;

constexpr std::int64_t kMaxDrawnWindows = 100'000;

std::int64_t check_n_features(std::int64_t n_features) {
    require(n_features >= 1 && n_features <= std::numeric_limits<std::int32_t>::max(),
            "n_features must be between 1 and 2^31 - 1");
    return n_features;
}

DistributionPtr make_axis_aligned(std::int64_t n_features) {
    return std::make_shared<AxisAligned>(check_n_features(n_features));
}

DistributionPtr make_sparse_signs(std::int64_t n_features, double mean_nonzeros, bool poisson, bool drop_empty) {
    check_n_features(n_features);
    require(std::isfinite(mean_nonzeros) && mean_nonzeros > 0.0, "mean_nonzeros must be finite and above 0");
    if (poisson) return std::make_shared<PoissonSigns>(n_features, mean_nonzeros);
    return std::make_shared<MatrixSigns>(n_features, mean_nonzeros, drop_empty);
}

DistributionPtr make_uniform_combinations(std::int64_t n_features, std::int64_t n_nonzeros) {
    require(n_nonzeros >= 1, "n_nonzeros must be at least 1");
    return std::make_shared<UniformCombinations>(check_n_features(n_features), n_nonzeros);
}

DistributionPtr make_random_rotation(std::int64_t n_features) {
    return std::make_shared<RandomRotation>(check_n_features(n_features));
}

// A node fits at most this many features and samples; what is asked for beyond it is all there are.
std::int64_t check_fit(std::int64_t n_drawn, std::int64_t n_features, std::int64_t max_samples) {
    check_n_features(n_features);
    require(n_drawn >= 1, "n_drawn must be at least 1");
    require(max_samples >= 2, "max_samples must be at least 2");
    return std::min(n_drawn, n_features);
}

DistributionPtr make_principal_components(std::int64_t n_features, std::int64_t group_size, bool per_tree,
                                          std::int64_t max_samples) {
    group_size = check_fit(group_size, n_features, max_samples);
    return std::make_shared<PrincipalComponents>(
        n_features, PrincipalComponents::Options{group_size, per_tree, max_samples}, lapack());
}

DistributionPtr make_ridge_directions(std::int64_t n_features, std::int64_t n_drawn, double alpha,
                                      std::int64_t max_samples) {
    n_drawn = check_fit(n_drawn, n_features, max_samples);
    require(std::isfinite(alpha) && alpha > 0.0, "alpha must be finite and above 0");
    return std::make_shared<RidgeDirections>(n_features, RidgeDirections::Options{n_drawn, alpha, max_samples},
                                             lapack());
}

DistributionPtr make_perturbed_hyperplanes(std::int64_t n_features, std::int64_t n_drawn, std::int64_t n_perturbations,
                                           std::int64_t max_samples) {
    n_drawn = check_fit(n_drawn, n_features, max_samples);
    require(n_perturbations >= 0, "n_perturbations must not be negative");
    return std::make_shared<PerturbedHyperplanes>(n_features,
                                                  PerturbedHyperplanes::Options{n_drawn, n_perturbations, max_samples});
}

DistributionPtr make_canonical_directions(std::int64_t n_features, std::int64_t n_drawn, bool bootstrap,
                                          std::int64_t max_samples, std::int64_t max_fits) {
    n_drawn = check_fit(n_drawn, n_features, max_samples);
    require(max_fits >= 1, "a node needs a fit");
    return std::make_shared<CanonicalDirections>(
        n_features, CanonicalDirections::Options{n_drawn, bootstrap, max_samples, max_fits}, lapack());
}

DistributionPtr make_dictionary(std::int64_t n_features, const ConstArray<std::int64_t>& indptr,
                                const ConstArray<std::int32_t>& indices, const ConstArray<float>& coefficients,
                                const ConstArray<double>& cumulative) {
    ProjectionBatch atoms{to_vector(indptr), to_vector(indices), to_vector(coefficients), {}};
    return std::make_shared<Dictionary>(check_n_features(n_features), std::move(atoms), to_vector(cumulative));
}

DistributionPtr make_mixture(const std::vector<DistributionPtr>& components, const ConstArray<double>& cumulative) {
    require(!components.empty(), "a mixture needs a component");
    for (const DistributionPtr& component : components) require(component != nullptr, "a component is None");
    return std::make_shared<Mixture>(Mixture::Components(components.begin(), components.end()), to_vector(cumulative));
}

DistributionPtr make_unit_free(const DistributionPtr& distribution, const ConstArray<std::int32_t>& exponents) {
    require(distribution != nullptr, "the distribution is None");
    return std::make_shared<UnitFree>(distribution, to_vector(exponents));
}

CoefficientKind read_coefficient_kind(const std::string& name) {
    if (name == "ones") return CoefficientKind::ones;
    if (name == "signs") return CoefficientKind::signs;
    if (name == "uniform") return CoefficientKind::uniform;
    if (name == "normal") return CoefficientKind::normal;
    throw std::invalid_argument("unknown kind of coefficients " + name);
}

Boundary read_boundary(const std::string& name) {
    if (name == "corner") return Boundary::corner;
    if (name == "inside") return Boundary::inside;
    if (name == "pad") return Boundary::pad;
    if (name == "wrap") return Boundary::wrap;
    if (name == "subset") return Boundary::subset;
    throw std::invalid_argument("unknown boundary " + name);
}

using AxisTuple = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string, std::int64_t>;

std::vector<PatchAxis> read_axes(const std::vector<AxisTuple>& tuples) {
    std::vector<PatchAxis> axes;
    for (const auto& [length, min_size, max_size, boundary, reach] : tuples) {
        require(1 <= min_size && min_size <= max_size && max_size <= length, "sizes must lie within the axis");
        require(0 <= reach && reach <= length, "reach must lie within the axis");
        axes.push_back({length, min_size, max_size, read_boundary(boundary), reach});
    }
    return axes;
}

DistributionPtr make_patches(const std::vector<AxisTuple>& axes, const std::string& coefficients, bool shuffled,
                             std::int64_t n_patches) {
    require(!axes.empty(), "patches need an axis");
    require(n_patches >= 1, "n_patches must be at least 1");
    const PatchShape shape{read_axes(axes), read_coefficient_kind(coefficients), shuffled, n_patches};
    std::int64_t n_features = 1;
    for (const PatchAxis& axis : shape.axes) n_features = check_n_features(n_features * axis.length);
    const auto patches = std::make_shared<Patches>(shape);
    check_n_features(patches->n_columns());
    return patches;
}

DistributionPtr make_windows(const std::vector<std::vector<AxisTuple>>& channels, const std::vector<double>& weights,
                             const std::vector<std::string>& statistics, std::int64_t n_patches,
                             std::pair<std::int64_t, double> shift, double whole_probability) {
    require(!channels.empty() && channels.size() == weights.size(), "every channel needs a weight");
    require(n_patches >= 1, "n_patches must be at least 1");
    require(0 <= shift.first && shift.first <= std::numeric_limits<std::int8_t>::max(),
            "shifts must be between 0 and 127");
    WindowOptions options{{}, weights, {}, n_patches, shift.first, shift.second, whole_probability};
    std::int64_t n_features = 0;
    for (const std::vector<AxisTuple>& axes : channels) {
        std::int64_t n_cells = 1;
        for (const AxisTuple& axis : axes) n_cells = check_n_features(n_cells * std::get<0>(axis));
        n_features = check_n_features(n_features + n_cells);
        options.channels.push_back(read_axes(axes));
        require(axes.size() == channels.front().size(), "channels must have the same number of axes");
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const bool wraps = std::get<3>(axes[a]) == "wrap";
            require(wraps == (std::get<3>(channels.front()[a]) == "wrap"), "an axis wraps on all channels or on none");
            require(options.channels.back()[a].boundary != Boundary::subset, "windows need neighbours");
        }
    }
    // Windows are numbered after the features.
    require(n_features <= std::numeric_limits<std::int32_t>::max() / 2, "there are too many cells");
    for (const std::string& name : statistics) options.statistics.push_back(statistic_named(name));
    std::sort(options.statistics.begin(), options.statistics.end());
    auto windows = std::make_shared<Windows>(std::move(options));
    make_column_space(n_features, windows->columns());  // throws where they are none
    return windows;
}

DistributionPtr make_ridge_windows(const DistributionPtr& windows, std::int64_t n_drawn, std::int64_t n_terms,
                                   double terms_per_root, double alpha, std::int64_t max_samples) {
    require(windows != nullptr && !windows->columns().windows.empty(), "the distribution must draw windows");
    require(1 <= n_terms && n_terms <= n_drawn && n_drawn <= kMaxDrawnWindows, "a fit draws as many as it keeps");
    require(max_samples >= 2, "max_samples must be at least 2");
    require(std::isfinite(alpha) && alpha > 0.0, "alpha must be finite and above 0");
    require(terms_per_root > 0.0, "terms_per_root must be above 0");
    return std::make_shared<RidgeWindows>(windows,
                                          RidgeWindows::Options{n_drawn, n_terms, terms_per_root, alpha, max_samples});
}

DistributionPtr make_graph_neighborhoods(const ConstArray<std::int64_t>& indptr,
                                         const ConstArray<std::int32_t>& neighbors,
                                         std::pair<std::int64_t, std::int64_t> sizes, const std::string& coefficients) {
    const auto n_nodes = check_n_features(static_cast<std::int64_t>(indptr.shape(0)) - 1);
    require(1 <= sizes.first && sizes.first <= sizes.second, "sizes must be 1 <= smallest <= largest");
    require(indptr.data()[0] == 0 && indptr.data()[n_nodes] == static_cast<std::int64_t>(neighbors.shape(0)),
            "indptr must rise from 0 to the number of neighbours");
    for (std::int64_t i = 0; i < n_nodes; ++i) {
        require(indptr.data()[i] <= indptr.data()[i + 1], "indptr must not fall");
    }
    for (std::size_t k = 0; k < neighbors.shape(0); ++k) {
        require(neighbors.data()[k] >= 0 && neighbors.data()[k] < n_nodes, "neighbours must be nodes");
    }
    return std::make_shared<GraphNeighborhoods>(to_vector(indptr), to_vector(neighbors),
                                                NeighborhoodSizes{sizes.first, sizes.second},
                                                read_coefficient_kind(coefficients));
}

DistributionPtr make_weighted_combinations(const ConstArray<double>& weights,
                                           std::pair<std::int64_t, std::int64_t> sizes,
                                           const std::string& coefficients) {
    check_n_features(static_cast<std::int64_t>(weights.shape(0)));
    require(1 <= sizes.first && sizes.first <= sizes.second, "sizes must be 1 <= smallest <= largest");
    return std::make_shared<WeightedCombinations>(to_vector(weights), sizes, read_coefficient_kind(coefficients));
}

DistributionPtr make_python_distribution(std::int64_t n_features, nb::callable sample, std::string name) {
    return std::make_shared<PythonDistribution>(check_n_features(n_features), std::move(sample), std::move(name));
}

// The function of a Python distribution refers to its module, and the module may refer to the distribution.
int traverse_python_distribution(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    Py_VISIT(nb::inst_ptr<PythonDistribution>(self)->function().ptr());
    return 0;
}

int clear_python_distribution(PyObject* self) {
    nb::inst_ptr<PythonDistribution>(self)->release_function();
    return 0;
}

PyType_Slot python_distribution_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse_python_distribution)},
                                           {Py_tp_clear, reinterpret_cast<void*>(&clear_python_distribution)},
                                           {0, nullptr}};

void bind_nodes(nb::module_& m) {
    nb::class_<ProjectionDistribution>(m, "ProjectionDistribution",
                                       "Where a node's candidate directions come from; immutable.")
        .def_prop_ro("n_features", &ProjectionDistribution::n_features, "The number of features.")
        .def_prop_ro("columns", &ProjectionDistribution::columns,
                     "The columns that directions are drawn over besides the features.");
    nb::class_<NodePlace>(m, "NodePlace", "Which draw of which node; `path` from the root is a string of L and R.")
        .def(
            "__init__",
            [](NodePlace* place, std::uint64_t seed, std::int64_t tree, const std::string& path,
               std::uint64_t attempt) { new (place) NodePlace{seed, tree, path, attempt}; },
            nb::arg("seed"), nb::arg("tree"), nb::arg("path") = "", nb::arg("attempt") = 0);
    nb::class_<NodeData>(m, "NodeSamples", "The samples of a node that no forest has.")
        .def(nb::init<AnyMatrix, NodeData::Targets, std::optional<ConstArray<double>>, ConstArray<std::int32_t>,
                      std::optional<ConstArray<std::uint32_t>>>(),
             nb::arg("X"), nb::arg("targets").noconvert(), nb::arg("weights").none(), nb::arg("multiplicity"),
             nb::arg("samples").none());
    const nb::class_<PythonDistribution, ProjectionDistribution> written_in_python(
        m, "PythonDistribution", nb::type_slots(python_distribution_slots), "A distribution written in Python.");
    nb::class_<NodeView>(m, "NodeView", "The node that a Python distribution draws for, during that call.")
        .def_prop_ro("tree", &NodeView::tree, "The number of the tree.")
        .def_prop_ro("depth", &NodeView::depth, "The depth of the node, 0 at the root.")
        .def_prop_ro("n_samples", &NodeView::n_samples, "The number of distinct samples in the node.")
        .def_prop_ro("samples", &NodeView::samples, "The sample numbers, ascending: uint32, a copy.")
        .def_prop_ro("X", &NodeView::features, "The features of the samples: float32 or uint8, a copy.")
        .def_prop_ro("targets", &NodeView::targets, "Class codes (int32) or outputs (float64) of the samples, a copy.")
        .def_prop_ro("weights", &NodeView::weights, "Multiplicity times sample weight of the samples, a copy.");
}

void bind_distributions(nb::module_& m) {
    m.def("axis_aligned", &make_axis_aligned, nb::arg("n_features"));
    m.def("sparse_signs", &make_sparse_signs, nb::arg("n_features"), nb::arg("mean_nonzeros"), nb::arg("poisson"),
          nb::arg("drop_empty") = false);
    m.def("uniform_combinations", &make_uniform_combinations, nb::arg("n_features"), nb::arg("n_nonzeros"));
    m.def("random_rotation", &make_random_rotation, nb::arg("n_features"));
    m.def("principal_components", &make_principal_components, nb::arg("n_features"), nb::arg("group_size"),
          nb::arg("per_tree"), nb::arg("max_samples"));
    m.def("ridge_directions", &make_ridge_directions, nb::arg("n_features"), nb::arg("n_drawn"), nb::arg("alpha"),
          nb::arg("max_samples"));
    m.def("perturbed_hyperplanes", &make_perturbed_hyperplanes, nb::arg("n_features"), nb::arg("n_drawn"),
          nb::arg("n_perturbations"), nb::arg("max_samples"));
    m.def("weighted_combinations", &make_weighted_combinations, nb::arg("weights"), nb::arg("sizes"),
          nb::arg("coefficients"));
    m.def("canonical_directions", &make_canonical_directions, nb::arg("n_features"), nb::arg("n_drawn"),
          nb::arg("bootstrap"), nb::arg("max_samples"), nb::arg("max_fits"));
    m.def("dictionary", &make_dictionary, nb::arg("n_features"), nb::arg("indptr"), nb::arg("indices"),
          nb::arg("coefficients"), nb::arg("cumulative"));
    m.def("mixture", &make_mixture, nb::arg("components"), nb::arg("cumulative"));
    m.def("unit_free", &make_unit_free, nb::arg("distribution"), nb::arg("exponents"));
    m.def("patches", &make_patches, nb::arg("axes"), nb::arg("coefficients"), nb::arg("shuffled"), nb::arg("n_patches"),
          "Patches on a grid; each axis is (length, min_size, max_size, boundary, reach).");
    m.def("windows", &make_windows, nb::arg("channels"), nb::arg("weights"), nb::arg("statistics"),
          nb::arg("n_patches"), nb::arg("shift"), nb::arg("whole_probability") = 0.0,
          "Windows on channels, each a list of axes as of patches; `shift` is the largest one and its probability.");
    m.def("ridge_windows", &make_ridge_windows, nb::arg("windows"), nb::arg("n_drawn"), nb::arg("n_terms"),
          nb::arg("terms_per_root"), nb::arg("alpha"), nb::arg("max_samples"),
          "Ridge regressions on windows that another distribution draws.");
    m.def("graph_neighborhoods", &make_graph_neighborhoods, nb::arg("indptr"), nb::arg("neighbors"), nb::arg("sizes"),
          nb::arg("coefficients"));
    m.def(
        "python_distribution", &make_python_distribution, nb::arg("n_features"), nb::arg("sample"),
        nb::arg("name") = "sample",
        "A distribution given by sample(node, n_directions, key) -> (indptr, indices, coefficients). Errors begin with "
        "name.");
}

}  // namespace

void bind_samplers(nb::module_& m) {
    load_lapack();
    bind_nodes(m);
    bind_distributions(m);
}

}  // namespace silvan::bindings
