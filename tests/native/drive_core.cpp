// Drives the core without Python: grows and boosts forests of several kinds, predicts, and prints a digest of every
// array.
//
// Sanitizers see threads here that they cannot see under Python, and the digests of two processors, or of two
// instruction sets, can be compared: they must be equal. Data are whole numbers of 2^-10, made by integer
// arithmetic alone, so that they are the same everywhere.
//
//     drive_core [--kernels NAME] [--threads N] [--trees N] [--samples N]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/boosting/booster.hpp"
#include "core/explaining/shapley.hpp"
#include "core/forest_grower.hpp"
#include "core/predictor.hpp"
#include "core/samplers/axis_aligned.hpp"
#include "core/samplers/mixture.hpp"
#include "core/samplers/patches.hpp"
#include "core/samplers/random_rotation.hpp"
#include "core/samplers/sparse_signs.hpp"
#include "core/samplers/uniform_combinations.hpp"
#include "core/samplers/windows.hpp"
#include "core/thread_team.hpp"

namespace {

using namespace silvan;

constexpr std::int64_t kSide = 8;
constexpr std::int64_t kFeatures = kSide * kSide;
constexpr std::uint64_t kSeed = 17;

struct Arguments {
    const SplitKernels* kernels = &best_kernels();
    std::int64_t n_threads = 4;
    std::int64_t n_trees = 12;
    std::int64_t n_samples = 600;
};

// FNV-1a over the bytes of arrays; the layout of the supported processors is little-endian throughout.
class Digest {
public:
    template <typename T>
    void add(const T* values, std::size_t n) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(values);
        for (std::size_t i = 0; i < n * sizeof(T); ++i) value_ = (value_ ^ bytes[i]) * 0x100000001B3ULL;
    }

