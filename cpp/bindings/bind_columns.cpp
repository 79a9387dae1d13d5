// Binds descriptions of columns, tables of windows, and directions that are written over the features.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/window_table.hpp"
#include "core/columns/channel_grids.hpp"
#include "core/columns/column_space.hpp"
#include "core/columns/window_space.hpp"
#include "core/forest.hpp"
#include "core/require.hpp"

namespace silvan::bindings {
namespace {

constexpr const char* kStatisticNames[] = {"mean", "spread", "slope"};
static_assert(std::size(kStatisticNames) == kWindowStatistics);

// Whether these are sparse rows, empty ones among them, of indices below `n_columns` that ascend.
bool are_directions(const ConstArray<std::int64_t>& indptr, const ConstArray<std::int32_t>& indices,
                    std::int64_t n_columns) {
    if (indptr.shape(0) < 1 || indptr.data()[0] != 0) return false;
    for (std::size_t i = 0; i + 1 < indptr.shape(0); ++i) {
        const std::int64_t end = indptr.data()[i + 1];
        if (end < indptr.data()[i] || end > static_cast<std::int64_t>(indices.shape(0))) return false;
        std::int64_t before = -1;
        for (std::int64_t k = indptr.data()[i]; k < end; ++k) {
            if (indices.data()[k] <= before || indices.data()[k] >= n_columns) return false;
            before = indices.data()[k];
        }
    }
    return true;
}

// What a space makes of directions: ColumnSpace::expand or share.
using Writing = void (ColumnSpace::*)(const Direction&, ExpandedDirections&) const;

template <Writing kWrite>
nb::tuple write_directions(const ColumnDescription& columns, std::int64_t n_features,
                           const ConstArray<std::int64_t>& indptr, const ConstArray<std::int32_t>& indices,
                           const ConstArray<float>& coefficients, const WindowTable* windows) {
    const auto space = make_column_space(n_features, columns);
    const Window* table = windows == nullptr ? nullptr : windows->windows.data();
    const auto n_windows = windows == nullptr ? 0 : static_cast<std::int64_t>(windows->windows.size());
    require(coefficients.shape(0) == indices.shape(0), "indices and coefficients differ in length");
    require(are_directions(indptr, indices, space->n_columns() + n_windows),
            "directions must be sparse rows of columns that ascend");
    ExpandedDirections written;
    run_interruptibly([&] {
        for (std::size_t i = 0; i + 1 < indptr.shape(0); ++i) {
            const std::int64_t start = indptr.data()[i];
            const std::int64_t end = indptr.data()[i + 1];
            (space.get()->*kWrite)({indices.data() + start, coefficients.data() + start, end - start, table}, written);
        }
    });
    return nb::make_tuple(to_numpy(std::move(written.indptr)), to_numpy(std::move(written.indices)),
                          to_numpy(std::move(written.coefficients)));
}

template <typename T, typename Read>
Array<T> read_column(const WindowTable& table, const Read& read) {
    std::vector<T> column;
    column.reserve(table.windows.size());
    for (const Window& window : table.windows) column.push_back(static_cast<T>(read(window)));
    return to_numpy(std::move(column));
}

Array<std::int32_t> read_boxes(const WindowTable& table) {
    std::vector<std::int32_t> boxes;
    for (const Window& window : table.windows) {
        for (std::size_t a = 0; a < window.n_axes; ++a) {
            boxes.push_back(window.box.start[a]);
            boxes.push_back(window.box.end[a]);
        }
    }
    return to_numpy(std::move(boxes));
}

void bind_windows(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<WindowDescription>(m, "WindowDescription", "Channels, and what windows may be on them.")
        .def(nb::init<std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<std::uint8_t>,
                      std::vector<std::uint8_t>>(),
             "channel_shapes"_a, "max_size"_a, "wraps"_a, "statistics"_a)
        .def_ro("channel_shapes", &WindowDescription::channel_shapes, "Lengths along each axis, channel by channel.")
        .def_ro("max_size", &WindowDescription::max_size, "Cells of a box along each axis, at most.")
        .def_ro("wraps", &WindowDescription::wraps, "Per axis 1 where it is a circle.")
        .def_ro("statistics", &WindowDescription::statistics, "The statistics of windows, ascending.");
    nb::class_<WindowTable>(m, "WindowTable", "Windows that the indices of directions from n_features on stand for.")
        .def(nb::init<ConstArray<std::int32_t>, ConstArray<std::int32_t>, ConstArray<std::uint8_t>,
                      ConstArray<std::int8_t>, ConstArray<float>, std::size_t>(),
             "channel"_a, "box"_a, "statistic"_a, "shift"_a, "scale"_a, "n_axes"_a)
        .def("__len__", [](const WindowTable& table) { return table.windows.size(); })
        .def_prop_ro(
            "channel",
            [](const WindowTable& table) {
                return read_column<std::int32_t>(table, [](const Window& w) { return w.channel; });
            },
            nb::rv_policy::move)
        .def_prop_ro("box", &read_boxes, nb::rv_policy::move, "Start and end along each axis, window by window.")
        .def_prop_ro(
            "statistic",
            [](const WindowTable& table) {
                return read_column<std::uint8_t>(table, [](const Window& w) { return w.statistic; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "shift",
            [](const WindowTable& table) {
                return read_column<std::int8_t>(table, [](const Window& w) { return w.shift; });
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "scale",
            [](const WindowTable& table) { return read_column<float>(table, [](const Window& w) { return w.scale; }); },
            nb::rv_policy::move, "What each statistic is divided by.");
}

}  // namespace

WindowTable::WindowTable(const ConstArray<std::int32_t>& channel, const ConstArray<std::int32_t>& box,
                         const ConstArray<std::uint8_t>& statistic, const ConstArray<std::int8_t>& shift,
                         const ConstArray<float>& scale, std::size_t n_axes) {
    const std::size_t n = channel.shape(0);
    const bool alike = statistic.shape(0) == n && shift.shape(0) == n && scale.shape(0) == n;
    if (n_axes > kMaxWindowAxes || !alike || box.shape(0) != 2 * n_axes * n) {
        throw std::invalid_argument("the arrays of windows differ in length");
    }
    windows = join_windows({channel.data(), box.data(), statistic.data(), shift.data(), scale.data()}, n, n_axes);
}

WindowStatistic statistic_named(const std::string& name) {
    for (std::uint8_t i = 0; i < kWindowStatistics; ++i) {
        if (name == kStatisticNames[i]) return static_cast<WindowStatistic>(i);
    }
    throw std::invalid_argument("unknown statistic " + name);
}

void bind_columns(nb::module_& m) {
    using namespace nb::literals;
    bind_windows(m);
    nb::class_<ColumnDescription>(m, "ColumnDescription", "The columns that directions are over besides the features.")
        .def(nb::init<std::vector<std::int64_t>, std::vector<std::uint8_t>, std::vector<std::int64_t>,
                      WindowDescription>(),
             "grid_shape"_a, "grid_contiguous"_a, "n_categories"_a, "windows"_a.sig("...") = WindowDescription{})
        .def_ro("grid_shape", &ColumnDescription::grid_shape, "The grid whose running sums are columns, or empty.")
        .def_ro("grid_contiguous", &ColumnDescription::grid_contiguous, "Per axis 1 where sums run along it.")
        .def_ro("n_categories", &ColumnDescription::n_categories, "Categories of each feature, or empty.")
        .def_ro("windows", &ColumnDescription::windows, "The channels that windows are on, or none.")
        .def(
            "bytes_per_sample",
            [](const ColumnDescription& columns, std::int64_t n_features, const std::vector<double>& largest) {
                return WindowSpace(n_features, columns.windows).growing_bytes_per_sample(largest);
            },
            "n_features"_a, "largest"_a,
            "Memory of a sample's running sums of channels while forests grow, by the largest cell of each channel: "
            "infinity where cells are not all whole numbers from 0 on.");
    static const std::string arguments =
        "(columns: ColumnDescription, n_features: int, indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], "
        "coefficients: NDArray[numpy.float32], windows: WindowTable | None = None) -> "
        "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]";
    static const std::string expand = "def expand_directions" + arguments;
    static const std::string share = "def share_directions" + arguments;
    m.def("expand_directions", &write_directions<&ColumnSpace::expand>, "columns"_a, "n_features"_a, "indptr"_a,
          "indices"_a, "coefficients"_a, "windows"_a.none() = nb::none(), nb::sig(expand.c_str()),
          "Directions over all columns, written over the features alone.");
    m.def("share_directions", &write_directions<&ColumnSpace::share>, "columns"_a, "n_features"_a, "indptr"_a,
          "indices"_a, "coefficients"_a, "windows"_a.none() = nb::none(), nb::sig(share.c_str()),
          "What features have to do with directions, in proportion to the absolute values.");
}

}  // namespace silvan::bindings
