// Gradients and hessians as whole numbers, so that sums of them have no order: histograms are the same for any number
// of threads and instruction set, and a child's is exactly its parent's less its sibling's.
//
// They decide where trees split. Leaf values come from the gradients as given.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/shared_loops.hpp"

namespace silvan {

// As the caller gives them, a row for each sample and a column for each output.
struct RoundGradients {
    const double* gradient = nullptr;
    const double* hessian = nullptr;
    std::int64_t n_samples = 0;
    std::int64_t n_outputs = 1;
};

// The sums of an output over some samples.
struct GradientSums {
    double gradient = 0.0;
    double hessian = 0.0;
    double count = 0.0;
};

// One output of all samples.
class WholeGradients {
public:
    // What is given must outlive it. Throws std::invalid_argument unless gradients are finite, and hessians besides
    // that not negative.
    void round(const RoundGradients& given, std::int64_t output, SharedLoops& loops);

    // Words of a sample, and of a bin: hessians that are all equal are not added up.
    std::int64_t n_words() const { return n_words_; }
    std::int64_t unit() const { return std::int64_t{1} << shift_; }
    const std::int32_t* pairs() const { return pairs_.data(); }

    // As they were given, one sample after the other.
    const double* gradient() const { return gradient_; }
    const double* hessian() const { return hessian_; }

    GradientSums read_bin(const std::int64_t* bin) const {
        const std::int64_t counted = bin[n_words_ - 1];
        // The low bits, with their sign.
        const std::int64_t low =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(counted) << (64 - shift_)) >> (64 - shift_);
        const auto count = static_cast<double>((counted - low) >> shift_);
        if (n_words_ == 1) return {static_cast<double>(low) * gradient_unit_, count * hessian_unit_, count};
        return {static_cast<double>(bin[0]) * gradient_unit_, static_cast<double>(low) * hessian_unit_, count};
    }

private:
    void take_output(const RoundGradients& given, std::int64_t output, SharedLoops& loops);

    const double* gradient_ = nullptr;
    const double* hessian_ = nullptr;
    Buffer<double> taken_;  // gradients and then hessians, where there are other outputs between them
    std::int64_t n_words_ = 2;
    int shift_ = 0;
    double gradient_unit_ = 1.0;
    double hessian_unit_ = 1.0;
    Buffer<std::int32_t> pairs_;
};

}  // namespace silvan
