// Calls Python for the directions of a node, and trusts nothing that comes back.
#include "bindings/python_distribution.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/samplers/check_directions.hpp"

namespace silvan::bindings {

namespace {

template <typename T>
nb::object to_matrix(std::vector<T>&& values, std::int64_t n_samples, std::int64_t n_columns) {
    auto* moved = new std::vector<T>(std::move(values));
    nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
    return nb::cast(
        Matrix(moved->data(), {static_cast<std::size_t>(n_samples), static_cast<std::size_t>(n_columns)}, owner));
}

template <typename T>
nb::object copy_samples(const NodeContext& node, std::int64_t n_features) {
    std::vector<T> copy(static_cast<std::size_t>(node.n_samples * n_features));
    std::vector<double> column(static_cast<std::size_t>(node.n_samples));
    for (std::int32_t j = 0; node.columns != nullptr && j < n_features; ++j) {
        node.columns->read_feature(j, node.samples, node.n_samples, column.data());
        for (std::int64_t i = 0; i < node.n_samples; ++i) {
            copy[static_cast<std::size_t>(i * n_features + j)] = static_cast<T>(column[static_cast<std::size_t>(i)]);
        }
    }
    return to_matrix(std::move(copy), node.n_samples, n_features);
}

template <typename T>
std::span<const T> view_array(const ConstArray<T>& array) {
    return {array.data(), array.shape(0)};
}

class PythonSampler final : public ProjectionSampler {
public:
    PythonSampler(std::int64_t n_features, const nb::callable& sample, const std::string& name)
        : n_features_(n_features), sample_(sample), name_(name) {}

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const std::uint64_t key = random.bits();
        nb::gil_scoped_acquire gil;
        append(call(node, n_directions, key), n_directions, batch);
    }

private:
    nb::object call(const NodeContext& node, std::int64_t n_directions, std::uint64_t key) const {
        auto* view = new NodeView(node, n_features_);
        const nb::object owner = nb::cast(view, nb::rv_policy::take_ownership);
        const CloseAtEnd close{view};
        return sample_(owner, n_directions, key);
    }

    // The node's memory is not Python's: a view that somebody kept must not reach it later.
    struct CloseAtEnd {
        NodeView* view;
        ~CloseAtEnd() { view->close(); }
    };

    void append(const nb::object& drawn, std::int64_t n_directions, ProjectionBatch& batch) const {
        ConstArray<std::int64_t> indptr;
        ConstArray<std::int32_t> indices;
        ConstArray<float> coefficients;
        if (!nb::isinstance<nb::tuple>(drawn) || nb::len(drawn) != 3 || !nb::try_cast(drawn[0], indptr) ||
            !nb::try_cast(drawn[1], indices) || !nb::try_cast(drawn[2], coefficients)) {
            const std::string message =
                name_ + " did not return arrays (indptr int64, indices int32, coefficients float32)";
            throw nb::type_error(message.c_str());
        }
        const DirectionsView directions{view_array(indptr), view_array(indices), view_array(coefficients)};
        const std::string fault = find_fault(directions, n_features_);
        if (!fault.empty()) throw std::invalid_argument(name_ + " returned a wrong matrix: " + fault);
        const auto count = static_cast<std::int64_t>(directions.indptr.size()) - 1;
        if (count > n_directions) {
            throw std::invalid_argument(name_ + " returned " + std::to_string(count) + " directions where at most " +
                                        std::to_string(n_directions) + " were asked for");
        }
        const ProjectionBatch::Tail tail = batch.extend(count, directions.indptr.back());
        std::transform(directions.indptr.begin() + 1, directions.indptr.end(), tail.ends,
                       [&tail](std::int64_t end) { return tail.begin + end; });
        std::copy(directions.indices.begin(), directions.indices.end(), tail.indices);
        std::copy(directions.coefficients.begin(), directions.coefficients.end(), tail.coefficients);
    }

    std::int64_t n_features_;
    const nb::callable& sample_;  // the distribution's, which outlives its samplers
    const std::string& name_;
};

}  // namespace

const NodeContext& NodeView::node() const {
    if (node_ == nullptr) {
        throw std::runtime_error(
            "a node can be read only during the call of sample that it was passed to; "
            "copy what is needed later");
    }
    return *node_;
}

nb::object NodeView::samples() const {
    const NodeContext& context = node();
    std::vector<std::uint32_t> copy(context.samples, context.samples + context.n_samples);
    return nb::cast(to_numpy(std::move(copy)));
}

nb::object NodeView::features() const {
    const NodeContext& context = node();
    const bool is_uint8 = context.columns != nullptr && context.columns->feature_type() == FeatureType::uint8;
    return is_uint8 ? copy_samples<std::uint8_t>(context, n_features_) : copy_samples<float>(context, n_features_);
}

nb::object NodeView::targets() const {
    const NodeContext& context = node();
    const TrainingTargets none;
    const TrainingTargets& targets = context.targets == nullptr ? none : *context.targets;
    if (targets.value != nullptr) {
        std::vector<double> copy;
        for (std::int64_t i = 0; i < context.n_samples; ++i) {
            const double* sample = targets.value + static_cast<std::int64_t>(context.samples[i]) * targets.n_outputs;
            copy.insert(copy.end(), sample, sample + targets.n_outputs);
        }
        return to_matrix(std::move(copy), context.n_samples, targets.n_outputs);
    }
    std::vector<std::int32_t> copy;
    copy.reserve(static_cast<std::size_t>(context.n_samples));
    for (std::int64_t i = 0; i < context.n_samples; ++i) copy.push_back(targets.label[context.samples[i]]);
    return nb::cast(to_numpy(std::move(copy)));
}

nb::object NodeView::weights() const {
    const NodeContext& context = node();
    std::vector<double> copy;
    copy.reserve(static_cast<std::size_t>(context.n_samples));
    for (std::int64_t i = 0; i < context.n_samples; ++i) copy.push_back(sample_weight(context, i));
    return nb::cast(to_numpy(std::move(copy)));
}

PythonDistribution::PythonDistribution(std::int64_t n_features, nb::callable sample, std::string name)
    : n_features_(n_features), sample_(std::move(sample)), name_(std::move(name)) {}

std::unique_ptr<ProjectionSampler> PythonDistribution::make_sampler(Random&) const {
    return std::make_unique<PythonSampler>(n_features_, sample_, name_);
}

}  // namespace silvan::bindings
