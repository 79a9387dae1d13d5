// Grows neighbourhoods breadth first.
#include "core/samplers/graph_neighborhoods.hpp"

#include <algorithm>
#include <utility>

namespace silvan {

namespace {

class NeighborhoodSampler final : public ProjectionSampler {
public:
    NeighborhoodSampler(const std::vector<std::int64_t>& indptr, const std::vector<std::int32_t>& neighbors,
                        NeighborhoodSizes sizes, CoefficientKind coefficients)
        : indptr_(indptr),
          neighbors_(neighbors),
          sizes_(sizes),
          coefficients_(coefficients),
          reached_(indptr.size() - 1, 0) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        for (std::int64_t i = 0; i < n_directions; ++i) {
            grow_neighborhood(random);
            std::sort(nodes_.begin(), nodes_.end());
            const auto n = static_cast<std::int64_t>(nodes_.size());
            const ProjectionBatch::Tail tail = batch.extend(1, n);
            std::copy(nodes_.begin(), nodes_.end(), tail.indices);
            draw_coefficients(coefficients_, n, random, tail.coefficients);
            tail.ends[0] = tail.begin + n;
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<NeighborhoodSampler>(*this); }

private:
    void grow_neighborhood(Random& random) {
        const auto centre = static_cast<std::int32_t>(random.below(reached_.size()));
        const std::uint64_t spread = static_cast<std::uint64_t>(sizes_.largest - sizes_.smallest) + 1;
        const std::size_t size = static_cast<std::size_t>(sizes_.smallest) + random.below(spread);
        nodes_.assign(1, centre);
        reach(centre);
        std::size_t level_begin = 0;
        while (nodes_.size() < size && level_begin < nodes_.size()) {
            const std::size_t level_end = nodes_.size();
            list_next_level(level_begin, level_end);
            if (nodes_.size() > size) keep_random(level_end, size, random);
            level_begin = level_end;
        }
        for (const std::int32_t node : touched_) reached_[static_cast<std::size_t>(node)] = 0;
        touched_.clear();
    }

    // Appends the nodes that neighbour the last level and were not reached before.
    void list_next_level(std::size_t level_begin, std::size_t level_end) {
        for (std::size_t i = level_begin; i < level_end; ++i) {
            const auto node = static_cast<std::size_t>(nodes_[i]);
            for (std::int64_t k = indptr_[node]; k < indptr_[node + 1]; ++k) {
                const std::int32_t neighbor = neighbors_[static_cast<std::size_t>(k)];
                if (reached_[static_cast<std::size_t>(neighbor)] != 0) continue;
                reach(neighbor);
                nodes_.push_back(neighbor);
            }
        }
    }

    // Keeps a random subset of the last level so that `size` nodes are left.
    void keep_random(std::size_t level_begin, std::size_t size, Random& random) {
        for (std::size_t i = level_begin; i < size; ++i) {
            std::swap(nodes_[i], nodes_[i + random.below(nodes_.size() - i)]);
        }
        nodes_.resize(size);
    }

    void reach(std::int32_t node) {
        reached_[static_cast<std::size_t>(node)] = 1;
        touched_.push_back(node);
    }

    const std::vector<std::int64_t>& indptr_;
    const std::vector<std::int32_t>& neighbors_;
    NeighborhoodSizes sizes_;
    CoefficientKind coefficients_;
    std::vector<std::uint8_t> reached_;
    std::vector<std::int32_t> touched_;
    std::vector<std::int32_t> nodes_;
};

}  // namespace

GraphNeighborhoods::GraphNeighborhoods(std::vector<std::int64_t> indptr, std::vector<std::int32_t> neighbors,
                                       NeighborhoodSizes sizes, CoefficientKind coefficients)
    : indptr_(std::move(indptr)), neighbors_(std::move(neighbors)), sizes_(sizes), coefficients_(coefficients) {}

std::unique_ptr<ProjectionSampler> GraphNeighborhoods::make_sampler(Random&) const {
    return std::make_unique<NeighborhoodSampler>(indptr_, neighbors_, sizes_, coefficients_);
}

}  // namespace silvan
