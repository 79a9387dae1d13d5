// Binds the projection distributions and the drawing of directions outside a forest.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/python_distribution.hpp"
#include "core/samplers/axis_aligned.hpp"
#include "core/samplers/dictionary.hpp"
#include "core/samplers/mixture.hpp"
#include "core/samplers/random_rotation.hpp"
#include "core/samplers/sparse_signs.hpp"
#include "core/samplers/uniform_combinations.hpp"

namespace silvan::bindings {

namespace {

using DistributionPtr = std::shared_ptr<ProjectionDistribution>;

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

std::int64_t check_n_features(std::int64_t n_features) {
    require(n_features >= 1 && n_features <= std::numeric_limits<std::int32_t>::max(),
            "n_features must be between 1 and 2^31 - 1");
    return n_features;
}

template <typename T>
std::vector<T> to_vector(const ConstArray<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

DistributionPtr make_axis_aligned(std::int64_t n_features) {
    return std::make_shared<AxisAligned>(check_n_features(n_features));
}

DistributionPtr make_sparse_signs(std::int64_t n_features, double mean_nonzeros, bool poisson) {
    check_n_features(n_features);
    require(std::isfinite(mean_nonzeros) && mean_nonzeros > 0.0, "mean_nonzeros must be finite and above 0");
    if (poisson) return std::make_shared<PoissonSigns>(n_features, mean_nonzeros);
    return std::make_shared<MatrixSigns>(n_features, mean_nonzeros);
}

DistributionPtr make_uniform_combinations(std::int64_t n_features, std::int64_t n_nonzeros) {
    require(n_nonzeros >= 1, "n_nonzeros must be at least 1");
    return std::make_shared<UniformCombinations>(check_n_features(n_features), n_nonzeros);
}

DistributionPtr make_random_rotation(std::int64_t n_features) {
    return std::make_shared<RandomRotation>(check_n_features(n_features));
}

DistributionPtr make_dictionary(std::int64_t n_features, const ConstArray<std::int64_t>& indptr,
                                const ConstArray<std::int32_t>& indices, const ConstArray<float>& weights,
                                const ConstArray<double>& cumulative) {
    ProjectionBatch atoms{to_vector(indptr), to_vector(indices), to_vector(weights)};
    return std::make_shared<Dictionary>(check_n_features(n_features), std::move(atoms), to_vector(cumulative));
}

DistributionPtr make_mixture(const std::vector<DistributionPtr>& components,
                             const ConstArray<double>& cumulative) {
    require(!components.empty(), "a mixture needs a component");
    return std::make_shared<Mixture>(Mixture::Components(components.begin(), components.end()),
                                     to_vector(cumulative));
}

DistributionPtr make_python_distribution(std::int64_t n_features, nb::callable sample, std::string name) {
    return std::make_shared<PythonDistribution>(check_n_features(n_features), std::move(sample),
                                                std::move(name));
}

std::uint64_t follow_path(std::uint64_t key, const std::string& path) {
    for (const char step : path) {
        require(step == 'L' || step == 'R', "path may hold L and R only");
        key = child_key(key, step == 'L' ? Side::left : Side::right);
    }
    return key;
}

nb::tuple sample_directions(const DistributionPtr& distribution, std::uint64_t seed, std::int64_t tree,
                            const std::string& path, std::int64_t n_directions, std::uint64_t attempt) {
    require(n_directions >= 1, "n_directions must be at least 1");
    require(tree >= 0, "tree must not be negative");
    const auto tree_number = static_cast<std::uint64_t>(tree);
    NodeContext node;
    node.tree = tree;
    node.depth = static_cast<std::int64_t>(path.size());
    node.key = follow_path(stream_key(seed, tree_number, Purpose::root_node), path);
    ProjectionBatch batch;
    {
        nb::gil_scoped_release release;
        Random tree_random(stream_key(seed, tree_number, Purpose::tree_sampler));
        const auto sampler = distribution->make_sampler(tree_random);
        Random node_random(attempt_key(node.key, attempt));
        sampler->sample(node, n_directions, node_random, batch);
    }
    return nb::make_tuple(to_numpy(std::move(batch.indptr)), to_numpy(std::move(batch.indices)),
                          to_numpy(std::move(batch.weights)));
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

PyType_Slot python_distribution_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&traverse_python_distribution)},
    {Py_tp_clear, reinterpret_cast<void*>(&clear_python_distribution)},
    {0, nullptr}};

}  // namespace

void bind_samplers(nb::module_& m) {
    nb::class_<ProjectionDistribution>(m, "ProjectionDistribution",
                                       "Where a node's candidate directions come from; immutable.")
        .def_prop_ro("n_features", &ProjectionDistribution::n_features, "The number of features.");
    nb::class_<PythonDistribution, ProjectionDistribution>(
        m, "PythonDistribution", nb::type_slots(python_distribution_slots), "A law written in Python.");
    nb::class_<NodeView>(m, "NodeView", "The node that a Python distribution draws for, during that call.")
        .def_prop_ro("tree", &NodeView::tree, "The number of the tree.")
        .def_prop_ro("depth", &NodeView::depth, "The depth of the node, 0 at the root.")
        .def_prop_ro("n_samples", &NodeView::n_samples, "The number of distinct rows in the node.")
        .def_prop_ro("rows", &NodeView::rows, "The row numbers, ascending: uint32, a copy.")
        .def_prop_ro("X", &NodeView::features, "The features of the rows: float32 or uint8, a copy.");

    m.def("axis_aligned", &make_axis_aligned, nb::arg("n_features"));
    m.def("sparse_signs", &make_sparse_signs, nb::arg("n_features"), nb::arg("mean_nonzeros"),
          nb::arg("poisson"));
    m.def("uniform_combinations", &make_uniform_combinations, nb::arg("n_features"), nb::arg("n_nonzeros"));
    m.def("random_rotation", &make_random_rotation, nb::arg("n_features"));
    m.def("dictionary", &make_dictionary, nb::arg("n_features"), nb::arg("indptr"), nb::arg("indices"),
          nb::arg("weights"), nb::arg("cumulative"));
    m.def("mixture", &make_mixture, nb::arg("components"), nb::arg("cumulative"));
    m.def("python_distribution", &make_python_distribution, nb::arg("n_features"), nb::arg("sample"),
          nb::arg("name") = "sample",
          "A law given by sample(node, n_directions, key) -> (indptr, indices, weights). Errors begin with "
          "name.");
    m.def("sample_directions", &sample_directions, nb::arg("distribution"), nb::arg("seed"), nb::arg("tree"),
          nb::arg("path"), nb::arg("n_directions"), nb::arg("attempt") = 0,
          "The directions that a tree draws at the node reached by `path`, a string of L and R.");
}

}  // namespace silvan::bindings
