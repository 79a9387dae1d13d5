// Half the Poisson deviance: maximises sum_k S_k log(S_k / W) over both sides, S_k the weighted sum of output k.
//
// Targets are not negative. A side whose targets are all zero is refused: its deviance is not defined.
#pragma once

#include <vector>

#include "core/criteria/moments.hpp"
#include "core/criteria/node_outputs.hpp"

namespace silvan {

class Poisson final : public NodeOutputs {
public:
    using NodeOutputs::NodeOutputs;

    struct Accumulator : SumAccumulator<Poisson> {
        double score() const { return criterion.score(left, weight_left); }
    };

    void load(const NodeContext& node);
    double impurity() const { return impurity_; }
    double base_score() const { return base_score_; }
    double score(const std::vector<double>& left, double weight_left) const;
    double gain(const SideSums& left, const SideSums& right) const;
    // Of the first output.
    double mean_of(const SideSums& side) const { return side.sums[0] / side.weight; }

private:
    double base_score_ = 0.0;
    double impurity_ = 0.0;
};

}  // namespace silvan