    template <typename Array>
    void add(const Array& values) {
        add(values.data(), values.size());
    }

    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

std::uint64_t digest_of(const ForestArrays& forest) {
    Digest digest;
    digest.add(forest.tree_offsets);
    digest.add(forest.leaf_offsets);
    digest.add(forest.left);
    digest.add(forest.threshold);
    digest.add(forest.missing_left);
    digest.add(forest.direction_indptr);
    digest.add(forest.direction_indices);
    digest.add(forest.direction_coefficients);
    digest.add(forest.n_samples);
    digest.add(forest.weight);
    digest.add(forest.impurity);
    digest.add(forest.value_indptr);
    digest.add(forest.value_outputs);
    digest.add(forest.values);
    digest.add(forest.member_indptr);
    digest.add(forest.members);
    digest.add(forest.window_channel);
    digest.add(forest.window_box);
    digest.add(forest.window_statistic);
    digest.add(forest.window_shift);
    digest.add(forest.window_scale);
    return digest.value();
}

// What a kind of forest is grown from.
struct Kind {
    const char* name;
    Criterion criterion;
    std::shared_ptr<ProjectionDistribution> distribution;
    bool bytes = false;        // features are uint8 and not float32
    bool missing = false;      // one float in 16 is missing
    bool categorical = false;  // the first two features are categories
    bool bootstrap = true;
    double estimation_share = 0.0;
    std::int64_t pool_size = 0;
};

std::shared_ptr<ProjectionDistribution> make_patches() {
    const PatchAxis axis{kSide, 2, 6, Boundary::pad, 0};
    return std::make_shared<Patches>(PatchShape{{axis, axis}, CoefficientKind::ones, false, 1});
}

// Two channels of half the features each.
std::shared_ptr<ProjectionDistribution> make_windows(Boundary boundary) {
    const PatchAxis rows{kSide / 2, 1, 3, boundary, 1};
    const PatchAxis columns{kSide, 1, 6, boundary, 2};
    return std::make_shared<Windows>(
        WindowOptions{{{rows, columns}, {rows, columns}},
                      {1.0, 2.0},
                      {WindowStatistic::mean, WindowStatistic::spread, WindowStatistic::slope},
                      2,
                      2,
                      0.5});
}

std::vector<Kind> make_kinds() {
    const auto axis = std::make_shared<AxisAligned>(kFeatures);
    const auto sparse = std::make_shared<MatrixSigns>(kFeatures, 3.0, false);
    const auto combinations = std::make_shared<UniformCombinations>(kFeatures, 3);
    const auto mixture =
        std::make_shared<Mixture>(Mixture::Components{axis, combinations}, std::vector<double>{0.5, 1.0});
    return {
        {"axis gini", Criterion::gini, axis},
        {"axis gini bytes", Criterion::gini, axis, true},
        {"sparse gini missing", Criterion::gini, sparse, false, true},
        {"sparse gini categories", Criterion::gini, sparse, false, false, true},
        {"combinations squared error", Criterion::squared_error, combinations},
        {"mixture entropy subsample", Criterion::entropy, mixture, false, false, false, false},
        {"sparse gini honest", Criterion::gini, sparse, false, false, false, false, 0.5},
        {"patches gini bytes", Criterion::gini, make_patches(), true},
        {"patches squared error", Criterion::squared_error, make_patches()},
        {"windows gini bytes", Criterion::gini, make_windows(Boundary::pad), true},
        {"windows gini missing", Criterion::gini, make_windows(Boundary::wrap), false, true},
        {"windows squared error", Criterion::squared_error, make_windows(Boundary::inside)},
        {"windows of pools", Criterion::gini, make_windows(Boundary::pad), true, false, false, true, 0.0, 200},
        {"rotation gini", Criterion::gini, std::make_shared<RandomRotation>(kFeatures)},
        {"combinations gaussian", Criterion::gaussian, combinations},
    };
}

// Training data of one kind, and the views that the core reads them through.
class Data {
public:
    Data(const Kind& kind, std::int64_t n_samples) : n_(n_samples), kind_(kind) {
        const auto n = static_cast<std::size_t>(n_);
        floats_.resize(n * kFeatures);
        bytes_.resize(n * kFeatures);
        for (std::size_t i = 0; i < floats_.size(); ++i) fill(i);
        for (std::int64_t i = 0; i < n_; ++i) {
            const float* sample = floats_.data() + i * kFeatures;
            const auto sum = static_cast<std::int32_t>((sample[3] + sample[4] * 2.0F) * 1024.0F);
            labels_.push_back((sum >> 9) % 3);
            values_.push_back(static_cast<double>(sum) / 1024.0);
        }
        if (kind.missing) {
            for (std::size_t i = 0; i < floats_.size(); ++i) {
                if (mix_bits(i) % 16 == 0) floats_[i] = std::numeric_limits<float>::quiet_NaN();
            }
        }
        const FeatureMatrix x = features();
        order_ = canonical_order(x, labels_.data(), 1, nullptr, nullptr, ThreadTeam(1));
        repeats_ = mark_repeats(x, labels_.data(), 1, order_.data(), nullptr, ThreadTeam(1));
        if (kind.categorical) {
            n_categories_.assign(kFeatures, 0);
            n_categories_[0] = n_categories_[1] = 8;
        }
    }

    FeatureMatrix features() const {
        FeatureMatrix view;
        view.data = kind_.bytes ? static_cast<const void*>(bytes_.data()) : floats_.data();
        view.type = kind_.bytes ? FeatureType::uint8 : FeatureType::float32;
        view.n_samples = n_;
        view.n_features = kFeatures;
        view.row_stride = kFeatures;
        view.column_stride = 1;
        return view;
    }

    SampleDraws draws() const {
        SampleDraws draws;
        draws.order = order_.data();
        draws.n_samples = n_;
        draws.n_draws = kind_.bootstrap ? n_ : n_ * 2 / 3;
        draws.replace = kind_.bootstrap;
        draws.estimation_share = kind_.estimation_share;
        draws.repeats = repeats_.data();
        return draws;
    }

