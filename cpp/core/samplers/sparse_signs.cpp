// Draws the supports of the directions by either distribution; the signs are drawn alike.
#include "core/samplers/sparse_signs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/bounded_draw.hpp"
#include "core/samplers/bits.hpp"
#include "core/samplers/feature_subsets.hpp"
#include "core/samplers/random_coefficients.hpp"

namespace silvan {

namespace {

// What the matrix distribution places at random: its nonzeros, or its zeros where those are fewer, so that at most
// half of the cells are ever taken and few draws hit one that is.
struct Placement {
    std::int64_t n_nonzeros;
    std::int64_t n_placed;
    bool places_zeros;

    Placement(std::int64_t n_features, std::int64_t n_directions, double mean_nonzeros) {
        const std::int64_t n_cells = n_features * n_directions;
        const double wanted = std::round(mean_nonzeros * static_cast<double>(n_directions));
        n_nonzeros = wanted < static_cast<double>(n_cells)
                         ? std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted))
                         : n_cells;
        places_zeros = n_nonzeros > n_cells / 2;
        n_placed = places_zeros ? n_cells - n_nonzeros : n_nonzeros;
    }
};

// The matrix distribution for at most 64 features: a word of bits for each direction, cheaper than drawing the
// sizes of the directions first, as below.
class SmallMatrixSampler final : public ProjectionSampler {
public:
    SmallMatrixSampler(std::int64_t n_features, double mean_nonzeros, bool drop_empty)
        : n_features_(n_features), mean_nonzeros_(mean_nonzeros), drop_empty_(drop_empty) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        Random local = random;  // stays in a register where the argument could not
        const Placement placement(n_features_, n_directions, mean_nonzeros_);
        directions_.assign(static_cast<std::size_t>(n_directions), 0);
        place(placement.n_placed, local);
        if (placement.places_zeros) {
            const std::uint64_t every_feature = ~std::uint64_t{0} >> (word_bits - count_features());
            for (std::uint64_t& direction : directions_) direction ^= every_feature;
        }
        if (drop_empty_) std::erase(directions_, std::uint64_t{0});
        const std::int64_t total = placement.n_nonzeros + fill_empty(local);
        const ProjectionBatch::Tail tail = batch.extend(static_cast<std::int64_t>(directions_.size()), total);
        std::int64_t written = 0;
        for (std::size_t i = 0; i < directions_.size(); ++i) {
            for (std::uint64_t left = directions_[i]; left != 0; left &= left - 1) {
                tail.indices[written++] = lowest_bit(left);
            }
            tail.ends[i] = tail.begin + written;
        }
        draw_signs(total, local, tail.coefficients);
        random = local;
    }

    bool ignores_nodes() const override { return true; }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<SmallMatrixSampler>(*this); }

private:
    std::uint64_t count_features() const { return static_cast<std::uint64_t>(n_features_); }

    void place(std::int64_t n_placed, Random& random) {
        while (n_placed > 0) {
            const BoundedDraw direction = split_draw(random.bits(), directions_.size());
            const std::uint64_t feature = split_draw(direction.rest, count_features()).choice;
            std::uint64_t& features = directions_[direction.choice];
            n_placed -= static_cast<std::int64_t>(~(features >> feature) & 1U);
            features |= std::uint64_t{1} << feature;
        }
    }

    // Returns how many directions were empty.
    std::int64_t fill_empty(Random& random) {
        std::int64_t n_empty = 0;
        for (std::uint64_t& direction : directions_) {
            if (direction != 0) continue;
            direction = std::uint64_t{1} << random.below(count_features());
            ++n_empty;
        }
        return n_empty;
    }

    std::int64_t n_features_;
    double mean_nonzeros_;
    bool drop_empty_;
    std::vector<std::uint64_t> directions_;
};

// Draws how many features each direction has by `SizeDistribution`. Given that, all sets of that many features are
// equally likely under both distributions.
template <typename SizeDistribution>
class SizesSampler final : public ProjectionSampler {
public:
    SizesSampler(std::int64_t n_features, SizeDistribution sizes_by)
        : sizes_by_(std::move(sizes_by)), subsets_(n_features) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        if (sizes_.size() < static_cast<std::size_t>(n_directions)) {
            sizes_.resize(static_cast<std::size_t>(n_directions));
        }
        const std::int64_t total = sizes_by_.draw(n_directions, random, sizes_.data());
        const ProjectionBatch::Tail tail = batch.extend(n_directions, total);
        std::int64_t end = tail.begin;
        for (std::int64_t i = 0; i < n_directions; ++i) {
            end += sizes_[static_cast<std::size_t>(i)];
            tail.ends[i] = end;
        }
        subsets_.draw(sizes_.data(), n_directions, random, tail.indices, tail.indices + total);
        draw_signs(total, random, tail.coefficients);
    }

    bool ignores_nodes() const override { return true; }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<SizesSampler>(*this); }

private:
    SizeDistribution sizes_by_;
    FeatureSubsets subsets_;
    std::vector<std::int32_t> sizes_;
};

