// Sums, covariances and determinants of GaussianSpace.
#include "core/criteria/gaussian_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace silvan {
namespace {

// Where sample j of a packed lower triangle begins.
inline std::size_t sample_start(std::size_t j) { return j * (j + 1) / 2; }

}  // namespace

void GaussianSpace::start(std::int64_t n_samples, const double* weights, std::uint64_t key) {
    n_samples_ = n_samples;
    weights_ = weights;
    random_ = Random(key);
    n_dimensions_ = 0;
    scale_.clear();
    const auto size = static_cast<std::size_t>(n_samples * options_.n_dimensions);
    if (coordinates_.size() < size) coordinates_.resize(size);
}

void GaussianSpace::add_dimension(const float* values, const ValueRange& range) {
    const double half = 0.5 * (static_cast<double>(range.maximum) - static_cast<double>(range.minimum));
    if (range.any_missing || !(half > 0.0) || !std::isfinite(half)) return;
    const double middle = 0.5 * (static_cast<double>(range.maximum) + static_cast<double>(range.minimum));
    const double scale = std::ldexp(1.0, options_.bits) / half;
    float* to = coordinates_.data() + n_dimensions_;
    for (std::int64_t i = 0; i < n_samples_; ++i) {
        const double rounded = std::nearbyint((static_cast<double>(values[i]) - middle) * scale);
        to[i * options_.n_dimensions] = static_cast<float>(rounded);
    }
    scale_.push_back(scale);
    ++n_dimensions_;
}

void GaussianSpace::finish() {
    clear(totals_);
    for (std::int64_t i = 0; i < n_samples_; ++i) add(i, totals_);
    const auto k = static_cast<std::size_t>(n_dimensions_);
    inverse_sd_.resize(k);
    factor_.resize(sample_start(k));
    impurity_ = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
        const double square = options_.full ? totals_.second[sample_start(j) + j] : totals_.second[j];
        const double mean = totals_.first[j] / totals_.weight;
        const double variance = square / totals_.weight - mean * mean;
        inverse_sd_[j] = 1.0 / std::sqrt(variance);
        impurity_ += std::log(variance) - 2.0 * std::log(scale_[j]);
    }
    total_log_determinant_ = k == 0 ? 0.0 : log_determinant(totals_);
    impurity_ += total_log_determinant_;
}

void GaussianSpace::clear(GaussianSums& sums) const {
    const auto k = static_cast<std::size_t>(n_dimensions_);
    sums.weight = 0.0;
    sums.first.assign(k, 0.0);
    sums.second.assign(options_.full ? sample_start(k) : k, 0.0);
}

void GaussianSpace::add(std::int64_t sample, GaussianSums& sums) const {
    const float* point = coordinates_.data() + sample * options_.n_dimensions;
    const double weight = weights_[sample];
    sums.weight += weight;
    double* second = sums.second.data();
    for (std::int64_t j = 0; j < n_dimensions_; ++j) {
        const double weighted = weight * static_cast<double>(point[j]);
        sums.first[static_cast<std::size_t>(j)] += weighted;
        if (!options_.full) {
            *second++ += weighted * static_cast<double>(point[j]);
            continue;
        }
        for (std::int64_t i = 0; i <= j; ++i) second[i] += weighted * static_cast<double>(point[i]);
        second += j + 1;
    }
}

void GaussianSpace::subtract(const GaussianSums& left, GaussianSums& right) const {
    right.weight = totals_.weight - left.weight;
    right.first.resize(left.first.size());
    right.second.resize(left.second.size());
    for (std::size_t j = 0; j < left.first.size(); ++j) right.first[j] = totals_.first[j] - left.first[j];
    for (std::size_t j = 0; j < left.second.size(); ++j) right.second[j] = totals_.second[j] - left.second[j];
}

// The pivots are at least `ridge` but for rounding. Their product is taken to the logarithm before it gets small.
double GaussianSpace::log_determinant(const GaussianSums& sums) {
    constexpr double kSmall = 1e-200;
    const auto k = static_cast<std::size_t>(n_dimensions_);
    const double weight = sums.weight;
    double product = 1.0;
    double logarithm = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
        double pivot = 0.0;
        if (options_.full) {
            double* sample = factor_.data() + sample_start(j);
            const double* second = sums.second.data() + sample_start(j);
            for (std::size_t i = 0; i <= j; ++i) {
                double entry =
                    (second[i] - sums.first[j] * sums.first[i] / weight) / weight * inverse_sd_[j] * inverse_sd_[i];
                const double* other = factor_.data() + sample_start(i);
                for (std::size_t m = 0; m < i; ++m) entry -= sample[m] * other[m];
                sample[i] = i < j ? entry / other[i] : entry;
            }
            pivot = std::max(sample[j] + options_.ridge, options_.ridge);
            sample[j] = std::sqrt(pivot);
        } else {
            const double variance = (sums.second[j] - sums.first[j] * sums.first[j] / weight) / weight;
            pivot = std::max(variance * inverse_sd_[j] * inverse_sd_[j], 0.0) + options_.ridge;
        }
        product *= pivot;
        if (product < kSmall) {
            logarithm += std::log(product);
            product = 1.0;
        }
    }
    return logarithm + std::log(product);
}

void GaussianSpace::choose_thresholds(std::int64_t n, std::vector<std::int64_t>& chosen) {
    chosen.clear();
    const std::int64_t max_thresholds = options_.max_thresholds;
    if (max_thresholds == 0 || n <= max_thresholds) {
        for (std::int64_t i = 0; i < n; ++i) chosen.push_back(i);
        return;
    }
    for (std::int64_t j = 0; j < max_thresholds; ++j) {
        const std::int64_t begin = j * n / max_thresholds;
        const std::int64_t end = (j + 1) * n / max_thresholds;
        chosen.push_back(begin + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(end - begin))));
    }
}

}  // namespace silvan
