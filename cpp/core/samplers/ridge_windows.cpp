// Screens windows by their correlation with the target and solves for their coefficients.
#include "core/samplers/ridge_windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/columns/cell_spreads.hpp"
#include "core/dot.hpp"
#include "core/samplers/node_sample.hpp"
#include "core/samplers/screened_windows.hpp"
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

class RidgeWindowsSampler final : public ProjectionSampler {
public:
    RidgeWindowsSampler(std::unique_ptr<ProjectionSampler> windows, RidgeWindows::Options options,
                        WindowDescription described, std::int64_t n_features)
        : windows_(std::move(windows)), options_(options), described_(std::move(described)), n_features_(n_features) {}

    void prepare(const NodeContext& root, Random& random) override {
        windows_->prepare(root, random);
        if (root.columns != nullptr) spreads_.measure(described_, *root.columns, root.samples, root.n_samples);
    }

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const std::int64_t n_terms = count_terms(count_samples(node));
        for (std::int64_t i = 0; i < n_directions; ++i) {
            drawn_.clear();
            windows_->sample(node, options_.n_drawn, random, drawn_);
            if (!fit(node, n_terms, random)) append(0, 1.0F, 1.0F, batch);
            for (const std::size_t k : order_) {
                const auto deviation = static_cast<float>(screened_.deviation(k));
                append(screened_.number(k), static_cast<float>(coefficients_[k]),
                       std::max(deviation, std::numeric_limits<float>::min()), batch);
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

    // Fills `screened_`, `coefficients_` and `order_`; leaves the last empty and returns false where there is nothing
    // to fit.
    bool fit(const NodeContext& node, std::int64_t n_terms, Random& random) {
        order_.clear();
        if (node.n_samples == 0) return false;
        sample_.take(node, options_.max_samples, random);
        sample_.load_none();
        if (sample_.n_samples() == 0 || !target_.draw(*node.targets, sample_, random)) return false;
        screened_.read(node, drawn_, sample_, target_.values());
        screened_.choose(static_cast<std::size_t>(n_terms), drawn_, n_features_, spreads_);
        return screened_.n_chosen() > 0 && solve() && orient();
    }

    // A repeated sample must count as one of twice the weight.
    std::int64_t count_samples(const NodeContext& node) const {
        if (node.n_samples > options_.max_samples || node.columns == nullptr) return node.n_samples;
        return node.columns->count_distinct(node.samples, node.n_samples);
    }

    // How many windows a node may keep.
    std::int64_t count_terms(std::int64_t n_samples) const {
        const double of_samples = options_.terms_per_root * std::sqrt(static_cast<double>(n_samples));
        const double most = std::max(kFewestTerms, of_samples);
        return std::min(static_cast<std::int64_t>(std::min(most, 1e9)), options_.n_terms);
    }

    bool solve() {
        const std::size_t n_terms = screened_.n_chosen();
        matrix_.assign(n_terms * n_terms, 0.0);
        coefficients_.resize(n_terms);
        weighted_.resize(sample_.n_samples());
        for (std::size_t k = 0; k < n_terms; ++k) {
            const double* x = screened_.standardized(k);
            for (std::size_t i = 0; i < weighted_.size(); ++i) weighted_[i] = sample_.weight()[i] * x[i];
            for (std::size_t l = 0; l <= k; ++l) {
                matrix_[k * n_terms + l] = dot(weighted_.data(), screened_.standardized(l), weighted_.size());
            }
            matrix_[k * n_terms + k] += options_.alpha * sample_.total_weight();
            coefficients_[k] = screened_.product(k);
        }
        return solve_positive_definite(n_terms, matrix_, coefficients_);
    }

    // Scales the coefficients to unit length; the largest come first, for those who read only some of them.
    bool orient() {
        const double squares = dot(coefficients_.data(), coefficients_.data(), coefficients_.size());
        if (!(squares > 0.0) || !std::isfinite(squares)) return false;
        const double scale = 1.0 / std::sqrt(squares);
        for (double& coefficient : coefficients_) coefficient *= scale;
        sort_by_size();
        return true;
    }

    // Equal sizes stay in order, and so do those that rounding may have told apart.
    void sort_by_size() {
        order_.resize(coefficients_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto size = [&](std::size_t k) { return static_cast<float>(std::abs(coefficients_[k])); };
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
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
    ScreenedWindows screened_;
    std::vector<double> weighted_;
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
