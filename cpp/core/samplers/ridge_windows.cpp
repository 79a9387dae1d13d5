// Screens windows by their correlation with the target and solves for their coefficients.
#include "core/samplers/ridge_windows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/dot.hpp"
#include "core/samplers/node_sample.hpp"
#include "core/samplers/target_draw.hpp"

namespace silvan {
namespace {

// Replaces b by the solution of a x = b for the n x n matrix whose lower triangle is a, row after row. Returns false
// where a is not positive definite.
bool solve_positive_definite(std::size_t n, std::vector<double>& a, std::vector<double>& b) {
    for (std::size_t i = 0; i < n; ++i) {
        double* row = a.data() + i * n;
        for (std::size_t j = 0; j < i; ++j) row[j] = (row[j] - dot(row, a.data() + j * n, j)) / a[j * n + j];
        const double rest = row[i] - dot(row, row, i);
        if (!(rest > 0.0)) return false;
        row[i] = std::sqrt(rest);
        b[i] = (b[i] - dot(row, b.data(), i)) / row[i];
    }
    for (std::size_t i = n; i-- > 0;) {
        b[i] /= a[i * n + i];
        for (std::size_t j = 0; j < i; ++j) b[j] -= a[i * n + j] * b[i];
    }
    return true;
}

// Fills `order` with 0, 1, ... by falling absolute values; equal ones stay in order, and so do those that rounding may
// have told apart: with two samples all windows correlate alike.
void sort_by_size(const std::vector<double>& values, std::vector<std::size_t>& order) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto size = [&](std::size_t i) { return static_cast<float>(std::abs(values[i])); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
}

// How far apart the cells of each channel lie: their standard deviation in some samples of a tree, over some places.
class CellSpreads {
public:
    void measure(const WindowDescription& windows, const NodeContext& root) {
        spread_.clear();
        std::int64_t first = 0;
        const std::size_t n_axes = windows.n_axes();
        for (std::size_t at = 0; at < windows.channel_shapes.size(); at += n_axes) {
            std::int64_t n_cells = 1;
            for (std::size_t a = 0; a < n_axes; ++a) n_cells *= windows.channel_shapes[at + a];
            spread_.push_back(measure_channel(root, first, n_cells));
            first += n_cells;
        }
    }

    // The smallest deviation of a window that is more than rounding.
    double smallest_deviation(const Window& window) const {
        const std::size_t last = window.n_axes - std::size_t{1};
        const double steps =
            window.statistic == WindowStatistic::slope ? window.box.end[last] - window.box.start[last] : 1;
        return kSmallestShare * spread_[static_cast<std::size_t>(window.channel)] / steps;
    }

private:
    static constexpr std::int64_t kCells = 8;
    static constexpr std::int64_t kSamples = 32;
    static constexpr double kSmallestShare = 1e-6;

    double measure_channel(const NodeContext& root, std::int64_t first, std::int64_t n_cells) {
        const std::int64_t n_samples = std::min(kSamples, root.n_samples);
        std::uint32_t samples[kSamples];
        for (std::int64_t i = 0; i < n_samples; ++i) samples[i] = root.samples[i * root.n_samples / n_samples];
        const std::int64_t n_seen = n_samples == 0 ? 0 : std::min(kCells, n_cells);
        known_.clear();
        for (std::int64_t k = 0; k < n_seen; ++k) {
            double values[kSamples];
            root.columns->read_feature(static_cast<std::int32_t>(first + k * n_cells / n_seen), samples, n_samples,
                                       values);
            std::copy_if(values, values + n_samples, std::back_inserter(known_), [](double x) { return x == x; });
        }
        return deviation_of_known();
    }

    double deviation_of_known() {
        if (known_.empty()) return 0.0;
        const auto n = static_cast<double>(known_.size());
        const double mean = std::accumulate(known_.begin(), known_.end(), 0.0) / n;
        for (double& value : known_) value -= mean;
        return std::sqrt(dot(known_.data(), known_.data(), known_.size()) / n);
    }

    std::vector<double> spread_;  // of each channel
    std::vector<double> known_;
};

class RidgeWindowsSampler final : public ProjectionSampler {
public:
    RidgeWindowsSampler(std::unique_ptr<ProjectionSampler> windows, RidgeWindows::Options options,
                        WindowDescription described, std::int64_t n_features)
        : windows_(std::move(windows)), options_(options), described_(std::move(described)), n_features_(n_features) {}

