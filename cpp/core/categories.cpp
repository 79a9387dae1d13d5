// Learns the codes of categories at a node, and reads those that a tree keeps.
#include "core/categories.hpp"

#include <cmath>

#include "core/node_targets.hpp"
#include "core/samplers/class_numbers.hpp"

namespace silvan {

Categories::Categories(const std::vector<std::int64_t>& n_categories) {
    if (n_categories.empty()) return;
    first_.push_back(static_cast<std::int64_t>(n_categories.size()));
    for (const std::int64_t count : n_categories) {
        first_.push_back(first_.back() + count);
        largest_ = std::max(largest_, count);
    }
}

void add_codes(const FeatureMatrix& features, std::int32_t feature, const float* codes, std::int64_t n_categories,
               float weight, const std::uint32_t* rows, std::int64_t n_rows, float* values) {
    const float* column = features.as<float>() + feature * features.column_stride;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const float value = column[rows[i] * features.row_stride];
        if (is_category(value, n_categories)) {
            values[i] += weight * codes[static_cast<std::int64_t>(value)];
        } else if (value != value) {
            values[i] = value;
        }
    }
}

NodeCodes::NodeCodes(const Categories& categories, const std::uint32_t* rank)
    : categories_(categories), rank_(rank), tables_(static_cast<std::size_t>(categories.n_features())) {
    for (std::size_t j = 0; j < tables_.size(); ++j) {
        tables_[j].code.resize(static_cast<std::size_t>(categories.count(static_cast<std::int32_t>(j))));
    }
    sum_.resize(static_cast<std::size_t>(categories.largest_count()));
    weight_.resize(sum_.size());
}

void NodeCodes::start(const NodeContext& node, std::uint64_t key) {
    for (const std::int32_t feature : in_use_) {
        Table& table = tables_[static_cast<std::size_t>(feature)];
        for (const std::int32_t category : table.met) table.code[static_cast<std::size_t>(category)] = 0.0F;
        table.met.clear();
        table.learnt = false;
    }
    in_use_.clear();
    node_ = node;
    key_ = key;
    half_ = combine_keys(key, static_cast<std::uint64_t>(categories_.n_features()));
    described_ = false;
}

const float* NodeCodes::of(std::int32_t feature) {
    Table& table = tables_[static_cast<std::size_t>(feature)];
    if (!table.learnt) learn(feature, table);
    return table.code.data();
}

void NodeCodes::describe_targets() {
    const TrainingTargets& targets = *node_.targets;
    described_ = true;
    total_weight_ = 0.0;
    totals_.resize(static_cast<std::size_t>(targets.n_outputs));
    if (targets.label == nullptr) totals_.assign(totals_.size(), 0.0);
    // Between nodes the totals of classes are zero, so that a node's time does not depend on absent ones.
    for (const std::int32_t label : present_) totals_[static_cast<std::size_t>(label)] = 0.0;
    present_.clear();
    for (std::int64_t i = 0; i < node_.n_rows; ++i) {
        const double weight = row_weight(node_, i);
        total_weight_ += weight;
        if (targets.label == nullptr) {
            const double* row = targets.value + node_.rows[i] * targets.n_outputs;
            for (std::size_t k = 0; k < totals_.size(); ++k) totals_[k] += weight * row[k];
        } else {
            const std::int32_t label = targets.label[node_.rows[i]];
            double& total = totals_[static_cast<std::size_t>(label)];
            if (total == 0.0) present_.push_back(label);
            total += weight;
        }
    }
    std::sort(present_.begin(), present_.end());
    present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
}

bool NodeCodes::draw_target(Random& random) {
    const TrainingTargets& targets = *node_.targets;
    if (targets.label == nullptr) {
        const auto n_outputs = static_cast<std::uint64_t>(targets.n_outputs);
        output_ = n_outputs == 1 ? 0 : static_cast<std::int64_t>(random.below(n_outputs));
        mean_ = totals_[static_cast<std::size_t>(output_)] / total_weight_;
        double squares = 0.0;
        for (std::int64_t i = 0; i < node_.n_rows; ++i) {
            const double from_mean = target_of(node_.rows[i]) - mean_;
            squares += row_weight(node_, i) * from_mean * from_mean;
        }
        deviation_ = std::sqrt(squares / total_weight_);
    } else {
        if (present_.size() < 2) return false;
        draw_groups(present_.size(), random, groups_);
        side_.resize(totals_.size());
        double in_second = 0.0;
        for (std::size_t c = 0; c < present_.size(); ++c) {
            const auto label = static_cast<std::size_t>(present_[c]);
            side_[label] = groups_[c];
            in_second += groups_[c] * totals_[label];
        }
        mean_ = in_second / total_weight_;
        deviation_ = std::sqrt(mean_ * (1.0 - mean_));
    }
    return deviation_ > 0.0;
}

