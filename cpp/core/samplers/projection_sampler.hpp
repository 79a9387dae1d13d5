// The variation point of every forest: where a node's candidate split directions come from.
//
// A ProjectionDistribution is immutable and shared by all threads. Each tree asks it for a
// ProjectionSampler of its own, which may hold scratch memory and whatever the distribution fixes once per tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/column_space.hpp"
#include "core/node_context.hpp"
#include "core/random.hpp"
#include "core/samplers/partial_shuffle.hpp"

namespace silvan {

class Windows;

// Directions as the rows of a sparse matrix. Within a direction indices ascend and never repeat, and
// no direction is empty.
struct ProjectionBatch {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<float> coefficients;
    std::vector<Window> windows;  // those that directions are over

    std::int64_t size() const { return static_cast<std::int64_t>(indptr.size()) - 1; }

    void clear() {
        indptr.resize(1);
        indices.clear();
        coefficients.clear();
        windows.clear();
    }

    void add(std::int32_t index, float coefficient) {
        indices.push_back(index);
        coefficients.push_back(coefficient);
    }

    void add_window(std::int64_t n_features, const Window& window, float coefficient) {
        add(static_cast<std::int32_t>(n_features + static_cast<std::int64_t>(windows.size())), coefficient);
        windows.push_back(window);
    }

    // Direction number j.
    Direction direction(std::int64_t j) const {
        const std::int64_t start = indptr[static_cast<std::size_t>(j)];
        return {indices.data() + start, coefficients.data() + start, indptr[static_cast<std::size_t>(j) + 1] - start,
                windows.data()};
    }

    void end_direction() { indptr.push_back(static_cast<std::int64_t>(indices.size())); }

    // Room for new directions, to be filled in place: their nonzeros begin at `begin`, the end of each goes
    // to `ends`. The pointers hold until the batch grows again.
    struct Tail {
        std::int64_t begin;
        std::int64_t* ends;
        std::int32_t* indices;
        float* coefficients;
    };

    Tail extend(std::int64_t n_directions, std::int64_t n_nonzeros) {
        const std::size_t first = indptr.size();
        const std::size_t begin = indices.size();
        indptr.resize(first + static_cast<std::size_t>(n_directions));
        indices.resize(begin + static_cast<std::size_t>(n_nonzeros));
        coefficients.resize(begin + static_cast<std::size_t>(n_nonzeros));
        return {static_cast<std::int64_t>(begin), indptr.data() + first, indices.data() + begin,
                coefficients.data() + begin};
    }
};

// Directions [first, last) of a batch.
struct DirectionRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

class ProjectionSampler {
public:
    virtual ~ProjectionSampler() = default;

    // Called once before anything is sampled, for distributions that fit something to the samples of the whole tree.
    // `root` has them all; `random` is the tree's own stream, where make_sampler left it.
    virtual void prepare(const NodeContext& root, Random& random) {
        static_cast<void>(root);
        static_cast<void>(random);
    }

    // Appends `n_directions` directions to `batch`, or fewer where the distribution has no more (axis-aligned
    // directions are drawn without replacement). All randomness comes from `random`, and earlier calls have
    // no influence: the same stream gives the same directions whichever nodes came before.
    virtual void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) = 0;

    // What draws the features, where every direction of every node is a feature by itself, all equally probable, and
    // nothing else is drawn; else nullptr.
    virtual PartialShuffle* single_features() { return nullptr; }

    // Whether `sample` reads nothing of the node: its directions are over features, and follow from the stream alone.
    virtual bool ignores_nodes() const { return false; }

    // A sampler for another thread that goes on with the same tree; nullptr where the tree must stay with one thread.
    virtual std::unique_ptr<ProjectionSampler> copy() const { return nullptr; }
};

class ProjectionDistribution {
public:
    virtual ~ProjectionDistribution() = default;

    virtual std::int64_t n_features() const = 0;

    // The columns that directions may be drawn over besides the features. A node that does not offer them (see
    // NodeColumns::n_columns) gets directions over features alone.
    virtual ColumnDescription columns() const { return {}; }

    // The distribution of the windows that directions are over, where they are over windows.
    virtual const Windows* windows() const { return nullptr; }

    // `random` is the tree's own stream, for what is drawn once per tree. The sampler may refer to the
    // distribution, which must outlive it.
    virtual std::unique_ptr<ProjectionSampler> make_sampler(Random& random) const = 0;
};

}  // namespace silvan
