// Measures the samples of a node in a space of features or of drawn directions.
#include "core/criteria/gaussian.hpp"

namespace silvan {

void Gaussian::reserve_samples(std::int64_t max_samples) {
    if (static_cast<std::size_t>(max_samples) > weight_.size()) weight_.allocate(static_cast<std::size_t>(max_samples));
}

void Gaussian::load(const NodeContext& node) {
    n_samples_ = node.n_samples;
    total_weight_ = 0.0;
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const double weight = training_.weight == nullptr ? 1.0 : training_.weight[node.samples[i]];
        weight_[static_cast<std::size_t>(i)] = node.counts[i] * weight;
        total_weight_ += weight_[static_cast<std::size_t>(i)];
    }
}

// The space has a dimension for every feature if it may have so many. Otherwise directions are drawn for it;
// those that do not vary at the node are replaced by others a few times.
void Gaussian::measure(const NodeContext& node, ProjectionSampler& sampler) {
    constexpr std::uint64_t kMaxDraws = 8;
    const std::int64_t n_features = node.columns->n_features();
    space_.start(node.n_samples, weight_.data(), space_key(node.key, 0));
    if (n_features <= options_.n_dimensions) {
        if (features_.size() == 0) {
            for (std::int64_t j = 0; j < n_features; ++j) {
                features_.add(static_cast<std::int32_t>(j), 1.0F);
                features_.end_direction();
            }
        }
        add_dimensions(node, features_);
    } else {
        for (std::uint64_t draw = 1; draw <= kMaxDraws; ++draw) {
            const std::int64_t n_missing = options_.n_dimensions - space_.n_dimensions();
            if (n_missing == 0) break;
            Random random(space_key(node.key, draw));
            drawn_.clear();
            sampler.sample(node, n_missing, random, drawn_);
            add_dimensions(node, drawn_);
        }
    }
    space_.finish();
}

void Gaussian::add_dimensions(const NodeContext& node, const ProjectionBatch& batch) {
    values_.resize(static_cast<std::size_t>((node.n_samples + kLane - 1) / kLane * kLane));
    for (std::int64_t j = 0; j < batch.size(); ++j) {
        const ValueRange range =
            node.columns->project(batch.direction(j), node.samples, node.n_samples, values_.data());
        space_.add_dimension(values_.data(), range);
    }
}

double Gaussian::score_division() {
    space_.subtract(left_, right_);
    return -(left_.weight * space_.log_determinant(left_) + right_.weight * space_.log_determinant(right_));
}

void Gaussian::append_value(Buffer<std::int32_t>& outputs, Buffer<double>& values) const {
    outputs.push_back(0);
    values.push_back(total_weight_);
}

}  // namespace silvan
