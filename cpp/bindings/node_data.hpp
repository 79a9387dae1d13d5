// What node-fitted directions need besides a forest: LAPACK from SciPy, and rows given by hand.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/lapack.hpp"
#include "core/columns/column_space.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan::bindings {

// Finds the routines of scipy.linalg.cython_lapack; called once, when the module is imported. Raises ImportError
// where SciPy offers others.
void load_lapack();
const Lapack& lapack();

// Views a node that Python describes as {X, targets, weights, multiplicity, rows}: X is float32 or uint8, targets
// are class codes (int32) or outputs (float64, a column for each), weights (float64) or None, and multiplicity
// (int32) has one entry per row of X, too. The root has all rows of positive multiplicity; `rows` (uint32) are
// those of the node, None for the root's. None in place of the dictionary is a node without rows.
class NodeData {
public:
    NodeData(const nanobind::object& data, std::int64_t n_features);

    NodeContext root() const { return view(root_); }
    NodeContext node() const { return view(node_); }

private:
    struct Rows {
        std::vector<std::uint32_t> numbers;
        std::vector<std::int32_t> counts;
    };

    NodeContext view(const Rows& rows) const;
    void read_targets(const nanobind::dict& data);
    void read_rows(const nanobind::dict& data);

    FeatureLayouts features_;
    std::unique_ptr<ColumnSpace> space_;
    std::unique_ptr<NodeColumns> columns_;
    TrainingTargets targets_;
    // What the views above refer to.
    AnyMatrix x_;
    ConstArray<std::int32_t> labels_;
    ConstMatrix<double> outputs_;
    ConstArray<double> weights_;
    Rows root_;
    Rows node_;
};

}  // namespace silvan::bindings
