// Names the criteria and instantiates the search for each.
#include "core/criteria/node_search.hpp"

#include <stdexcept>

#include "core/criteria/absolute_error.hpp"
#include "core/criteria/entropy.hpp"
#include "core/criteria/gaussian.hpp"
#include "core/criteria/gini.hpp"
#include "core/criteria/output_entropy.hpp"
#include "core/criteria/poisson.hpp"
#include "core/criteria/squared_error.hpp"
#include "core/require.hpp"
#include "core/search/criterion_search.hpp"

namespace silvan {
namespace {

template <typename C, typename... Arguments>
std::unique_ptr<NodeSearch> make(const SearchSettings& settings, Arguments&&... arguments) {
    return std::make_unique<CriterionSearch<C>>(settings, C(std::forward<Arguments>(arguments)...));
}

}  // namespace

const char* name_of(Criterion criterion) {
    switch (criterion) {
        case Criterion::gini:
            return "gini";
        case Criterion::entropy:
            return "entropy";
        case Criterion::squared_error:
            return "squared_error";
        case Criterion::absolute_error:
            return "absolute_error";
        case Criterion::poisson:
            return "poisson";
        case Criterion::gaussian:
            return "gaussian";
    }
    throw std::logic_error("a criterion without a name");
}

Criterion criterion_named(const std::string& name) {
    for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::squared_error,
                                      Criterion::absolute_error, Criterion::poisson, Criterion::gaussian}) {
        if (name == name_of(criterion)) return criterion;
    }
    throw std::invalid_argument("unknown criterion " + name);
}

void check_targets(Criterion criterion, const TrainingTargets& targets) {
    switch (criterion) {
        case Criterion::gini:
        case Criterion::entropy:
            return require(targets.label != nullptr || targets.indicators,
                           "this criterion needs class codes (int32), or indicators of several outputs' classes");
        case Criterion::squared_error:
        case Criterion::absolute_error:
        case Criterion::poisson:
            return require(targets.value != nullptr, "this criterion needs outputs (float64)");
        case Criterion::gaussian:
            return require(targets.label == nullptr, "this criterion reads no class codes");
    }
}

std::unique_ptr<NodeSearch> make_node_search(const CriterionOptions& options, const TrainingTargets& targets,
                                             const SearchSettings& settings) {
    switch (options.criterion) {
        case Criterion::gini:
            if (targets.label == nullptr) return make<SquaredError>(settings, targets);
            if (targets.weight == nullptr) return make<CountedGini>(settings, targets);
            return make<WeightedGini>(settings, targets);
        case Criterion::entropy:
            if (targets.label == nullptr) return make<OutputEntropy>(settings, targets);
            return make<Entropy>(settings, targets);
        case Criterion::squared_error:
            return make<SquaredError>(settings, targets);
        case Criterion::absolute_error:
            return make<AbsoluteError>(settings, targets);
        case Criterion::poisson:
            return make<Poisson>(settings, targets);
        case Criterion::gaussian:
            return make<Gaussian>(settings, targets, options.gaussian);
    }
    throw std::logic_error("a criterion without a search");
}

}  // namespace silvan
