// What node-fitted directions need besides a forest: LAPACK from SciPy, and samples given by hand.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/columns/column_space.hpp"
#include "core/lapack.hpp"
#include "core/samplers/projection_sampler.hpp"

namespace silvan::bindings {

// Finds the routines of scipy.linalg.cython_lapack; called once, when the module is imported. Raises ImportError
// where SciPy offers others.
void load_lapack();
const Lapack& lapack();

// NodeSamples in Python: X is float32 or uint8, targets are class codes (int32) or outputs (float64, a column for
// each), and weights (float64) or None and multiplicity (int32) have one entry per sample of X, too. The root has all
// samples of positive multiplicity; `samples` (uint32) are those of the node, None for the root's.
class NodeData {
public:
    using Targets = std::variant<ConstArray<std::int32_t>, ConstMatrix<double>>;

    // A node without samples.
    NodeData() = default;
    NodeData(AnyMatrix x, Targets targets, std::optional<ConstArray<double>> weights,
             const ConstArray<std::int32_t>& multiplicity, const std::optional<ConstArray<std::uint32_t>>& samples);

    // Throws std::invalid_argument unless X has so many features.
    void check_features(std::int64_t n_features) const;

    // Offers windows on channels besides the features, if there are any.
    void offer(const WindowDescription& windows);

    NodeContext root() const { return view(root_); }
    NodeContext node() const { return view(node_); }

private:
    struct Samples {
        std::vector<std::uint32_t> numbers;
        std::vector<std::int32_t> counts;
    };

    NodeContext view(const Samples& samples) const;
    void read_targets();
    void read_samples(const ConstArray<std::int32_t>& multiplicity,
                      const std::optional<ConstArray<std::uint32_t>>& samples);

    FeatureLayouts features_;
    std::unique_ptr<ColumnSpace> space_;
    std::unique_ptr<NodeColumns> columns_;
    TrainingTargets targets_;
    // What the views above refer to.
    AnyMatrix x_;
    Targets given_;
    std::optional<ConstArray<double>> weights_;
    Samples root_;
    Samples node_;
};

}  // namespace silvan::bindings
