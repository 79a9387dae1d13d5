// Binds the drawing of directions outside a forest.
#include <nanobind/stl/tuple.h>

#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/node_data.hpp"
#include "bindings/window_table.hpp"
#include "core/grow_options.hpp"
#include "core/require.hpp"
#include "core/samplers/draw_at_node.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/samplers/windows.hpp"

namespace silvan::bindings {
namespace {

ProjectionBatch draw(const ProjectionDistribution& distribution, const NodePlace& place, std::int64_t n_directions,
                     NodeData* samples) {
    require(n_directions >= 1, "n_directions must be at least 1");
    NodeData none;
    NodeData& data = samples == nullptr ? none : *samples;
    data.check_features(distribution.n_features());
    data.offer(distribution.columns().windows);
    ProjectionBatch batch;
    run_interruptibly([&] { draw_at_node(distribution, place, data.root(), data.node(), n_directions, batch); });
    return batch;
}

nb::tuple to_tuple(ProjectionBatch&& batch) {
    return nb::make_tuple(to_numpy(std::move(batch.indptr)), to_numpy(std::move(batch.indices)),
                          to_numpy(std::move(batch.coefficients)));
}

nb::tuple sample_directions(const ProjectionDistribution& distribution, const NodePlace& place,
                            std::int64_t n_directions, NodeData* samples) {
    return to_tuple(draw(distribution, place, n_directions, samples));
}

nb::tuple sample_windows(const ProjectionDistribution& distribution, const NodePlace& place, std::int64_t n_directions,
                         NodeData* samples) {
    ProjectionBatch batch = draw(distribution, place, n_directions, samples);
    const WindowTable windows{std::move(batch.windows)};
    return nb::make_tuple(to_tuple(std::move(batch)), windows);
}

nb::tuple sample_pool(const ProjectionDistribution& distribution, std::int64_t size, std::uint64_t seed,
                      std::uint64_t number) {
    require(distribution.windows() != nullptr, "only windows have a pool");
    require(size >= 1, "a pool needs a direction");
    WindowDirections drawn;
    run_interruptibly([&] { drawn = distribution.windows()->draw_pool(size, seed, number); });
    const WindowTable windows{std::move(drawn.windows)};
    return nb::make_tuple(to_numpy(std::move(drawn.indptr)), to_numpy(std::move(drawn.coefficients)), windows);
}

}  // namespace

void bind_drawing(nb::module_& m) {
    m.def(
        "sample_thresholds",
        [](const NodePlace& place, std::int64_t n) { return to_numpy(draw_thresholds_at_node(place, n)); },
        nb::arg("place"), nb::arg("n"),
        "Where random thresholds lie between smallest and largest value, for the directions that vary at a node.");
    m.def("sample_directions", &sample_directions, nb::arg("distribution"), nb::arg("place"), nb::arg("n_directions"),
          nb::arg("samples").none() = nb::none(),
          nb::sig("def sample_directions(distribution: ProjectionDistribution, place: NodePlace, n_directions: int, "
                  "samples: NodeSamples | None = None) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]"),
          "The directions that a tree draws at a node. Distributions that look at data see `samples`, or a node "
          "without samples.");
    m.def("sample_windows", &sample_windows, nb::arg("distribution"), nb::arg("place"), nb::arg("n_directions"),
          nb::arg("samples").none() = nb::none(),
          nb::sig("def sample_windows(distribution: ProjectionDistribution, place: NodePlace, n_directions: int, "
                  "samples: NodeSamples | None = None) -> tuple[tuple[NDArray[numpy.int64], NDArray[numpy.int32], "
                  "NDArray[numpy.float32]], WindowTable]"),
          "The same, and the windows that directions are over.");
    m.def("sample_pool", &sample_pool, nb::arg("distribution"), nb::arg("size"), nb::arg("seed"), nb::arg("number") = 0,
          nb::sig("def sample_pool(distribution: ProjectionDistribution, size: int, seed: int, number: int = 0) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.float32], WindowTable]"),
          "A pool of directions over windows that the nodes of some trees choose among: where their terms begin, "
          "coefficients, and windows. Trees 0 to TREES_OF_POOL - 1 have the first, number 0.");
    m.attr("TREES_OF_POOL") = kTreesOfPool;
    m.attr("FEWEST_TREES_AHEAD") = kFewestAhead;
}

}  // namespace silvan::bindings
