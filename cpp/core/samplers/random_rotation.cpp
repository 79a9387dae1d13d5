// Builds a Haar rotation as a product of random reflections (Stewart 1980) and hands out its columns.
#include "core/samplers/random_rotation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dot.hpp"
#include "core/samplers/partial_shuffle.hpp"
#include "core/stopping.hpp"

namespace silvan {

namespace {

class RandomRotationSampler final : public ProjectionSampler {
public:
    RandomRotationSampler(std::int64_t n_features, Random& random)
        : n_features_(n_features), rotation_(draw_rotation(n_features, random)), columns_(n_features) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const std::int64_t count = std::min(n_directions, n_features_);
        chosen_.resize(static_cast<std::size_t>(count));
        columns_.draw(count, random, chosen_.data());
        const ProjectionBatch::Tail tail = batch.extend(count, count * n_features_);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t begin = i * n_features_;
            const std::int64_t column = chosen_[static_cast<std::size_t>(i)];
            tail.ends[i] = tail.begin + begin + n_features_;
            std::iota(tail.indices + begin, tail.indices + begin + n_features_, 0);
            std::copy_n(rotation_.data() + column * n_features_, n_features_, tail.coefficients + begin);
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<RandomRotationSampler>(*this); }

private:
    std::int64_t n_features_;
    std::vector<float> rotation_;
    PartialShuffle columns_;
    std::vector<std::int32_t> chosen_;
};

}  // namespace

// Grows an orthogonal matrix from the last coordinate upwards. With Q uniform in m - 1 dimensions and u uniform
// on the sphere of m, let H be the reflection that exchanges u and -s e1, s the sign of u1: then the matrix of
// columns u and H [0; Q] is uniform in m, and no cancellation occurs in forming H. The determinant is s times
// that of Q.
std::vector<float> draw_rotation(std::int64_t n, Random& random) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> matrix(size * size, 0.0);
    std::vector<double> normal(size);
    matrix[size * size - 1] = 1.0;
    double determinant = 1.0;
    for (std::size_t m = 2; m <= size; ++m) {
        const std::size_t first = size - m;
        for (std::size_t i = 0; i < m; ++i) normal[i] = random.normal();
        const double scale = 1.0 / std::sqrt(dot(normal.data(), normal.data(), m));
        double* const column = matrix.data() + first * size + first;
        for (std::size_t i = 0; i < m; ++i) column[i] = normal[i] = normal[i] * scale;
        const double sign = normal[0] < 0.0 ? -1.0 : 1.0;
        determinant *= sign;
        // The reflection is along v = u + s e1, whose squared length is 2 + 2 |u1|.
        const double factor = 1.0 / (1.0 + std::abs(normal[0]));
        normal[0] += sign;
        for (std::size_t j = first + 1; j < size; ++j) {
            throw_if_stopped(static_cast<std::int64_t>(m));
            double* const other = matrix.data() + j * size + first;
            const double step = factor * dot(normal.data(), other, m);
            for (std::size_t i = 0; i < m; ++i) other[i] -= step * normal[i];
        }
    }
    // Only the sign of the last column is still open (it began as 1), and the determinant settles it.
    std::vector<float> rotation(matrix.begin(), matrix.end());
    if (determinant < 0.0) {
        for (std::size_t i = size * size - size; i < size * size; ++i) rotation[i] = -rotation[i];
    }
    return rotation;
}

std::unique_ptr<ProjectionSampler> RandomRotation::make_sampler(Random& random) const {
    return std::make_unique<RandomRotationSampler>(n_features_, random);
}

}  // namespace silvan
