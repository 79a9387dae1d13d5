// Learns the codes of categories at a node, and reads those that a tree keeps.
#include "core/columns/category_codes.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/samplers/class_numbers.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// Whether the value of a categorical feature is the number of one of its categories.
inline bool is_category(float value, std::int64_t n_categories) {
    return value >= 0.0F && value < static_cast<float>(n_categories);
}

// What the categories of a feature are worth.
struct Codes {
    std::int32_t feature = 0;
    std::int64_t n_categories = 0;
    const float* code = nullptr;
};

// values[i] += coefficient * (code of the category of samples[i]); missing categories make missing values.
void add_codes(const FeatureMatrix& features, const Codes& codes, float coefficient, const std::uint32_t* samples,
               std::int64_t n_samples, float* values) {
    const float* column = features.as<float>() + codes.feature * features.column_stride;
    for (std::int64_t i = 0; i < n_samples; ++i) {
        const float value = column[samples[i] * features.row_stride];
        if (is_category(value, codes.n_categories)) {
            values[i] += coefficient * codes.code[static_cast<std::int64_t>(value)];
        } else if (value != value) {
            values[i] = value;
        }
    }
}

}  // namespace

Categories::Categories(const std::vector<std::int64_t>& n_categories) {
    first_.push_back(static_cast<std::int64_t>(n_categories.size()));
    for (const std::int64_t count : n_categories) {
        first_.push_back(first_.back() + count);
        largest_ = std::max(largest_, count);
    }
}

CategoryNodeColumns::CategoryNodeColumns(const FeatureLayouts& layouts, const Categories& categories,
                                         std::shared_ptr<const std::vector<std::uint32_t>> rank,
                                         const SplitKernels& kernels)
    : PlainNodeColumns(layouts, kernels),
      categories_(categories),
      rank_(std::move(rank)),
      tables_(static_cast<std::size_t>(categories.n_features())) {
    for (std::size_t j = 0; j < tables_.size(); ++j) {
        tables_[j].code.resize(static_cast<std::size_t>(categories.count(static_cast<std::int32_t>(j))));
    }
    sum_.resize(static_cast<std::size_t>(categories.largest_count()));
    weight_.resize(sum_.size());
}

