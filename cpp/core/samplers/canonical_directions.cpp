// Canonical correlations by whitening: with both sides uncorrelated and of unit variance, the canonical
// directions are the singular vectors of what remains between them.
#include "core/samplers/canonical_directions.hpp"

#include <algorithm>
#include <cmath>

#include "core/dot.hpp"
#include "core/samplers/class_numbers.hpp"
#include "core/samplers/feature_draw.hpp"
#include "core/samplers/node_sample.hpp"

namespace silvan {

namespace {

// Combinations of standardised columns whose variance is below this share of the largest are left out.
constexpr double kNoVariance = 1e-10;
// Correlations below this are rounding errors.
constexpr double kNoCorrelation = 1e-6;

// Columns, one after the other, each of `n_samples` numbers.
struct Columns {
    std::size_t n_samples = 0;
    std::size_t n_columns = 0;
    std::vector<double> values;

    void reshape(std::size_t samples, std::size_t columns) {
        n_samples = samples;
        n_columns = columns;
        values.assign(samples * columns, 0.0);
    }
    double* column(std::size_t j) { return values.data() + j * n_samples; }
    const double* column(std::size_t j) const { return values.data() + j * n_samples; }
};

// Finds the canonical directions of a sample; holds them until the next.
class CanonicalFit {
public:
    explicit CanonicalFit(const Lapack& lapack) : solver_(lapack) {}

    std::size_t n_directions() const { return directions_.n_columns; }
    // In the units of the columns that the sample was loaded with.
    const double* direction(std::size_t i) const { return directions_.column(i); }

    void fit(NodeSample& sample, const TrainingTargets& targets) {
        const std::size_t n_loaded = sample.n_columns();
        directions_.reshape(n_loaded, 0);
        if (sample.n_samples() < 2) return;
        sample.standardize(deviation_, present_);
        if (present_.empty()) return;
        sample.scale_by_weight();
        covariances(sample, covariance_);
        if (!find_whitening(covariance_, sample.n_columns(), whitening_)) return;
        const bool found =
            targets.label != nullptr ? relate_to_classes(sample, targets) : relate_to_outputs(sample, targets);
        if (!found) return;
        decompose(n_loaded);
    }

private:
    // Columns T such that the variables x T are uncorrelated and have variance 1.
    bool find_whitening(std::vector<double>& covariance, std::size_t n, Columns& whitening) {
        variance_.resize(n);
        if (!solver_.decompose_symmetric(static_cast<int>(n), covariance.data(), variance_.data())) return false;
        std::size_t first = 0;
        while (first < n && !(variance_[first] > kNoVariance * variance_.back())) ++first;
        whitening.reshape(n, n - first);
        for (std::size_t j = first; j < n; ++j) {
            const double scale = 1.0 / std::sqrt(variance_[j]);
            for (std::size_t i = 0; i < n; ++i) whitening.column(j - first)[i] = scale * covariance[j * n + i];
        }
        return whitening.n_columns > 0;
    }

    // Covariances between the columns and the indicators of the classes, the latter whitened: sums over the samples
    // of a class divided by the root of its share of the weight. (Indicators are uncorrelated before they are
    // centred, and centred columns cannot tell the difference.)
    bool relate_to_classes(const NodeSample& sample, const TrainingTargets& targets) {
        classes_.read(targets, sample.samples(), sample.n_samples());
        if (classes_.n_classes() < 2) return false;
        relation_.reshape(sample.n_columns(), classes_.n_classes());
        std::vector<double>& share = variance_;
        share.assign(classes_.n_classes(), 0.0);
        for (std::size_t i = 0; i < sample.n_samples(); ++i) {
            const double weight = sample.weight()[i] / sample.total_weight();
            share[classes_.of_sample(i)] += weight;
            const double root = std::sqrt(weight);
            double* sums = relation_.column(classes_.of_sample(i));
            for (std::size_t j = 0; j < sample.n_columns(); ++j) sums[j] += root * sample.column(j)[i];
        }
        for (std::size_t c = 0; c < relation_.n_columns; ++c) {
            for (std::size_t j = 0; j < relation_.n_samples; ++j) relation_.column(c)[j] /= std::sqrt(share[c]);
        }
        return true;
    }

    bool relate_to_outputs(const NodeSample& sample, const TrainingTargets& targets) {
        read_outputs(sample, targets);
        const std::size_t n = outputs_.n_columns;
        if (n == 0) return false;
        std::vector<double> covariance(n * n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a; b < n; ++b) {
                covariance[a * n + b] = dot(outputs_.column(a), outputs_.column(b), outputs_.n_samples);
            }
        }
        if (!find_whitening(covariance, n, output_whitening_)) return false;
        relation_.reshape(sample.n_columns(), output_whitening_.n_columns);
        for (std::size_t j = 0; j < sample.n_columns(); ++j) {
            for (std::size_t a = 0; a < n; ++a) {
                const double product = dot(sample.column(j), outputs_.column(a), outputs_.n_samples);
                for (std::size_t c = 0; c < relation_.n_columns; ++c) {
                    relation_.column(c)[j] += product * output_whitening_.column(c)[a];
                }
            }
        }
        return true;
    }

