// Looks into SciPy's capsules, and checks what Python hands over as a node.
#include "bindings/node_data.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>


namespace silvan::bindings {

namespace {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

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
    const auto capsules =
        nb::cast<nb::dict>(nb::module_::import_("scipy.linalg.cython_lapack").attr("__pyx_capi__"));
    find_routine(capsules, "dsyevd", 6, scipy_lapack.dsyevd);
    find_routine(capsules, "dgesdd", 8, scipy_lapack.dgesdd);
    find_routine(capsules, "dposv", 5, scipy_lapack.dposv);
}

const Lapack& lapack() { return scipy_lapack; }

NodeData::NodeData(const nb::object& data, std::int64_t n_features) {
    if (data.is_none()) return;
    const auto read = nb::cast<nb::dict>(data);
    x_ = nb::cast<AnyMatrix>(read["X"]);
    features_ = view_features(x_);
    require(features_.n_features == n_features, "X must have the features of the distribution");
    read_targets(read);
    read_rows(read);
    count(root_rows_, root_counts_);
    count(node_rows_, node_counts_);
}

void NodeData::read_targets(const nb::dict& data) {
    const nb::object targets = data["targets"];
    std::int64_t n_targets = 0;
    if (nb::try_cast(targets, labels_)) {
        n_targets = static_cast<std::int64_t>(labels_.shape(0));
        targets_.label = labels_.data();
        for (std::int64_t i = 0; i < n_targets; ++i) {
            require(targets_.label[i] >= 0, "class codes must not be negative");
            targets_.n_outputs = std::max<std::int64_t>(targets_.n_outputs, targets_.label[i] + std::int64_t{1});
        }
    } else {
        outputs_ = nb::cast<ConstMatrix<double>>(targets);
        n_targets = static_cast<std::int64_t>(outputs_.shape(0));
        targets_.value = outputs_.data();
        targets_.n_outputs = static_cast<std::int64_t>(outputs_.shape(1));
        require(targets_.n_outputs >= 1, "targets need a column");
    }
    require(n_targets == features_.n_samples, "targets need one entry per row of X");
    const nb::object weights = data["weights"];
    if (weights.is_none()) return;
    weights_ = nb::cast<ConstArray<double>>(weights);
    require(static_cast<std::int64_t>(weights_.shape(0)) == n_targets, "weights need one entry per row of X");
    targets_.weight = weights_.data();
}

void NodeData::read_rows(const nb::dict& data) {
    multiplicity_ = nb::cast<ConstArray<std::int32_t>>(data["multiplicity"]);
    require(static_cast<std::int64_t>(multiplicity_.shape(0)) == features_.n_samples,
            "multiplicity needs one entry per row of X");
    for (std::int64_t i = 0; i < features_.n_samples; ++i) {
        if (multiplicity_.data()[i] > 0) root_rows_.push_back(static_cast<std::uint32_t>(i));
    }
    const nb::object rows = data["rows"];
    if (rows.is_none()) {
        node_rows_ = root_rows_;
        return;
    }
    const auto numbers = nb::cast<ConstArray<std::uint32_t>>(rows);
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        require(numbers.data()[i] < features_.n_samples && multiplicity_.data()[numbers.data()[i]] > 0,
                "rows must be rows of X that the root has");
        node_rows_.push_back(numbers.data()[i]);
    }
}

void NodeData::count(const std::vector<std::uint32_t>& rows, std::vector<std::int32_t>& counts) const {
    for (const std::uint32_t row : rows) counts.push_back(multiplicity_.data()[row]);
}

NodeContext NodeData::view(const std::vector<std::uint32_t>& rows, const std::vector<std::int32_t>& counts) const {
    NodeContext context;
    if (features_.data == nullptr) return context;
    context.features = &features_;
    context.rows = rows.data();
    context.n_rows = static_cast<std::int64_t>(rows.size());
    context.targets = &targets_;
    context.counts = counts.data();
    return context;
}

}  // namespace silvan::bindings
