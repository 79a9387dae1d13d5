// Looks into SciPy's capsules, and checks what Python hands over as a node.
#include "bindings/node_data.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace silvan::bindings {

namespace {

// The capsule's name is the function's signature. Integers of another width would be read wrongly, so the number
// of those of the usual width must be right.
template <typename Function>
void find_routine(const nb::dict& capsules, const char* name, int n_integers, Function& function) {
    const nb::object capsule = capsules[name];
    const char* signature = PyCapsule_GetName(capsule.ptr());
    if (signature == nullptr) throw nb::python_error();
    const std::string text(signature);
    int found = 0;
    for (std::size_t at = text.find("int *"); at != std::string::npos; at = text.find("int *", at + 1)) ++found;
    if (found != n_integers) {
        throw nb::import_error(("scipy.linalg.cython_lapack." + std::string(name) + " has the signature " + text +
                                ", which silvan cannot call")
                                   .c_str());
    }
    void* pointer = PyCapsule_GetPointer(capsule.ptr(), signature);
    if (pointer == nullptr) throw nb::python_error();
    function = reinterpret_cast<Function>(pointer);
}

Lapack scipy_lapack;

}  // namespace

void load_lapack() {
    const auto capsules = nb::cast<nb::dict>(nb::module_::import_("scipy.linalg.cython_lapack").attr("__pyx_capi__"));
    find_routine(capsules, "dsyevd", 6, scipy_lapack.dsyevd);
    find_routine(capsules, "dgesdd", 8, scipy_lapack.dgesdd);
    find_routine(capsules, "dposv", 5, scipy_lapack.dposv);
}

const Lapack& lapack() { return scipy_lapack; }

NodeData::NodeData(AnyMatrix x, Targets targets, std::optional<ConstArray<double>> weights,
                   const ConstArray<std::int32_t>& multiplicity,
                   const std::optional<ConstArray<std::uint32_t>>& samples)
    : x_(std::move(x)), given_(std::move(targets)), weights_(std::move(weights)) {
    features_.columns = view_features(x_);
    space_ = make_column_space(features_.columns.n_features, {});
    columns_ = space_->read_training(features_, nullptr, best_kernels());
    read_targets();
    read_samples(multiplicity, samples);
}

void NodeData::check_features(std::int64_t n_features) const {
    require(columns_ == nullptr || columns_->n_features() == n_features,
            "X must have the features of the distribution");
}

void NodeData::offer(const WindowDescription& windows) {
    if (columns_ == nullptr || windows.empty()) return;
    std::unique_ptr<ColumnSpace> space = make_column_space(features_.columns.n_features, {{}, {}, {}, windows});
    columns_ = space->read_training(features_, nullptr, best_kernels());
    space_ = std::move(space);
}

void NodeData::read_targets() {
    std::int64_t n_targets = 0;
    if (const auto* labels = std::get_if<ConstArray<std::int32_t>>(&given_)) {
        n_targets = static_cast<std::int64_t>(labels->shape(0));
        targets_.label = labels->data();
        for (std::int64_t i = 0; i < n_targets; ++i) {
            require(targets_.label[i] >= 0, "class codes must not be negative");
            targets_.n_outputs = std::max<std::int64_t>(targets_.n_outputs, targets_.label[i] + std::int64_t{1});
        }
    } else {
        const auto& outputs = std::get<ConstMatrix<double>>(given_);
        n_targets = static_cast<std::int64_t>(outputs.shape(0));
        targets_.value = outputs.data();
        targets_.n_outputs = static_cast<std::int64_t>(outputs.shape(1));
        require(targets_.n_outputs >= 1, "targets need a column");
    }
    require(n_targets == features_.columns.n_samples, "targets need one entry per sample of X");
    if (!weights_) return;
    require(static_cast<std::int64_t>(weights_->shape(0)) == n_targets, "weights need one entry per sample of X");
    targets_.weight = weights_->data();
}

void NodeData::read_samples(const ConstArray<std::int32_t>& multiplicity,
                            const std::optional<ConstArray<std::uint32_t>>& samples) {
    require(static_cast<std::int64_t>(multiplicity.shape(0)) == features_.columns.n_samples,
            "multiplicity needs one entry per sample of X");
    const auto add = [&multiplicity](Samples& to, std::uint32_t sample) {
        to.numbers.push_back(sample);
        to.counts.push_back(multiplicity.data()[sample]);
    };
    for (std::uint32_t sample = 0; sample < features_.columns.n_samples; ++sample) {
        if (multiplicity.data()[sample] > 0) add(root_, sample);
    }
    if (!samples) {
        node_ = root_;
        return;
    }
    for (std::size_t i = 0; i < samples->shape(0); ++i) {
        const std::uint32_t sample = samples->data()[i];
        require(sample < features_.columns.n_samples && multiplicity.data()[sample] > 0,
                "samples must be samples of X that the root has");
        add(node_, sample);
    }
}

NodeContext NodeData::view(const Samples& samples) const {
    NodeContext context;
    if (columns_ == nullptr) return context;
    context.columns = columns_.get();
    context.samples = samples.numbers.data();
    context.n_samples = static_cast<std::int64_t>(samples.numbers.size());
    context.targets = &targets_;
    context.counts = samples.counts.data();
    return context;
}

}  // namespace silvan::bindings