    // The outputs that vary, centred, standardised and scaled by the weights as the columns are.
    void read_outputs(const NodeSample& sample, const TrainingTargets& targets) {
        const auto n_outputs = static_cast<std::size_t>(targets.n_outputs);
        outputs_.reshape(sample.n_samples(), n_outputs);
        std::size_t n_varying = 0;
        for (std::size_t a = 0; a < n_outputs; ++a) {
            double* y = outputs_.column(n_varying);
            const double first = targets.value[sample.samples()[0] * n_outputs + a];
            for (std::size_t i = 0; i < sample.n_samples(); ++i) {
                y[i] = targets.value[sample.samples()[i] * n_outputs + a] - first;
            }
            const double mean = dot(y, sample.weight(), sample.n_samples()) / sample.total_weight();
            double variance = 0.0;
            for (std::size_t i = 0; i < sample.n_samples(); ++i) {
                const double root = std::sqrt(sample.weight()[i] / sample.total_weight());
                y[i] = root * (y[i] - mean);
                variance += y[i] * y[i];
            }
            if (!(variance > 0.0)) continue;
            const double scale = 1.0 / std::sqrt(variance);
            for (std::size_t i = 0; i < sample.n_samples(); ++i) y[i] *= scale;
            ++n_varying;
        }
        outputs_.n_columns = n_varying;
    }

    void decompose(std::size_t n_loaded) {
        const std::size_t rank = whitening_.n_columns;
        std::vector<double>& matrix = covariance_;
        matrix.resize(rank * relation_.n_columns);
        for (std::size_t c = 0; c < relation_.n_columns; ++c) {
            for (std::size_t r = 0; r < rank; ++r) {
                matrix[c * rank + r] = dot(whitening_.column(r), relation_.column(c), relation_.n_samples);
            }
        }
        const auto n_columns = static_cast<int>(relation_.n_columns);
        if (!solver_.decompose(static_cast<int>(rank), n_columns, matrix, correlation_)) return;
        std::size_t n_found = 0;
        while (n_found < correlation_.size() && correlation_[n_found] > kNoCorrelation) ++n_found;
        directions_.reshape(n_loaded, n_found);
        for (std::size_t d = 0; d < n_found; ++d) {
            for (std::size_t r = 0; r < rank; ++r) {
                for (std::size_t j = 0; j < present_.size(); ++j) {
                    directions_.column(d)[present_[j]] += matrix[d * rank + r] * whitening_.column(r)[j];
                }
            }
            for (std::size_t j = 0; j < present_.size(); ++j) directions_.column(d)[present_[j]] /= deviation_[j];
        }
    }

    DenseSolver solver_;
    ClassNumbers classes_;
    Columns whitening_;         // of the columns
    Columns output_whitening_;  // of the outputs
    Columns outputs_;
    Columns relation_;  // covariances of columns and whitened targets
    Columns directions_;
    std::vector<double> deviation_;
    std::vector<std::size_t> present_;
    std::vector<double> covariance_;
    std::vector<double> variance_;
    std::vector<double> correlation_;
};

class CanonicalDirectionsSampler final : public ProjectionSampler {
public:
    CanonicalDirectionsSampler(std::int64_t n_features, CanonicalDirections::Options options, const Lapack& lapack)
        : options_(options), features_(n_features, options.n_drawn), fit_(lapack) {}

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const std::int64_t target = batch.size() + n_directions;
        for (std::int64_t fit = 0; batch.size() < target && fit < options_.max_fits; ++fit) {
            features_.draw(random);
            const std::int64_t before = batch.size();
            if (node.n_samples > 0) add_fit(node, target, random, batch);
            if (batch.size() == before) features_.append_first(batch);
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override {
        return std::make_unique<CanonicalDirectionsSampler>(*this);
    }

private:
    void add_fit(const NodeContext& node, std::int64_t target, Random& random, ProjectionBatch& batch) {
        sample_.take(node, options_.max_samples, random);
        if (options_.bootstrap) sample_.draw(sample_.n_taken(), random);
        sample_.load(features_.features());
        fit_.fit(sample_, *node.targets);
        if (options_.bootstrap && fit_.n_directions() == 0) {
            sample_.undo_draw();
            sample_.load(features_.features());
            fit_.fit(sample_, *node.targets);
        }
        for (std::size_t i = 0; i < fit_.n_directions() && batch.size() < target; ++i) {
            append_direction(features_.features(), fit_.direction(i), batch);
        }
    }

    CanonicalDirections::Options options_;
    FeatureDraw features_;
    NodeSample sample_;
    CanonicalFit fit_;
};

}  // namespace

std::unique_ptr<ProjectionSampler> CanonicalDirections::make_sampler(Random&) const {
    return std::make_unique<CanonicalDirectionsSampler>(n_features_, options_, lapack_);
}

}  // namespace silvan