void CategoryNodeColumns::start(const NodeContext& node, std::uint64_t key) {
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

const float* CategoryNodeColumns::codes_of(std::int32_t feature) {
    Table& table = tables_[static_cast<std::size_t>(feature)];
    if (!table.learnt) learn(feature, table);
    return table.code.data();
}

void CategoryNodeColumns::describe_targets() {
    const TrainingTargets& targets = *node_.targets;
    described_ = true;
    total_weight_ = 0.0;
    totals_.resize(static_cast<std::size_t>(targets.n_outputs));
    if (targets.label == nullptr) totals_.assign(totals_.size(), 0.0);
    // Between nodes the totals of classes are zero, so that a node's time does not depend on absent ones.
    for (const std::int32_t label : present_) totals_[static_cast<std::size_t>(label)] = 0.0;
    present_.clear();
    for (std::int64_t i = 0; i < node_.n_samples; ++i) {
        const double weight = sample_weight(node_, i);
        total_weight_ += weight;
        if (targets.label == nullptr) {
            const double* sample = targets.value + node_.samples[i] * targets.n_outputs;
            for (std::size_t k = 0; k < totals_.size(); ++k) totals_[k] += weight * sample[k];
        } else {
            const std::int32_t label = targets.label[node_.samples[i]];
            double& total = totals_[static_cast<std::size_t>(label)];
            if (total == 0.0) present_.push_back(label);
            total += weight;
        }
    }
    std::sort(present_.begin(), present_.end());
    present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
}

bool CategoryNodeColumns::draw_target(Random& random) {
    const TrainingTargets& targets = *node_.targets;
    if (targets.label == nullptr) {
        const auto n_outputs = static_cast<std::uint64_t>(targets.n_outputs);
        output_ = n_outputs == 1 ? 0 : static_cast<std::int64_t>(random.below(n_outputs));
        mean_ = totals_[static_cast<std::size_t>(output_)] / total_weight_;
        double squares = 0.0;
        for (std::int64_t i = 0; i < node_.n_samples; ++i) {
            const double from_mean = target_of(node_.samples[i]) - mean_;
            squares += sample_weight(node_, i) * from_mean * from_mean;
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

double CategoryNodeColumns::target_of(std::int64_t sample) const {
    const TrainingTargets& targets = *node_.targets;
    return targets.label == nullptr ? targets.value[sample * targets.n_outputs + output_]
                                    : side_[static_cast<std::size_t>(targets.label[sample])];
}

void CategoryNodeColumns::learn(std::int32_t feature, Table& table) {
    table.learnt = true;
    in_use_.push_back(feature);
    if (node_.n_samples == 0) return;
    if (!described_) describe_targets();
    // A stream for each feature, so that codes do not depend on the order in which they are asked for.
    Random random(combine_keys(key_, static_cast<std::uint64_t>(feature)));
    if (!draw_target(random)) return;
    const FeatureMatrix& x = features();
    const float* column = x.as<float>() + feature * x.column_stride;
    const std::int64_t n_categories = categories_.count(feature);
    for (std::int64_t i = 0; i < node_.n_samples; ++i) {
        const std::uint32_t sample = node_.samples[i];
        if (!is_learnt_from(sample)) continue;
        const float value = column[sample * x.row_stride];
        if (!is_category(value, n_categories)) continue;
        const auto category = static_cast<std::size_t>(value);
        const double weight = sample_weight(node_, i);
        if (weight_[category] == 0.0) table.met.push_back(static_cast<std::int32_t>(category));
        weight_[category] += weight;
        sum_[category] += weight * (target_of(sample) - mean_);
    }
    std::sort(table.met.begin(), table.met.end());
    for (const std::int32_t met : table.met) {
        const auto category = static_cast<std::size_t>(met);
        table.code[category] = static_cast<float>(sum_[category] / (weight_[category] * deviation_));
        sum_[category] = 0.0;
        weight_[category] = 0.0;
    }
}

bool CategoryNodeColumns::is_learnt(const Direction& direction) const {
    return std::any_of(direction.indices, direction.indices + direction.n_nonzeros,
                       [this](std::int32_t feature) { return categories_.is_categorical(feature); });
}

Direction CategoryNodeColumns::numbers_of(const Direction& direction) {
    indices_.clear();
    coefficients_.clear();
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        if (categories_.is_categorical(direction.indices[k])) continue;
        indices_.push_back(direction.indices[k]);
        coefficients_.push_back(direction.coefficients[k]);
    }
    return {indices_.data(), coefficients_.data(), static_cast<std::int64_t>(indices_.size())};
}

ValueRange CategoryNodeColumns::project(const Direction& direction, const std::uint32_t* samples,
                                        std::int64_t n_samples, float* values) {
    if (!is_learnt(direction)) return PlainNodeColumns::project(direction, samples, n_samples, values);
    const Direction numbers = numbers_of(direction);
    if (numbers.n_nonzeros > 0) {
        PlainNodeColumns::project(numbers, samples, n_samples, values);
    } else {
        std::fill_n(values, n_samples, 0.0F);
    }
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const std::int32_t feature = direction.indices[k];
        if (!categories_.is_categorical(feature)) continue;
        add_codes(features(), {feature, categories_.count(feature), codes_of(feature)}, direction.coefficients[k],
                  samples, n_samples, values);
    }
    return kernels().measure_range(values, n_samples);
}

void CategoryNodeColumns::read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                                       double* values) {
    PlainNodeColumns::read_feature(feature, samples, n_samples, values);
    if (!categories_.is_categorical(feature)) return;
    const float* codes = codes_of(feature);
    for (std::int64_t i = 0; i < n_samples; ++i) {
        if (std::isnan(values[i])) continue;
        const auto value = static_cast<float>(values[i]);
        values[i] = is_category(value, categories_.count(feature)) ? codes[static_cast<std::size_t>(value)] : 0.0F;
    }
}

Direction CategoryNodeColumns::written_out(const Direction& direction) {
    numbers_of(direction);
    for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
        const std::int32_t feature = direction.indices[k];
        if (!categories_.is_categorical(feature)) continue;
        const float* codes = codes_of(feature);
        const auto first = static_cast<std::int32_t>(categories_.first_column(feature));
        const std::vector<std::int32_t>& met = tables_[static_cast<std::size_t>(feature)].met;
        for (const std::int32_t category : met) {
            indices_.push_back(first + category);
            coefficients_.push_back(direction.coefficients[k] * codes[category]);
        }
        // Without a code the direction still tells missing categories from others.
        if (met.empty()) {
            indices_.push_back(first);
            coefficients_.push_back(0.0F);
        }
    }
    return {indices_.data(), coefficients_.data(), static_cast<std::int64_t>(indices_.size())};
}

namespace {

// Values along a direction of a grown tree, over numbers and indicators of categories.
class CategoryBlockColumns final : public PlainBlockColumns {
public:
    CategoryBlockColumns(const FeatureMatrix& block, const Categories& categories, const SplitKernels& kernels)
        : PlainBlockColumns(block, kernels),
          categories_(categories),
          code_(static_cast<std::size_t>(categories.largest_count())) {}

