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
    features_.columns = view_features(x_);
    require(features_.columns.n_features == n_features, "X must have the features of the distribution");
    space_ = make_column_space(n_features, {});
    columns_ = space_->read_training(features_, nullptr, best_kernels());
    read_targets(read);
    read_rows(read);
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
    require(n_targets == features_.columns.n_samples, "targets need one entry per row of X");
    const nb::object weights = data["weights"];
    if (weights.is_none()) return;
    weights_ = nb::cast<ConstArray<double>>(weights);
    require(static_cast<std::int64_t>(weights_.shape(0)) == n_targets, "weights need one entry per row of X");
    targets_.weight = weights_.data();
}

void NodeData::read_rows(const nb::dict& data) {
    const auto multiplicity = nb::cast<ConstArray<std::int32_t>>(data["multiplicity"]);
    require(static_cast<std::int64_t>(multiplicity.shape(0)) == features_.columns.n_samples,
            "multiplicity needs one entry per row of X");
    const auto add = [&multiplicity](Rows& rows, std::uint32_t row) {
        rows.numbers.push_back(row);
        rows.counts.push_back(multiplicity.data()[row]);
    };
    for (std::uint32_t row = 0; row < features_.columns.n_samples; ++row) {
        if (multiplicity.data()[row] > 0) add(root_, row);
    }
    const nb::object rows = data["rows"];
    if (rows.is_none()) {
        node_ = root_;
        return;
    }
    const auto numbers = nb::cast<ConstArray<std::uint32_t>>(rows);
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        const std::uint32_t row = numbers.data()[i];
        require(row < features_.columns.n_samples && multiplicity.data()[row] > 0, "rows must be rows of X that the root has");
        add(node_, row);
    }
}

NodeContext NodeData::view(const Rows& rows) const {
    NodeContext context;
    if (columns_ == nullptr) return context;
    context.columns = columns_.get();
    context.rows = rows.numbers.data();
    context.n_rows = static_cast<std::int64_t>(rows.numbers.size());
    context.targets = &targets_;
    context.counts = rows.counts.data();
    return context;
}

}  // namespace silvan::bindings