    void prepare(const NodeContext& root, Random& random) override {
        windows_->prepare(root, random);
        spreads_.measure(described_, root);
    }

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        for (std::int64_t i = 0; i < n_directions; ++i) {
            drawn_.clear();
            windows_->sample(node, options_.n_drawn, random, drawn_);
            if (!fit(node, random)) append(0, 1.0F, 1.0F, batch);
            for (const std::size_t j : order_) {
                append(present_[chosen_[j]], static_cast<float>(coefficients_[j]),
                       std::max(static_cast<float>(deviation_[chosen_[j]]), std::numeric_limits<float>::min()), batch);
            }
            batch.end_direction();
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override {
        std::unique_ptr<ProjectionSampler> windows = windows_->copy();
        if (windows == nullptr) return nullptr;
        auto copied = std::make_unique<RidgeWindowsSampler>(std::move(windows), options_, described_, n_features_);
        copied->spreads_ = spreads_;
        return copied;
    }

private:
    static constexpr double kFewestTerms = 5.0;

    // Fills `chosen_`, `coefficients_` and `order_`; leaves the last empty and returns false where there is nothing
    // to fit.
    bool fit(const NodeContext& node, Random& random) {
        order_.clear();
        if (node.n_samples == 0) return false;
        sample_.take(node, options_.max_samples, random);
        sample_.load(drawn_);
        if (!target_.draw(*node.targets, sample_, random)) return false;
        sample_.standardize(deviation_, present_);
        screen(count_terms(node.n_samples > options_.max_samples ? node.n_samples : count_distinct()));
        return !chosen_.empty() && solve() && orient();
    }

    // Samples that differ in what was drawn: a repeated sample must count as one of twice the weight.
    std::int64_t count_distinct() {
        hashes_.assign(sample_.n_samples(), 0);
        for (std::size_t j = 0; j < sample_.n_columns(); ++j) {
            const double* x = sample_.column(j);
            for (std::size_t i = 0; i < hashes_.size(); ++i) {
                const auto bits = std::bit_cast<std::uint64_t>(x[i] + 0.0);  // -0 is 0
                hashes_[i] = (hashes_[i] ^ bits ^ (bits >> 29U)) * 0x9E3779B97F4A7C15U;
            }
        }
        std::sort(hashes_.begin(), hashes_.end());
        return std::unique(hashes_.begin(), hashes_.end()) - hashes_.begin();
    }

    // How many windows a node may keep.
    std::size_t count_terms(std::int64_t n_samples) const {
        const double of_samples = options_.terms_per_root * std::sqrt(static_cast<double>(n_samples));
        const double most = std::max(kFewestTerms, of_samples);
        const auto n_terms = static_cast<double>(options_.n_terms);
        return static_cast<std::size_t>(std::min(most, n_terms));
    }

    // The columns that correlate most with the target, in their order.
    void screen(std::size_t n_terms) {
        weigh_target();
        product_.resize(sample_.n_columns());
        for (std::size_t j = 0; j < product_.size(); ++j) {
            product_[j] = dot(sample_.column(j), weighted_.data(), sample_.n_samples());
        }
        chosen_.resize(product_.size());
        sort_by_size(product_, chosen_);
        std::erase_if(chosen_, [&](std::size_t j) { return is_rounding(j); });
        chosen_.resize(std::min(chosen_.size(), n_terms));
        std::sort(chosen_.begin(), chosen_.end());
    }

    // Whether a column varies so little that it would be another one in other data, such as the means of series that
    // were centred.
    bool is_rounding(std::size_t column) const {
        const Direction direction = drawn_.direction(static_cast<std::int64_t>(present_[column]));
        const Window& window = direction.windows[direction.indices[0] - n_features_];
        return deviation_[column] < spreads_.smallest_deviation(window);
    }

    void weigh_target() {
        weighted_.resize(sample_.n_samples());
        for (std::size_t i = 0; i < weighted_.size(); ++i) weighted_[i] = sample_.weight()[i] * target_.values()[i];
    }

    bool solve() {
        const std::size_t k = chosen_.size();
        matrix_.assign(k * k, 0.0);
        coefficients_.resize(k);
        for (std::size_t j = 0; j < k; ++j) {
            const double* x = sample_.column(chosen_[j]);
            for (std::size_t i = 0; i < weighted_.size(); ++i) weighted_[i] = sample_.weight()[i] * x[i];
            for (std::size_t l = 0; l <= j; ++l) {
                matrix_[j * k + l] = dot(weighted_.data(), sample_.column(chosen_[l]), weighted_.size());
            }
            matrix_[j * k + j] += options_.alpha * sample_.total_weight();
            coefficients_[j] = product_[chosen_[j]];
        }
        return solve_positive_definite(k, matrix_, coefficients_);
    }

    // Scales the coefficients to unit length; the largest come first, for those who read only some of them.
    bool orient() {
        const double squares = dot(coefficients_.data(), coefficients_.data(), coefficients_.size());
        if (!(squares > 0.0) || !std::isfinite(squares)) return false;
        const double scale = 1.0 / std::sqrt(squares);
        for (double& coefficient : coefficients_) coefficient *= scale;
        order_.resize(chosen_.size());
        sort_by_size(coefficients_, order_);
        return true;
    }

    // Adds the terms of a direction that was drawn.
    void append(std::size_t number, float coefficient, float scale, ProjectionBatch& batch) const {
        const Direction direction = drawn_.direction(static_cast<std::int64_t>(number));
        for (std::int64_t k = 0; k < direction.n_nonzeros; ++k) {
            Window window = direction.windows[direction.indices[k] - n_features_];
            window.scale = scale;
            batch.add_window(n_features_, window, coefficient * direction.coefficients[k]);
        }
    }

    std::unique_ptr<ProjectionSampler> windows_;
    RidgeWindows::Options options_;
    WindowDescription described_;
    std::int64_t n_features_;
    CellSpreads spreads_;
    ProjectionBatch drawn_;
    NodeSample sample_;
    TargetDraw target_;
    std::vector<double> deviation_;
    std::vector<std::size_t> present_;  // directions drawn that vary, as columns of the sample
    std::vector<double> weighted_;
    std::vector<double> product_;        // of each column and the target
    std::vector<std::size_t> chosen_;    // columns
    std::vector<std::uint64_t> hashes_;  // of the samples
    std::vector<double> matrix_;
    std::vector<double> coefficients_;
    std::vector<std::size_t> order_;  // of the terms
};

}  // namespace

std::unique_ptr<ProjectionSampler> RidgeWindows::make_sampler(Random& random) const {
    return std::make_unique<RidgeWindowsSampler>(windows_->make_sampler(random), options_, columns().windows,
                                                 n_features());
}

}  // namespace silvan
