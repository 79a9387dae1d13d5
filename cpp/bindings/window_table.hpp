// The windows that directions are over, as Python hands them over and gets them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/columns/window.hpp"

namespace silvan::bindings {

// WindowTable in Python.
struct WindowTable {
    WindowTable() = default;
    explicit WindowTable(std::vector<Window>&& table) : windows(std::move(table)) {}
    // Throws std::invalid_argument where the arrays differ in length.
    WindowTable(const ConstArray<std::int32_t>& channel, const ConstArray<std::int32_t>& box,
                const ConstArray<std::uint8_t>& statistic, const ConstArray<std::int8_t>& shift,
                const ConstArray<float>& scale, std::size_t n_axes);

    std::vector<Window> windows;
};

// Throws std::invalid_argument where there is none.
WindowStatistic statistic_named(const std::string& name);

}  // namespace silvan::bindings
