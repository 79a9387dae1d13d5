// Numbers the classes of a node and adds up their weights.
#include "core/criteria/node_classes.hpp"

#include <bit>

namespace silvan {
namespace {

constexpr std::int64_t kFewClasses = 64;  // a bit of a word each

}  // namespace

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

// Labels and counts in one pass; samples take turns in two tables, so that few of them wait for the last one.
void NodeClasses::count_few_classes(const std::uint32_t* samples) {
    std::int32_t totals[2][kFewClasses];
    const auto n_outputs = static_cast<std::size_t>(training_.n_outputs);
    std::fill_n(totals[0], n_outputs, 0);
    std::fill_n(totals[1], n_outputs, 0);
    std::uint64_t present = 0;
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const std::int32_t code = training_.label[samples[i]];
        label_[static_cast<std::size_t>(i)] = code;
        totals[i & 1][code] += counts_[i];
        present |= std::uint64_t{1} << static_cast<unsigned>(code);
    }
    classes_.clear();
    count_totals_.clear();
    for (std::uint64_t rest = present; rest != 0; rest &= rest - 1) {
        const std::int32_t code = std::countr_zero(rest);
        classes_.push_back(code);
        count_totals_.push_back(totals[0][code] + totals[1][code]);
    }
    if ((present & (present + 1)) == 0) return;  // codes are local numbers already
    for (std::size_t k = 0; k < classes_.size(); ++k) totals[0][classes_[k]] = static_cast<std::int32_t>(k);
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        std::int32_t& label = label_[static_cast<std::size_t>(i)];
        label = totals[0][label];
    }
}

void NodeClasses::load_weights(const std::uint32_t* samples) {
    collect_present_classes(samples);
    totals_.assign(classes_.size(), 0.0);
    count_totals_.assign(classes_.size(), 0);
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const std::uint32_t sample = samples[i];
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
}

void NodeClasses::load_classes(const NodeContext& node) {
    n_samples_ = node.n_samples;
    counts_ = node.counts;
    if (is_counted() && training_.n_outputs <= kFewClasses) {
        count_few_classes(node.samples);
    } else {
        load_weights(node.samples);
    }
    if (is_counted()) totals_.assign(count_totals_.begin(), count_totals_.end());
    total_weight_ = 0.0;
    for (const double total : totals_) total_weight_ += total;
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
