// Exact Shapley values of a tree between a sample and a background sample.
//
// The game: the players are the features, and a set of players has the value of the leaf that the hybrid reaches which
// takes their values from the sample, all others from the background sample. All hybrids go down the tree together.
// Where they part, the features that decide are settled one by one; a leaf is then reached by the hybrids that take
// some features P from the sample, some N from the other, and the rest from either. The Shapley values of such a game
// are known: v (p-1)! n! / (p+n)! for each of P, and -v p! (n-1)! / (p+n)! for each of N.
#pragma once

#include <cstdint>
#include <vector>

#include "core/explaining/credit.hpp"
#include "core/explaining/sample_pair.hpp"
#include "core/forest.hpp"

namespace silvan {

// (p-1)! n! / (p+n)!, the part of each of p players who must be there when n others must not.
class ShapleyWeights {
public:
    explicit ShapleyWeights(std::int64_t n_players);
    double operator()(std::size_t p, std::size_t n) const;

private:
    static constexpr std::size_t kTable = 32;
    std::vector<double> table_;           // for p and n below kTable
    std::vector<double> log_factorials_;  // for the others
};

// Holds the scratch memory of one thread.
class ExactWalk {
public:
    ExactWalk(const ForestView& forest, PairReader& reader);

    // Whether hybrids of the pair that the reader has chosen ask for at most so many features on their ways down the
    // tree, of those that differ. Then run takes at most 2^limit ways.
    bool asks_at_most(std::int64_t tree, std::int64_t limit);

    // Adds the values of the tree's game.
    void run(std::int64_t tree, Credit& credit);

private:
    enum class From : std::uint8_t { either, own, other };

    // What the values of hybrids along a direction are.
    struct Bounds {
        float low = 0.0F;
        float high = 0.0F;
        std::int32_t open = -1;  // the feature that matters most among those that are not settled
        bool missing = false;    // whether one of these is missing in one of the samples

        // Whether all go to the same side.
        bool agree(float threshold) const;
    };

    Bounds measure(std::span<const PairTerm> terms) const;
    void follow(std::int32_t node);
    void follow_with(std::int32_t node, std::int32_t feature, From from);
    void arrive(std::int32_t leaf);

    const ForestView& forest_;
    PairReader& reader_;
    ShapleyWeights weights_;
    TreeView tree_;
    std::int64_t first_leaf_ = 0;
    Credit* credit_ = nullptr;
    std::vector<From> from_;             // of each feature
    std::vector<std::int32_t> settled_;  // features
    std::size_t n_own_ = 0;
    std::vector<std::uint32_t> asked_;  // features that were asked for in this round
    std::uint32_t round_ = 0;
    std::vector<std::int32_t> open_nodes_;
};

}  // namespace silvan
