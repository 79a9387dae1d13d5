// Reads columns once, as float32; only those that are chosen become columns of doubles.
#include "core/samplers/screened_windows.hpp"

#include <algorithm>
#include <cmath>

#include "core/dot.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

// Smaller products of a column and the target, as a share of what the target sums up to, are rounding errors.
constexpr double kSmallestShare = 1e-12;

// Sums over samples of what a column is, less its first value: a constant column gives exact zeros.
struct Moments {
    double value = 0.0;
    double square = 0.0;
    double with_target = 0.0;
};

// Eight partial sums, as in dot.hpp: in a fixed order, by vectors.
Moments add_moments(const float* x, const double* weight, const double* weighted_target, std::size_t n) {
    constexpr std::size_t width = 8;
    double values[width] = {};
    double squares[width] = {};
    double products[width] = {};
    const auto first = static_cast<double>(x[0]);
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        for (std::size_t lane = 0; lane < width; ++lane) {
            const double centred = static_cast<double>(x[i + lane]) - first;
            const double weighted = weight[i + lane] * centred;
            values[lane] += weighted;
            squares[lane] += weighted * centred;
            products[lane] += weighted_target[i + lane] * centred;
        }
    }
    Moments moments;
    for (; i < n; ++i) {
        const double centred = static_cast<double>(x[i]) - first;
        const double weighted = weight[i] * centred;
        moments.value += weighted;
        moments.square += weighted * centred;
        moments.with_target += weighted_target[i] * centred;
    }
    for (std::size_t lane = 0; lane < width; ++lane) {
        moments.value += values[lane];
        moments.square += squares[lane];
        moments.with_target += products[lane];
    }
    return moments;
}

}  // namespace

void ScreenedWindows::read(const NodeContext& node, const ProjectionBatch& drawn, const NodeSample& sample,
                           const std::vector<double>& target) {
    n_samples_ = sample.n_samples();
    samples_.assign(sample.samples(), sample.samples() + n_samples_);
    weighted_.resize(n_samples_);
    for (std::size_t i = 0; i < n_samples_; ++i) weighted_[i] = sample.weight()[i] * target[i];
    const double target_sum = sum(weighted_.data(), n_samples_);
    smallest_product_ = 0.0;
    for (const double value : weighted_) smallest_product_ += kSmallestShare * std::abs(value);
    const auto n = static_cast<std::int64_t>(n_samples_);
    stride_ = static_cast<std::size_t>((n + kLane - 1) / kLane * kLane);
    columns_.resize(static_cast<std::size_t>(drawn.size()));
    read_.resize(columns_.size() * stride_);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const Direction direction = drawn.direction(static_cast<std::int64_t>(j));
        throw_if_stopped(n * direction.n_nonzeros);
        node.columns->project(direction, samples_.data(), n, read_.data() + j * stride_);
        measure(j, sample.weight(), target_sum, sample.total_weight());
    }
}

// Mean and variance from sums about the first value: digits are left as long as the deviation of the values is more
// than a millionth of how far the first one lies from their mean.
void ScreenedWindows::measure(std::size_t j, const double* weight, double target_sum, double total_weight) {
    const Moments moments = add_moments(read_column(j), weight, weighted_.data(), n_samples_);
    const double mean = moments.value / total_weight;
    const double variance = moments.square / total_weight - mean * mean;
    const bool varies = variance > 1e-12 * (moments.square / total_weight);
    const double deviation = varies ? std::sqrt(variance) : 0.0;
    columns_[j] = {j, mean, deviation, varies ? (moments.with_target - mean * target_sum) / deviation : 0.0};
}

void ScreenedWindows::choose(std::size_t n_terms, const ProjectionBatch& drawn, std::int64_t n_features,
                             const CellSpreads& spreads) {
    chosen_.clear();
    for (const Column& column : columns_) {
        if (!(column.deviation > 0.0 && std::abs(column.product) > smallest_product_)) continue;
        const Direction direction = drawn.direction(static_cast<std::int64_t>(column.number));
        const Window& window = direction.windows[direction.indices[0] - n_features];
        if (column.deviation >= spreads.smallest_deviation(window)) chosen_.push_back(column);
    }
    // Equal ones stay in order, and so do those that rounding may have told apart: with two samples all windows
    // correlate alike.
    const auto size = [](const Column& column) { return static_cast<float>(std::abs(column.product)); };
    const auto before = [&](const Column& a, const Column& b) {
        const float size_of_a = size(a);
        const float size_of_b = size(b);
        return size_of_a != size_of_b ? size_of_a > size_of_b : a.number < b.number;
    };
    if (chosen_.size() > n_terms) {
        const auto end = chosen_.begin() + static_cast<std::ptrdiff_t>(n_terms);
        std::nth_element(chosen_.begin(), end, chosen_.end(), before);
        chosen_.resize(n_terms);
    }
    std::sort(chosen_.begin(), chosen_.end(), [](const Column& a, const Column& b) { return a.number < b.number; });
    standardize();
}

void ScreenedWindows::standardize() {
    values_.resize(chosen_.size() * n_samples_);
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
        const float* x = read_column(chosen_[k].number);
        const auto first = static_cast<double>(x[0]);
        double* to = values_.data() + k * n_samples_;
        const double scale = 1.0 / chosen_[k].deviation;
        for (std::size_t i = 0; i < n_samples_; ++i)
            to[i] = (static_cast<double>(x[i]) - first - chosen_[k].mean) * scale;
    }
}

}  // namespace silvan
