// Shapley values of a tree between a sample and a background sample, along one random order of the features.
//
// A hybrid begins as the background sample and becomes the sample, feature by feature; each feature is credited with
// what the value of the leaf changes by at its turn. The turn of a feature is a random number that is drawn when a node
// first asks for it, and so the order of features that no node asks for costs nothing. A node divides a span of time
// into those in which the hybrid goes left and those in which it goes right, and each goes on down by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/explaining/credit.hpp"
#include "core/explaining/sample_pair.hpp"
#include "core/forest.hpp"

namespace silvan {

// Turns of features; backwards, the last comes first.
struct FeatureOrder {
    std::uint64_t key;
    bool backwards;

    std::uint64_t turn(std::int32_t feature) const;
};

// Holds the scratch memory of one thread.
class SampledWalk {
public:
    SampledWalk(const ForestView& forest, PairReader& reader) : forest_(forest), reader_(reader) {}

    // Adds weight times what each feature changes.
    void run(std::int64_t tree, const FeatureOrder& order, double weight, Credit& credit);

private:
    static constexpr std::int32_t kNone = -1;

    // A moment at which a feature has its turn; none at the beginning and at the end.
    struct Moment {
        std::uint64_t time;
        std::int32_t feature;
    };
    struct Span {
        std::int32_t node;
        Moment begin, end;
    };
    struct Turn {
        std::uint64_t time;
        std::size_t term;
    };

    // Takes the span to its leaf, or the last of the spans that it is divided into; the others wait.
    void follow(const TreeView& tree, const FeatureOrder& order, Span& span);
    // Chooses the terms at the beginning of the span, and notes those that have their turn within it.
    float choose_terms(const FeatureOrder& order, const Span& span, std::span<const PairTerm> terms);
    // Where the direction of the span's node sends it in the end; leaves what goes elsewhere before that behind.
    bool divide(const TreeView& tree, Span& span, std::span<const PairTerm> terms, bool left);

    const ForestView& forest_;
    PairReader& reader_;
    std::vector<Span> waiting_;
    std::vector<float> chosen_;
    std::vector<Turn> turns_;
};

}  // namespace silvan
