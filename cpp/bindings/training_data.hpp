// What Python hands over to grow a forest on: arrays that are checked, viewed, and held while a view lasts.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/training_set.hpp"

namespace silvan::bindings {

// Throws std::invalid_argument unless every entry is the number of a sample.
void check_order(const ConstArray<std::uint32_t>& order);

// The kernels for this instruction set; throws std::invalid_argument where the processor lacks it.
const SplitKernels* find_kernels(const std::string& name);

// SampleDraws in Python: what every draw needs at once, the rest set by name, each checked against the order.
class HeldSampleDraws {
public:
    template <typename T>
    using Optional = std::optional<ConstArray<T>>;

    HeldSampleDraws(ConstArray<std::uint32_t> order, std::int64_t n_draws, bool replace);

    void set_cumulative(Optional<double> cumulative);
    void set_estimation_share(double share);
    void set_repeats(Optional<std::uint8_t> repeats);
    void set_given(Optional<std::int32_t> given);
    void set_ranks(Optional<std::uint32_t> ranks);
    void set_strata(Optional<std::int64_t> strata);
    void set_first_tree(std::int64_t first_tree);

    SampleDraws view;

private:
    ConstArray<std::uint32_t> order_;
    Optional<double> cumulative_;
    Optional<std::uint8_t> repeats_;
    Optional<std::int32_t> given_;
    Optional<std::uint32_t> ranks_;
    Optional<std::int64_t> strata_;
};

// Targets in Python: class codes, outputs with a column for each, or None.
class HeldTargets {
public:
    using Values = std::optional<std::variant<ConstArray<std::int32_t>, ConstMatrix<double>>>;

    HeldTargets(Values values, std::optional<ConstArray<double>> weights, std::int64_t n_outputs,
                std::optional<std::int64_t> n_averaged);

    // Throws std::invalid_argument unless there is an entry for each sample.
    void check_samples(std::int64_t n_samples) const;

    TrainingTargets view;

private:
    Values values_;
    std::optional<ConstArray<double>> weights_;
};

// TrainingSet in Python.
class HeldTrainingSet {
public:
    // `source` is the caller's own matrix. Where it is row-major and of a type that growing reads, it serves as a
    // second layout.
    HeldTrainingSet(AnyMatrix columns, std::optional<AnyMatrix> source, const HeldTargets& targets,
                    const HeldSampleDraws& draws, std::optional<ConstArray<std::int64_t>> n_categories);
    HeldTrainingSet(const HeldSparseFeatures& features, const HeldTargets& targets, const HeldSampleDraws& draws);

    TrainingArrays arrays;

private:
    void take_targets();

    AnyMatrix columns_;
    std::optional<AnyMatrix> source_;
    std::optional<HeldSparseFeatures> sparse_;
    HeldTargets targets_;
    HeldSampleDraws draws_;
};

}  // namespace silvan::bindings
