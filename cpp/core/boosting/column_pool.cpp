// Draws, projects and bins the columns of a pool.
#include "core/boosting/column_pool.hpp"

#include <algorithm>
#include <numeric>

#include "core/stopping.hpp"

namespace silvan {
namespace {

// Values that edges are chosen by. Features keep theirs for the whole fit; a direction lasts a round or a few, and
// sorting its values must not take longer than projecting all of them.
constexpr std::int64_t kFeatureValues = 200'000;
constexpr std::int64_t kDirectionValues = 8'192;
constexpr std::int64_t kEncodeBlock = 4'096;

void add_feature(std::int32_t feature, ProjectionBatch& batch) {
    batch.add(feature, 1.0F);
    batch.end_direction();
}

}  // namespace

// What a thread reads columns with.
struct ColumnPool::Reader {
    std::unique_ptr<NodeColumns> columns;
    std::vector<std::uint32_t> samples;
    std::vector<float> values;
};

ColumnPool::ColumnPool(const TrainingSet& training, const ProjectionDistribution* distribution,
                       const BoostOptions& options)
    : training_(training), distribution_(distribution), options_(options), n_samples_(training.samples.n_samples) {
    all_samples_.resize(static_cast<std::size_t>(n_samples_));
    std::iota(all_samples_.data(), all_samples_.data() + n_samples_, 0U);
}

// Every sample counts once here: gradients hold its weight.
NodeContext ColumnPool::root(NodeColumns& columns, std::int64_t tree, std::uint64_t key) const {
    return {&columns, &targets_, all_samples_.data(), ones_.data(), n_samples_, tree, 0, key};
}

void ColumnPool::bin_features(SharedLoops& loops) {
    ProjectionBatch batch;
    std::vector<std::int32_t> features;
    const auto n_features = static_cast<std::int32_t>(training_.columns->n_features());
    for (std::int32_t feature = 0; options_.use_features && feature < n_features; ++feature) {
        constexpr float kOne = 1.0F;
        if (training_.columns->is_learnt({&feature, &kOne, 1})) {
            learnt_features_.push_back(feature);
        } else {
            features.push_back(feature);
            add_feature(feature, batch);
        }
    }
    add_group_columns(0, batch, features);
    n_fixed_groups_ = n_groups();
    fixed_codes_.resize(static_cast<std::size_t>(n_columns() * n_samples_));
    NodeContext none;
    bin_columns(0, batch, none, Purpose::feature_edges, loops);
    number_bins();
}

void ColumnPool::redraw(std::int64_t draw, const double* gradients, std::int64_t n_outputs, SharedLoops& loops) {
    if (options_.n_directions == 0 && learnt_features_.empty()) return;
    if (ones_.size() == 0) {
        ones_.resize(static_cast<std::size_t>(n_samples_));
        std::fill_n(ones_.data(), n_samples_, 1);
    }
    targets_ = {nullptr, gradients, nullptr, n_outputs};
    const auto number = static_cast<std::uint64_t>(draw);
    const auto columns = training_.columns->for_thread();
    const NodeContext at = root(*columns, draw, stream_key(options_.seed, number, Purpose::root_node));
    columns->start(at, columns_key(at.key, 0));
    ProjectionBatch batch;
    for (const std::int32_t feature : learnt_features_) add_feature(feature, batch);
    if (options_.n_directions > 0) {
        Random stream(stream_key(options_.seed, number, Purpose::tree_sampler));
        const auto sampler = distribution_->make_sampler(stream);
        sampler->prepare(at, stream);
        Random random(at.key);
        sampler->sample(at, options_.n_directions, random, batch);
    }
    const auto first = static_cast<std::size_t>(n_fixed_groups_ * kColumnGroup);
    add_group_columns(first, batch, learnt_features_);
    drawn_codes_.resize((columns_.size() - first) * static_cast<std::size_t>(n_samples_));
    bin_columns(first, batch, at, Purpose::direction_edges, loops);
    number_bins();
}

// The directions of the batch, of which the first are the features, become the columns from `first_column` on.
void ColumnPool::add_group_columns(std::size_t first_column, const ProjectionBatch& batch,
                                   const std::vector<std::int32_t>& features) {
    const auto n = static_cast<std::size_t>(batch.size());
    const auto group = static_cast<std::size_t>(kColumnGroup);
    columns_.resize(first_column);
    columns_.resize(first_column + (n + group - 1) / group * group);
    for (std::size_t j = 0; j < features.size(); ++j) columns_[first_column + j].feature = features[j];
}

void ColumnPool::bin_columns(std::size_t first_column, const ProjectionBatch& batch, const NodeContext& at,
                             Purpose purpose, SharedLoops& loops) {
    std::vector<Reader> readers(static_cast<std::size_t>(loops.n_threads()));
    const std::uint64_t key = stream_key(options_.seed, static_cast<std::uint64_t>(at.tree), purpose);
    loops.for_each(batch.size(), [&](std::int64_t j, std::int64_t thread) {
        Reader& reader = readers[static_cast<std::size_t>(thread)];
        if (reader.columns == nullptr) {
            reader.columns = training_.columns->for_thread();
            NodeContext here = at;
            here.columns = reader.columns.get();
            if (at.n_samples > 0) reader.columns->start(here, columns_key(at.key, 0));
        }
        const Direction direction = batch.direction(j);
        const std::size_t c = first_column + static_cast<std::size_t>(j);
        PoolColumn& column = columns_[c];
        column.bins = find_bins(direction, combine_keys(key, static_cast<std::uint64_t>(j)), reader);
        auto* codes = const_cast<std::uint8_t*>(codes_of(static_cast<std::int64_t>(c)));
        const EdgeTable table = column.bins.table();
        for (std::int64_t first = 0; first < n_samples_; first += kEncodeBlock) {
            const std::int64_t n = std::min(kEncodeBlock, n_samples_ - first);
            throw_if_stopped(4 * n);
            reader.columns->project(direction, all_samples_.data() + first, n, reader.values.data());
            options_.kernels->encode(table, reader.values.data(), n, codes + first * kColumnGroup);
        }
        const Direction kept = reader.columns->written_out(direction);
        column.indices.assign(kept.indices, kept.indices + kept.n_nonzeros);
        column.coefficients.assign(kept.coefficients, kept.coefficients + kept.n_nonzeros);
    });
}

// Of many values some are drawn, by their places in canonical order, so that edges do not depend on how the samples
// were given: one from each of equal parts.
ColumnBins ColumnPool::find_bins(const Direction& direction, std::uint64_t key, Reader& reader) const {
    const bool single = direction.n_nonzeros == 1;
    const std::int64_t n = std::min(n_samples_, single ? kFeatureValues : kDirectionValues);
    reader.samples.resize(static_cast<std::size_t>(n));
    Random random(key);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t begin = i * n_samples_ / n;
        const std::int64_t end = (i + 1) * n_samples_ / n;
        const std::int64_t place =
            begin +
            (end - begin > 1 ? static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(end - begin))) : 0);
        reader.samples[static_cast<std::size_t>(i)] = training_.samples.order[place];
    }
    if (n < n_samples_) std::sort(reader.samples.begin(), reader.samples.end());
    reader.values.resize(static_cast<std::size_t>(std::max(n, kEncodeBlock) + kLane));
    throw_if_stopped(64 * n);
    reader.columns->project(direction, n < n_samples_ ? reader.samples.data() : all_samples_.data(), n,
                            reader.values.data());
    std::vector<float> values(reader.values.begin(), reader.values.begin() + n);
    return ColumnBins(values, options_.max_bins);
}

void ColumnPool::number_bins() {
    n_bins_ = 0;
    for (PoolColumn& column : columns_) {
        column.first_bin = n_bins_;
        n_bins_ += column.bins.n_bins();
    }
}

}  // namespace silvan
