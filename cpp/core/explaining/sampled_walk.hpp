// Shapley values of a tree between a sample and a background sample, along one random order of the features.
//
// A hybrid begins as the background sample and becomes the sample, feature by feature; each feature is credited with
// what the value of the leaf changes by at its turn. The turn of a feature is a random
// number. A node divides a span of time into those in which the hybrid goes left and those in which it goes right, and
// each goes on down by itself: features that no node asks for meanwhile cost nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/explaining/credit.hpp"
#include "core/explaining/sample_pair.hpp"
#include "core/explaining/walk_forest.hpp"
#include "core/views.hpp"

namespace silvan {

// Turns of features; backwards, the last comes first.
struct FeatureOrder {
    std::uint64_t key;
    bool backwards;
};

// Holds the scratch memory of one thread.
class SampledWalk {
public:
    SampledWalk(const WalkForest& forest, PairReader& reader);

    // Adds weight times what each feature changes, for the pair that the reader has chosen.
    void run(std::int64_t tree, const FeatureOrder& order, double weight, Credit& credit);

private:
    static constexpr std::int32_t kNone = -1;

    // A moment at which a feature has its turn; none at the beginning and at the end.
    struct Moment {
        std::uint32_t time;
        std::int32_t feature;
    };
    struct Span {
        std::int32_t node;
        Moment begin, end;
    };
    struct Turn {
        std::uint32_t time;
        std::uint32_t term;
    };

    // Of the values of a direction, and whether one may be missing.
    struct Bounds {
        float low = 0.0F;
        float high = 0.0F;
        bool missing = false;

        // A term that changes from the first to the last within a span.
        void add(float first, float last) {
            low += std::min(last, first);
            high += std::max(first, last);
            missing |= std::isunordered(first, last);
        }
    };

    void draw_turns(std::int64_t tree, const FeatureOrder& order);
    // Takes the span to its leaf, or the last of the spans that it is divided into; the others wait.
    void follow(std::int64_t tree, Span& span);
    // Values of the direction within the span. Notes the terms at its beginning, and those that have their turn in it.
    Bounds choose_terms(const WalkNode& node, const Span& span);
    Bounds choose_general_terms(std::int64_t tree, const Span& span);
    // Whether the hybrid goes left in the end. What goes elsewhere before that is left behind.
    bool divide(const WalkNode& node, Span& span);

    const WalkForest& forest_;
    PairReader& reader_;
    std::vector<std::uint32_t> times_;  // the turn of each feature of the tree
    std::vector<Span> waiting_;
    std::size_t n_terms_ = 0;
    std::vector<float> chosen_;           // of each term
    std::vector<float> own_;              // of each term, where categories are among them
    std::vector<std::int32_t> features_;  // and their features
    std::vector<Turn> turns_;             // the first n_turns_ of them
    std::size_t n_turns_ = 0;
};

}  // namespace silvan
