// The score that Gini impurity and squared error maximise, as a function of exact sums over the two sides.
//
// Gini impurity is the squared error of one-hot labels, so one score serves both criteria: with S_k the
// weighted sum of target k and W the total weight of a side, maximise
//     sum_k S_k(left)^2 / W(left) + sum_k S_k(right)^2 / W(right),
// which exceeds the unsplit node's sum_k S_k^2 / W by exactly the impurity decrease times W.
// The kernels include this file: nothing of the standard library here.
#pragma once

namespace silvan {

inline double moment_score(double squares_left, double weight_left, double squares_right, double weight_right) {
    return squares_left / weight_left + squares_right / weight_right;
}

}  // namespace silvan
