// What the files of the extension module share.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "core/row_draws.hpp"

namespace silvan::bindings {

void bind_data(nb::module_& m);
void bind_samplers(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_predict(nb::module_& m);

// Views the dictionary {order, cumulative, n_draws, replace}, and for honest trees {estimation_share, repeats}; the
// arrays must outlive the view.
RowDraws view_rows(const nb::dict& rows);

}  // namespace silvan::bindings
