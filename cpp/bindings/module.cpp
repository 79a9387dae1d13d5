// The extension module silvan._core: one bind function per file.
#include "bindings/bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The native core of silvan: sampling directions, growing and predicting.";
#ifdef NDEBUG
    // Notebooks and daemon threads may end with forests still alive: no fault of theirs, and no message for users.
    nanobind::set_leak_warnings(false);
#endif
    silvan::bindings::bind_sparse(m);
    silvan::bindings::bind_training(m);
    silvan::bindings::bind_columns(m);
    silvan::bindings::bind_data(m);
    silvan::bindings::bind_channels(m);
    silvan::bindings::bind_samplers(m);
    silvan::bindings::bind_drawing(m);
    silvan::bindings::bind_grow(m);
    silvan::bindings::bind_boost(m);
    silvan::bindings::bind_predict(m);
}
