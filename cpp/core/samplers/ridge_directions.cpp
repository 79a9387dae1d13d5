// Solves the two ridge regressions: one linear system, or Newton's method.
#include "core/samplers/ridge_directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dot.hpp"
#include "core/samplers/feature_draw.hpp"
#include "core/samplers/node_sample.hpp"
#include "core/samplers/target_draw.hpp"

namespace silvan {

namespace {

constexpr int kMaxSteps = 20;
// Newton's method ends with a step that promises less than this share of the weight; directions are then within
// about 1e-4 of where they would end.
constexpr double kConverged = 1e-4;
// A full step cannot overshoot while it moves no sample by more than this: e^D - D - 1 < D^2. Longer ones are tried,
// and cut to log(1 + D) / D, which never overshoots (Bach 2010, on the third derivative of the logistic loss), if
// the next one promises more than they did. Cutting all of them takes nearly twice as many steps.
constexpr double kSafeMove = 1.79;

// Solves for the coefficients of the columns of a standardised sample and an intercept.
class RidgeFit {
public:
    RidgeFit(const Lapack& lapack, double alpha) : solver_(lapack), alpha_(alpha) {}

    // One column after the other; the intercept comes last.
    const std::vector<double>& coefficients() const { return coefficients_; }

    // `target` is centred.
    bool fit_linear(const NodeSample& sample, const std::vector<double>& target) {
        start(sample);
        const std::size_t k = sample.n_columns();
        fill_hessian(sample, sample.weight());
        for (std::size_t j = 0; j < k; ++j) {
            coefficients_[j] = weighted_dot(sample, sample.column(j), target.data());
        }
        return solver_.solve_positive_definite(static_cast<int>(k + 1), hessian_.data(), coefficients_.data());
    }

    // `target` is 0 or 1, and both occur.
    bool fit_logistic(const NodeSample& sample, const std::vector<double>& target) {
        start(sample);
        const std::size_t k = sample.n_columns();
        const double share = dot(sample.weight(), target.data(), sample.n_samples()) / sample.total_weight();
        coefficients_[k] = std::log(share / (1.0 - share));
        eta_.assign(sample.n_samples(), coefficients_[k]);
        double promise = std::numeric_limits<double>::infinity();
        uncut_ = false;
        for (int i = 0; i < kMaxSteps; ++i) {
            double gain = find_step(sample, target);
            if (!(gain <= promise) && uncut_) {
                cut_last_step();
                gain = find_step(sample, target);
            }
            if (!(gain >= 0.0)) return false;
            promise = gain;
            take_step(sample);
            if (gain <= kConverged * sample.total_weight()) break;
        }
        return true;
    }

private:
    void start(const NodeSample& sample) {
        coefficients_.assign(sample.n_columns() + 1, 0.0);
        hessian_.resize(coefficients_.size() * coefficients_.size());
        scaled_.resize(sample.n_samples());
    }

    double weighted_dot(const NodeSample& sample, const double* a, const double* b) {
        for (std::size_t i = 0; i < sample.n_samples(); ++i) scaled_[i] = sample.weight()[i] * a[i];
        return dot(scaled_.data(), b, sample.n_samples());
    }

    // Lower triangle: products of the columns and of the intercept's ones by these weights, and the penalty.
    void fill_hessian(const NodeSample& sample, const double* weight) {
        const std::size_t k = sample.n_columns();
        const std::size_t n = sample.n_samples();
        for (std::size_t j = 0; j <= k; ++j) {
            double* entries = hessian_.data() + j * (k + 1);
            const double* values = weight;
            if (j < k) {
                const double* x = sample.column(j);
                for (std::size_t i = 0; i < n; ++i) scaled_[i] = weight[i] * x[i];
                values = scaled_.data();
            }
            for (std::size_t l = j; l < k; ++l) entries[l] = dot(values, sample.column(l), n);
            entries[k] = sum(values, n);
            if (j < k) entries[j] += alpha_;
        }
    }