double NodeCodes::target_of(std::int64_t row) const {
    const TrainingTargets& targets = *node_.targets;
    return targets.label == nullptr ? targets.value[row * targets.n_outputs + output_]
                                    : side_[static_cast<std::size_t>(targets.label[row])];
}

void NodeCodes::learn(std::int32_t feature, Table& table) {
    table.learnt = true;
    in_use_.push_back(feature);
    if (node_.n_rows == 0) return;
    if (!described_) describe_targets();
    // A stream for each feature, so that codes do not depend on the order in which they are asked for.
    Random random(combine_keys(key_, static_cast<std::uint64_t>(feature)));
    if (!draw_target(random)) return;
    const FeatureMatrix& x = *node_.features;
    const float* column = x.as<float>() + feature * x.column_stride;
    const std::int64_t n_categories = categories_.count(feature);
    for (std::int64_t i = 0; i < node_.n_rows; ++i) {
        const std::uint32_t row = node_.rows[i];
        if (!asks(row)) continue;
        const float value = column[row * x.row_stride];
        if (!is_category(value, n_categories)) continue;
        const auto category = static_cast<std::size_t>(value);
        const double weight = row_weight(node_, i);
        if (weight_[category] == 0.0) table.met.push_back(static_cast<std::int32_t>(category));
        weight_[category] += weight;
        sum_[category] += weight * (target_of(row) - mean_);
    }
    std::sort(table.met.begin(), table.met.end());
    for (const std::int32_t met : table.met) {
        const auto category = static_cast<std::size_t>(met);
        table.code[category] = static_cast<float>(sum_[category] / (weight_[category] * deviation_));
        sum_[category] = 0.0;
        weight_[category] = 0.0;
    }
}

bool NodeCodes::touches(const Direction& direction) const {
    return std::any_of(direction.indices, direction.indices + direction.n_nonzeros,
                       [this](std::int32_t feature) { return is_categorical(feature); });
}

Direction NodeCodes::numbers_of(const Direction& direction) {
    indices_.clear();
    weights_.clear();
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if (is_categorical(direction.indices[k])) continue;
        indices_.push_back(direction.indices[k]);
        weights_.push_back(direction.weights[k]);
    }
    return {indices_.data(), weights_.data(), static_cast<std::int64_t>(indices_.size())};
}

void NodeCodes::add(const FeatureMatrix& features, const Direction& direction, const std::uint32_t* rows,
                    std::int64_t n_rows, float* values) {
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const std::int32_t feature = direction.indices[k];
        if (!is_categorical(feature)) continue;
        add_codes(features, feature, of(feature), categories_.count(feature), direction.weights[k], rows, n_rows,
                  values);
    }
}

Direction NodeCodes::written_out(const Direction& direction) {
    numbers_of(direction);
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const std::int32_t feature = direction.indices[k];
        if (!is_categorical(feature)) continue;
        const float* codes = of(feature);
        const auto first = static_cast<std::int32_t>(categories_.first_column(feature));
        const std::vector<std::int32_t>& met = tables_[static_cast<std::size_t>(feature)].met;
        for (const std::int32_t category : met) {
            indices_.push_back(first + category);
            weights_.push_back(direction.weights[k] * codes[category]);
        }
        // Without a code the direction still tells missing categories from others.
        if (met.empty()) {
            indices_.push_back(first);
            weights_.push_back(0.0F);
        }
    }
    return {indices_.data(), weights_.data(), static_cast<std::int64_t>(indices_.size())};
}

CategoryReader::CategoryReader(const Categories& categories)
    : categories_(categories), code_(static_cast<std::size_t>(categories.largest_count())) {}

// The same operations in the same order as in growing.
void CategoryReader::project(const SplitKernels& kernels, const FeatureMatrix& features, const std::uint32_t* rows,
                             std::int64_t n_rows, const Direction& direction, float* values) {
    const std::int32_t* begin = direction.indices;
    const std::int32_t* end = begin + direction.n_nonzeros;
    const std::int32_t* at = std::lower_bound(begin, end, categories_.n_features());
    if (at == begin) {
        std::fill_n(values, n_rows, 0.0F);
    } else {
        kernels.project(features, rows, n_rows, {begin, direction.weights, at - begin}, values);
    }
    while (at != end) {
        const std::int32_t feature = categories_.feature_of(*at);
        const std::int64_t first = categories_.first_column(feature);
        const std::int64_t n_categories = categories_.count(feature);
        const std::int32_t* last = std::lower_bound(at, end, first + n_categories);
        for (const std::int32_t* entry = at; entry != last; ++entry) {
            code_[static_cast<std::size_t>(*entry - first)] = direction.weights[entry - begin];
        }
        add_codes(features, feature, code_.data(), n_categories, 1.0F, rows, n_rows, values);
        for (; at != last; ++at) code_[static_cast<std::size_t>(*at - first)] = 0.0F;
    }
}

}  // namespace silvan
