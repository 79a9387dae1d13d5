// What the files of the extension module share.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"

namespace silvan::bindings {

void bind_training(nb::module_& m);
void bind_data(nb::module_& m);
void bind_samplers(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_predict(nb::module_& m);

}  // namespace silvan::bindings