    // Newton's step from where `eta_` is; returns its product with the descent, twice what it promises to gain,
    // or NaN.
    double find_step(const NodeSample& sample, const std::vector<double>& target) {
        const std::size_t k = sample.n_columns();
        const std::size_t n = sample.n_samples();
        residual_.resize(n);
        curvature_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double small = std::exp(-std::abs(eta_[i]));
            const double unlikely = small / (1.0 + small);
            const double probability = eta_[i] < 0.0 ? unlikely : 1.0 - unlikely;
            residual_[i] = sample.weight()[i] * (target[i] - probability);
            curvature_[i] = sample.weight()[i] * unlikely * (1.0 - unlikely);
        }
        fill_hessian(sample, curvature_.data());
        descent_.resize(k + 1);
        for (std::size_t j = 0; j < k; ++j) {
            descent_[j] = dot(residual_.data(), sample.column(j), n) - alpha_ * coefficients_[j];
        }
        descent_[k] = sum(residual_.data(), n);
        next_step_ = descent_;
        const bool solved =
            solver_.solve_positive_definite(static_cast<int>(k + 1), hessian_.data(), next_step_.data());
        return solved ? dot(next_step_.data(), descent_.data(), k + 1) : std::nan("");
    }

    void take_step(const NodeSample& sample) {
        const std::size_t k = sample.n_columns();
        step_.swap(next_step_);
        move_.assign(sample.n_samples(), step_[k]);
        for (std::size_t j = 0; j < k; ++j) {
            const double* x = sample.column(j);
            const double slope = step_[j];
            for (std::size_t i = 0; i < move_.size(); ++i) move_[i] += slope * x[i];
        }
        go_on(1.0);
        uncut_ = largest_magnitude(move_.data(), move_.size()) > kSafeMove;
    }

    void cut_last_step() {
        const double farthest = largest_magnitude(move_.data(), move_.size());
        go_on(std::log1p(farthest) / farthest - 1.0);
        uncut_ = false;
    }

    void go_on(double length) {
        for (std::size_t i = 0; i < move_.size(); ++i) eta_[i] += length * move_[i];
        for (std::size_t j = 0; j < step_.size(); ++j) coefficients_[j] += length * step_[j];
    }

    DenseSolver solver_;
    double alpha_;
    std::vector<double> coefficients_;
    std::vector<double> hessian_;
    std::vector<double> scaled_;
    std::vector<double> eta_;
    std::vector<double> residual_;
    std::vector<double> curvature_;
    std::vector<double> descent_;
    std::vector<double> next_step_;
    std::vector<double> step_;  // the last one taken
    std::vector<double> move_;  // by which it moved each sample
    bool uncut_ = false;        // whether it was long, and taken in full
};

class RidgeDirectionsSampler final : public ProjectionSampler {
public:
    RidgeDirectionsSampler(std::int64_t n_features, RidgeDirections::Options options, const Lapack& lapack)
        : max_samples_(options.max_samples), features_(n_features, options.n_drawn), fit_(lapack, options.alpha) {}

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        for (std::int64_t i = 0; i < n_directions; ++i) {
            features_.draw(random);
            sample_.take(node, max_samples_, random);
            sample_.load(features_.features());
            if (!fit(node, random) || !append(batch)) features_.append_first(batch);
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<RidgeDirectionsSampler>(*this); }

private:
    bool fit(const NodeContext& node, Random& random) {
        if (node.n_samples == 0) return false;
        if (!target_.draw(*node.targets, sample_, random)) return false;
        sample_.standardize(deviation_, present_);
        if (present_.empty()) return false;
        const std::vector<double>& target = target_.values();
        return node.targets->label != nullptr ? fit_.fit_logistic(sample_, target) : fit_.fit_linear(sample_, target);
    }

    // In the units of the features.
    bool append(ProjectionBatch& batch) {
        in_units_.assign(features_.features().size(), 0.0);
        for (std::size_t j = 0; j < present_.size(); ++j) {
            in_units_[present_[j]] = fit_.coefficients()[j] / deviation_[j];
        }
        return append_direction(features_.features(), in_units_.data(), batch);
    }

    std::int64_t max_samples_;
    FeatureDraw features_;
    NodeSample sample_;
    RidgeFit fit_;
    TargetDraw target_;
    std::vector<double> deviation_;
    std::vector<std::size_t> present_;
    std::vector<double> in_units_;
};

}  // namespace

std::unique_ptr<ProjectionSampler> RidgeDirections::make_sampler(Random&) const {
    return std::make_unique<RidgeDirectionsSampler>(n_features_, options_, lapack_);
}

}  // namespace silvan
