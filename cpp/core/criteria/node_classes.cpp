// Numbers the classes of a node and adds up their weights.
#include "core/criteria/node_classes.hpp"

namespace silvan {

NodeClasses::NodeClasses(const TrainingTargets& training)
    : training_(training), local_class_(static_cast<std::size_t>(training.n_outputs), -1) {}

void NodeClasses::reserve_samples(std::int64_t max_samples) {
    const auto n = static_cast<std::size_t>(max_samples);
    if (n <= label_.size()) return;
    label_.allocate(n);
    if (!is_counted()) weight_.allocate(n);
}

void NodeClasses::collect_present_classes(const std::uint32_t* samples) {
    for (const std::int32_t code : classes_) local_class_[static_cast<std::size_t>(code)] = -1;
    classes_.clear();
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const std::int32_t code = training_.label[samples[i]];
        std::int32_t& local = local_class_[static_cast<std::size_t>(code)];
        if (local < 0) {
            local = 0;
            classes_.push_back(code);
            if (static_cast<std::int64_t>(classes_.size()) == training_.n_outputs) break;
        }
    }
    std::sort(classes_.begin(), classes_.end());
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        local_class_[static_cast<std::size_t>(classes_[k])] = static_cast<std::int32_t>(k);
    }
}

void NodeClasses::load_classes(const NodeContext& node) {
    n_samples_ = node.n_samples;
    counts_ = node.counts;
    collect_present_classes(node.samples);
    totals_.assign(classes_.size(), 0.0);
    count_totals_.assign(classes_.size(), 0);
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const std::uint32_t sample = node.samples[i];
        const auto at = static_cast<std::size_t>(i);
        const std::int32_t local = local_class_[static_cast<std::size_t>(training_.label[sample])];
        label_[at] = local;
        if (is_counted()) {
            count_totals_[static_cast<std::size_t>(local)] += counts_[i];
        } else {
            weight_[at] = counts_[i] * training_.weight[sample];
            totals_[static_cast<std::size_t>(local)] += weight_[at];
        }
    }
    total_weight_ = 0.0;
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        if (is_counted()) totals_[k] = count_totals_[k];
        total_weight_ += totals_[k];
    }
}

ClassTargets NodeClasses::counted() const {
    return {label_.data(), counts_, count_totals_.data(), n_classes(), static_cast<std::int32_t>(total_weight_)};
}

void NodeClasses::append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const {
    for (std::size_t k = 0; k < totals_.size(); ++k) {
        outputs.push_back(classes_[k]);
        values.push_back(totals_[k] / total_weight_);
    }
}

}  // namespace silvan