// A size distribution writes the number of features of each direction and returns their sum; where it drops some
// directions it says how many are left.
class MatrixSizes {
public:
    MatrixSizes(std::int64_t n_features, double mean_nonzeros, bool drop_empty)
        : n_features_(n_features), mean_nonzeros_(mean_nonzeros), drop_empty_(drop_empty) {}

    std::int64_t draw(std::int64_t& n_directions, Random& random, std::int32_t* sizes) const {
        const Placement placement(n_features_, n_directions, mean_nonzeros_);
        std::fill_n(sizes, n_directions, 0);
        place(placement.n_placed, n_directions, random, sizes);
        std::int64_t total = 0;
        for (std::int64_t i = 0; i < n_directions; ++i) {
            if (placement.places_zeros) sizes[i] = static_cast<std::int32_t>(n_features_) - sizes[i];
            if (!drop_empty_) sizes[i] = std::max(sizes[i], 1);
            total += sizes[i];
        }
        n_directions = std::remove(sizes, sizes + n_directions, 0) - sizes;
        return total;
    }

private:
    // Counts the cells of each direction when `n_placed` distinct cells are drawn. Which cells of a direction
    // are taken does not matter here, so its first counts[i] cells stand for them.
    void place(std::int64_t n_placed, std::int64_t n_directions, Random& random, std::int32_t* counts) const {
        while (n_placed > 0) {
            const BoundedDraw direction = split_draw(random.bits(), static_cast<std::uint64_t>(n_directions));
            const BoundedDraw cell = split_draw(direction.rest, static_cast<std::uint64_t>(n_features_));
            std::int32_t& count = counts[direction.choice];
            const std::int32_t is_free = static_cast<std::int64_t>(cell.choice) >= count ? 1 : 0;
            count += is_free;
            n_placed -= is_free;
        }
    }

    std::int64_t n_features_;
    double mean_nonzeros_;
    bool drop_empty_;
};

class PoissonSizes {
public:
    PoissonSizes(std::int32_t smallest, const AliasTable& sizes) : smallest_(smallest), sizes_(sizes) {}

    std::int64_t draw(const std::int64_t& n_directions, Random& random, std::int32_t* sizes) const {
        std::int64_t total = 0;
        for (std::int64_t i = 0; i < n_directions; ++i) {
            sizes[i] = smallest_ + static_cast<std::int32_t>(sizes_.draw(random));
            total += sizes[i];
        }
        return total;
    }

private:
    std::int32_t smallest_;
    const AliasTable& sizes_;
};

}  // namespace

MatrixSigns::MatrixSigns(std::int64_t n_features, double mean_nonzeros, bool drop_empty)
    : n_features_(n_features), mean_nonzeros_(mean_nonzeros), drop_empty_(drop_empty) {}

std::unique_ptr<ProjectionSampler> MatrixSigns::make_sampler(Random&) const {
    if (n_features_ <= static_cast<std::int64_t>(word_bits)) {
        return std::make_unique<SmallMatrixSampler>(n_features_, mean_nonzeros_, drop_empty_);
    }
    return std::make_unique<SizesSampler<MatrixSizes>>(n_features_,
                                                       MatrixSizes(n_features_, mean_nonzeros_, drop_empty_));
}

PoissonSigns::PoissonSigns(std::int64_t n_features, double mean_nonzeros)
    : PoissonSigns(n_features, tabulate_sizes(n_features, mean_nonzeros)) {}

PoissonSigns::PoissonSigns(std::int64_t n_features, const SizeTable& table)
    : n_features_(n_features), smallest_(table.smallest), sizes_(table.probabilities) {}

std::unique_ptr<ProjectionSampler> PoissonSigns::make_sampler(Random&) const {
    return std::make_unique<SizesSampler<PoissonSizes>>(n_features_, PoissonSizes(smallest_, sizes_));
}

PoissonSigns::SizeTable PoissonSigns::tabulate_sizes(std::int64_t n_features, double mean) {
    // A mean so far above p gives p, whatever it is exactly.
    mean = std::min(mean, 2.0 * static_cast<double>(n_features) + 200.0);
    const auto mode = static_cast<std::int64_t>(mean);
    // Relative to the mode nothing underflows; what is below 1e-25 of it is left out.
    const double negligible = 1e-25;
    std::int64_t first = mode;
    for (double ratio = 1.0; first > 0 && ratio > negligible; --first) {
        ratio *= static_cast<double>(first) / mean;
    }
    const auto clip = [n_features](std::int64_t k) { return std::clamp<std::int64_t>(k, 1, n_features); };
    const std::int64_t smallest = clip(first);
    SizeTable table{static_cast<std::int32_t>(smallest), {}};
    const auto credit = [&](std::int64_t k, double ratio) {
        const auto at = static_cast<std::size_t>(clip(k) - smallest);
        if (table.probabilities.size() <= at) table.probabilities.resize(at + 1, 0.0);
        table.probabilities[at] += ratio;
    };
    double ratio = 1.0;
    for (std::int64_t k = mode; k >= first; --k) {
        credit(k, ratio);
        ratio *= static_cast<double>(k) / mean;
    }
    ratio = 1.0;
    for (std::int64_t k = mode + 1; ratio > negligible; ++k) {
        ratio *= mean / static_cast<double>(k);
        credit(k, ratio);
    }
    return table;
}

}  // namespace silvan