    TrainingArrays arrays() const {
        TrainingArrays arrays;
        arrays.layouts.columns = features();
        arrays.samples = draws();
        arrays.n_categories = n_categories_;
        if (kind_.criterion == Criterion::squared_error) {
            arrays.targets.value = values_.data();
        } else if (kind_.criterion != Criterion::gaussian) {
            arrays.targets.label = labels_.data();
            arrays.targets.n_outputs = 3;
        }
        return arrays;
    }

private:
    void fill(std::size_t i) {
        const std::uint64_t bits = mix_bits(kSeed + i);
        const bool category = kind_.categorical && i % kFeatures < 2;
        floats_[i] = category ? static_cast<float>(bits % 8) : static_cast<float>(bits % 1024) / 1024.0F;
        bytes_[i] = static_cast<std::uint8_t>(bits >> 56);
    }

    std::int64_t n_;
    const Kind& kind_;
    std::vector<float> floats_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::int32_t> labels_;
    std::vector<double> values_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint8_t> repeats_;
    std::vector<std::int64_t> n_categories_;
};

ForestView view_of(const ForestArrays& forest, const TrainingSet& training, const std::vector<Window>& windows) {
    ForestView view;
    view.n_trees = static_cast<std::int64_t>(forest.tree_offsets.size()) - 1;
    view.n_features = kFeatures;
    view.n_outputs = training.targets.n_outputs;
    view.tree_offsets = forest.tree_offsets.data();
    view.leaf_offsets = forest.leaf_offsets.data();
    view.left = forest.left.data();
    view.threshold = forest.threshold.data();
    view.missing_left = forest.missing_left.data();
    view.direction_indptr = forest.direction_indptr.data();
    view.direction_indices = forest.direction_indices.data();
    view.direction_coefficients = forest.direction_coefficients.data();
    view.value_indptr = forest.value_indptr.data();
    view.value_outputs = forest.value_outputs.data();
    view.values = forest.values.data();
    view.windows = windows.data();
    view.columns = training.space.get();
    return view;
}

GrowOptions options_of(const Kind& kind, const Arguments& arguments) {
    GrowOptions options;
    options.criterion.criterion = kind.criterion;
    options.n_directions = 8;
    options.max_depth = 1000;
    options.min_samples_leaf = kind.criterion == Criterion::gaussian ? 5 : 1;
    options.criterion.gaussian.n_dimensions = 4;
    options.pool_size = kind.pool_size;
    options.seed = kSeed;
    options.kernels = arguments.kernels;
    return options;
}

// Shapley values of a few samples and their variances, exact and sampled; none where directions are over other columns
// than features and categories.
std::vector<double> explain(const ForestView& view, const FeatureMatrix& features, const ThreadTeam& team) {
    const ColumnDescription columns = view.columns->describe();
    if (!columns.grid_shape.empty() || !columns.windows.channel_shapes.empty()) return {};
    constexpr std::int64_t n = 6;
    std::vector<float> rows;
    for (std::int64_t i = 0; i < 2 * n * kFeatures; ++i) {
        const std::int64_t at = i / kFeatures * features.row_stride + i % kFeatures * features.column_stride;
        rows.push_back(features.type == FeatureType::uint8 ? static_cast<float>(features.as<std::uint8_t>()[at])
                                                           : features.as<float>()[at]);
    }
    const FeatureMatrix samples{
        .data = rows.data(), .n_samples = n, .n_features = kFeatures, .row_stride = kFeatures, .column_stride = 1};
    FeatureMatrix background = samples;
    background.data = rows.data() + n * kFeatures;
    const std::int64_t size = n * kFeatures * view.n_outputs;
    std::vector<double> values(static_cast<std::size_t>(2 * size));
    sum_shapley_values(view, samples, background, {6, 2, kSeed}, team, {values.data(), values.data() + size});
    return values;
}

void drive(const Kind& kind, const Arguments& arguments) {
    const Data data(kind, arguments.n_samples);
    const TrainingArrays arrays = data.arrays();
    TrainingSet training(arrays, *kind.distribution, *arguments.kernels, {kind.pool_size, kSeed});
    const ForestArrays forest = grow_forest(training, *kind.distribution, options_of(kind, arguments),
                                            {0, arguments.n_trees}, arguments.n_threads, [](std::int64_t) {});
    const WindowArrays drawn{forest.window_channel.data(), forest.window_box.data(), forest.window_statistic.data(),
                             forest.window_shift.data(), forest.window_scale.data()};
    const std::vector<Window> windows =
        join_windows(drawn, forest.window_channel.size(), training.space->describe().windows.n_axes());
    const ForestView view = view_of(forest, training, windows);
    const ThreadTeam team(arguments.n_threads);
    const PackedForest packed(view, team);
    Digest predicted;
    const auto n = static_cast<std::size_t>(arguments.n_samples);
    std::vector<std::int32_t> nodes(n * static_cast<std::size_t>(view.n_trees));
    apply_forest(packed, data.features(), team, nodes.data());
    predicted.add(nodes);
    if (kind.criterion != Criterion::gaussian) {
        std::vector<double> sums(n * static_cast<std::size_t>(view.n_outputs));
        std::vector<std::int32_t> counts(n);
        sum_votes(packed, data.features(), Voting::soft, {0, packed.view().n_trees}, team, sums.data());
        predicted.add(sums);
        std::fill(sums.begin(), sums.end(), 0.0);
        sum_out_of_bag_votes(packed, data.features(), Voting::soft, {arrays.samples, kSeed}, team,
                             {sums.data(), counts.data()});
        predicted.add(sums);
        predicted.add(counts);
        predicted.add(explain(view, data.features(), team));
    }
    std::printf("%-28s forest %016llx predictions %016llx\n", kind.name,
                static_cast<unsigned long long>(digest_of(forest)), static_cast<unsigned long long>(predicted.value()));
}

// A few rounds of squared error with three outputs, so that threads share trees and the loops within trees.
void boost(const Kind& kind, const Arguments& arguments) {
    const Data data(kind, arguments.n_samples);
    const TrainingArrays arrays = data.arrays();
    const TrainingSet training(arrays, *kind.distribution, *arguments.kernels);
    BoostOptions options;
    options.n_directions = 8;
    options.min_samples_leaf = 2;
    options.subsample = 0.8;
    options.seed = kSeed;
    options.kernels = arguments.kernels;
    Booster booster(training, kind.distribution.get(), options);
    const auto n = static_cast<std::size_t>(arguments.n_samples);
    std::vector<double> scores(3 * n), gradients(3 * n);
    const std::vector<double> hessians(3 * n, 1.0);
    for (std::int64_t round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            gradients[i] = scores[i] - static_cast<double>(mix_bits(i) % 1024) / 1024.0;
        }
        booster.grow_round(round, {gradients.data(), hessians.data(), arguments.n_samples, 3}, scores.data(),
                           ThreadTeam(arguments.n_threads));
    }
    Digest scored;
    scored.add(scores);
    scored.add(booster.leaves(ThreadTeam(arguments.n_threads)));
    std::printf("%-28s boosted %016llx scores %016llx\n", kind.name,
                static_cast<unsigned long long>(digest_of(booster.take_trees())),
                static_cast<unsigned long long>(scored.value()));
}

const SplitKernels* find_kernels(const std::string& name) {
    for (const SplitKernels* const* table = available_kernels(); *table != nullptr; ++table) {
        if (name == (*table)->name) return *table;
    }
    throw std::invalid_argument("this processor has no kernels named " + name);
}

Arguments read_arguments(int n, char** words) {
    Arguments arguments;
    for (int i = 1; i + 1 < n; i += 2) {
        const std::string name = words[i];
        const std::string value = words[i + 1];
        if (name == "--kernels") arguments.kernels = find_kernels(value);
        if (name == "--threads") arguments.n_threads = std::stoll(value);
        if (name == "--trees") arguments.n_trees = std::stoll(value);
        if (name == "--samples") arguments.n_samples = std::stoll(value);
    }
    return arguments;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Arguments arguments = read_arguments(argc, argv);
        for (const Kind& kind : make_kinds()) {
            drive(kind, arguments);
            if (kind.criterion != Criterion::gaussian) boost(kind, arguments);
        }
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "drive_core: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