    // The same operations in the same order as in growing.
    void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                 float* values) override {
        const std::int32_t* begin = direction.indices;
        const std::int32_t* end = begin + direction.n_nonzeros;
        const std::int32_t* at = std::lower_bound(begin, end, categories_.n_features());
        if (at == begin) {
            std::fill_n(values, n_samples, 0.0F);
        } else {
            PlainBlockColumns::project({begin, direction.coefficients, at - begin}, samples, n_samples, values);
        }
        while (at != end) {
            const std::int32_t feature = categories_.feature_of(*at);
            const std::int64_t first = categories_.first_column(feature);
            const std::int64_t n_categories = categories_.count(feature);
            const std::int32_t* last = std::lower_bound(at, end, first + n_categories);
            for (const std::int32_t* entry = at; entry != last; ++entry) {
                code_[static_cast<std::size_t>(*entry - first)] = direction.coefficients[entry - begin];
            }
            add_codes(block(), {feature, n_categories, code_.data()}, 1.0F, samples, n_samples, values);
            for (; at != last; ++at) code_[static_cast<std::size_t>(*at - first)] = 0.0F;
        }
    }

    // The same without a table of all categories: a sample has one.
    float project_sample(const Direction& direction, std::uint32_t sample) override {
        const std::int32_t* begin = direction.indices;
        const std::int32_t* end = begin + direction.n_nonzeros;
        const std::int32_t* at = std::lower_bound(begin, end, categories_.n_features());
        float sum =
            at == begin ? 0.0F : PlainBlockColumns::project_sample({begin, direction.coefficients, at - begin}, sample);
        while (at != end) {
            const std::int32_t feature = categories_.feature_of(*at);
            const std::int64_t first = categories_.first_column(feature);
            const std::int64_t n_categories = categories_.count(feature);
            const std::int32_t* last = std::lower_bound(at, end, first + n_categories);
            const float value = block().as<float>()[sample * block().row_stride + feature * block().column_stride];
            if (is_category(value, n_categories)) {
                const std::int64_t column = first + static_cast<std::int64_t>(value);
                const std::int32_t* entry = std::lower_bound(at, last, column);
                sum += entry != last && *entry == column ? direction.coefficients[entry - begin] : 0.0F;
            } else if (value != value) {
                sum = value;
            }
            at = last;
        }
        return sum;
    }

private:
    const Categories& categories_;
    std::vector<float> code_;  // zero between calls
};

}  // namespace

CategorySpace::CategorySpace(std::int64_t n_features, const std::vector<std::int64_t>& n_categories)
    : n_categories_(n_categories), categories_(n_categories) {
    if (categories_.n_features() != n_features) {
        throw std::invalid_argument("n_categories needs one entry per feature");
    }
}

void CategorySpace::check(const FeatureMatrix& samples) const {
    ColumnSpace::check(samples);
    if (samples.type != FeatureType::float32) throw std::invalid_argument("numbers of categories must be float32");
}

void CategorySpace::expand(const Direction& direction, ExpandedDirections& expanded) const {
    throw_if_stopped(direction.n_nonzeros);
    std::vector<std::pair<std::int32_t, float>> terms;
    std::int64_t k = 0;
    for (; k < direction.n_nonzeros && direction.indices[k] < n_features(); ++k) {
        terms.emplace_back(direction.indices[k], direction.coefficients[k]);
    }
    while (k < direction.n_nonzeros) {
        const std::int32_t feature = categories_.feature_of(direction.indices[k]);
        const std::int64_t first = k;
        double squares = 0.0;
        for (; k < direction.n_nonzeros && categories_.feature_of(direction.indices[k]) == feature; ++k) {
            squares += static_cast<double>(direction.coefficients[k]) * static_cast<double>(direction.coefficients[k]);
        }
        terms.emplace_back(feature, static_cast<float>(std::sqrt(squares / static_cast<double>(k - first))));
    }
    std::sort(terms.begin(), terms.end());
    for (const auto& [feature, coefficient] : terms) {
        expanded.indices.push_back(feature);
        expanded.coefficients.push_back(coefficient);
    }
    expanded.indptr.push_back(static_cast<std::int64_t>(expanded.indices.size()));
}

std::unique_ptr<NodeColumns> CategorySpace::read_training(const FeatureLayouts& layouts, const std::uint32_t* order,
                                                          const SplitKernels& kernels) const {
    auto rank = std::make_shared<std::vector<std::uint32_t>>(static_cast<std::size_t>(layouts.columns.n_samples));
    if (ranks_ != nullptr) {
        std::copy(ranks_, ranks_ + rank->size(), rank->begin());
    } else {
        for (std::size_t i = 0; i < rank->size(); ++i) (*rank)[order[i]] = static_cast<std::uint32_t>(i);
    }
    return std::make_unique<CategoryNodeColumns>(layouts, categories_, std::move(rank), kernels);
}

std::unique_ptr<BlockColumns> CategorySpace::read_block(const FeatureMatrix& block, const SplitKernels& kernels) const {
    return std::make_unique<CategoryBlockColumns>(block, categories_, kernels);
}

}  // namespace silvan
