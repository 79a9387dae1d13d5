// What the files of the extension module share.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "core/columns/column_space.hpp"
#include "core/forest.hpp"
#include "core/thread_team.hpp"

namespace silvan::bindings {

void bind_sparse(nb::module_& m);
void bind_training(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_data(nb::module_& m);
void bind_channels(nb::module_& m);
void bind_samplers(nb::module_& m);
void bind_drawing(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_predict(nb::module_& m);

// The arrays of a forest by their names.
nb::dict to_dict(ForestArrays&& forest, ColumnDescription&& columns);

// Lets Python's signal handlers run; throws what they raise, such as KeyboardInterrupt.
void check_signals();

// Calls work() without the GIL, on this thread; Ctrl-C ends it (see throw_if_stopped).
template <typename Work>
void run_interruptibly(const Work& work) {
    const nb::gil_scoped_release release;
    ThreadTeam(1, check_signals).run(1, work);
}

// The same with a team that work(team) may share its loops out over.
template <typename Work>
void run_on_team(std::int64_t n_threads, const Work& work) {
    const nb::gil_scoped_release release;
    work(ThreadTeam(n_threads, check_signals));
}

}  // namespace silvan::bindings
