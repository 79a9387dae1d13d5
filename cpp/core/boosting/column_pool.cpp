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
constexpr std::int64_t kDirectionValues = 4'096;
// Values that are held at a time while edges are chosen.
constexpr std::int64_t kHeldValues = std::int64_t{1} << 22;
// Columns with so large a share of one bin may share a byte.
constexpr double kSparse = 0.7;

void add_feature(std::int32_t feature, ProjectionBatch& batch) {
    batch.add(feature, 1.0F);
    batch.end_direction();
}

}  // namespace

// Directions that become columns together.
struct ColumnPool::Drawn {
    ProjectionBatch batch;
    std::size_t first_column = 0;
    std::int64_t first_byte = 0;
    NodeContext at;
    std::uint64_t key = 0;
    std::int64_t max_values = kDirectionValues;
    std::vector<float> values;          // of all directions for all samples, where edges were chosen by all of them
    std::vector<double> default_share;  // of each column's most frequent bin
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
    Drawn drawn;
    std::vector<std::int32_t> features;
    const auto n_features = static_cast<std::int32_t>(training_.columns->n_features());
    for (std::int32_t feature = 0; options_.use_features && feature < n_features; ++feature) {
        constexpr float kOne = 1.0F;
        if (training_.columns->is_learnt({&feature, &kOne, 1})) {
            learnt_features_.push_back(feature);
        } else {
            features.push_back(feature);
            add_feature(feature, drawn.batch);
        }
    }
    drawn.key = stream_key(options_.seed, 0, Purpose::feature_edges);
    drawn.max_values = kFeatureValues;
    add_columns(drawn, features);
    BatchReader reader(training_, drawn.batch, drawn.at, loops);
    find_bins(drawn, reader, loops);
    assign_bytes(drawn, find_bundles(drawn, reader, loops));
    n_fixed_columns_ = columns_.size();
    n_fixed_groups_ = n_groups();
    encode(drawn, reader, fixed_codes_);
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
    Drawn drawn;
    drawn.at = root(*columns, draw, stream_key(options_.seed, number, Purpose::root_node));
    columns->start(drawn.at, columns_key(drawn.at.key, 0));
    for (const std::int32_t feature : learnt_features_) add_feature(feature, drawn.batch);
    if (options_.n_directions > 0) {
        Random stream(stream_key(options_.seed, number, Purpose::tree_sampler));
        const auto sampler = distribution_->make_sampler(stream);
        sampler->prepare(drawn.at, stream);
        Random random(drawn.at.key);
        sampler->sample(drawn.at, options_.n_directions, random, drawn.batch);
    }
    drawn.first_column = n_fixed_columns_;
    drawn.first_byte = n_fixed_groups_ * kColumnGroup;
    drawn.key = stream_key(options_.seed, number, Purpose::direction_edges);
    add_columns(drawn, learnt_features_);
    BatchReader reader(training_, drawn.batch, drawn.at, loops);
    find_bins(drawn, reader, loops);
    assign_bytes(drawn, {});
    encode(drawn, reader, drawn_codes_);
    number_bins();
}

// Windows lie in a table of the batch, which the next draw replaces.
void PoolColumn::keep(const Direction& direction, std::int64_t n_features) {
    indices.assign(direction.indices, direction.indices + direction.n_nonzeros);
    coefficients.assign(direction.coefficients, direction.coefficients + direction.n_nonzeros);
    windows.clear();
    for (std::int32_t& index : indices) {
        if (direction.windows == nullptr || index < n_features) continue;
        windows.push_back(direction.windows[index - n_features]);
        index = static_cast<std::int32_t>(n_features) + static_cast<std::int32_t>(windows.size()) - 1;
    }
}

// The directions of the batch, of which the first are the features, become the columns from `first_column` on.
void ColumnPool::add_columns(const Drawn& drawn, const std::vector<std::int32_t>& features) {
    columns_.resize(drawn.first_column);
    columns_.resize(drawn.first_column + static_cast<std::size_t>(drawn.batch.size()));
    for (std::size_t j = 0; j < features.size(); ++j) columns_[drawn.first_column + j].feature = features[j];
}

// Of many samples some are drawn, by their places in canonical order, so that edges do not depend on how the samples
// were given: one from each of equal parts.
std::vector<std::uint32_t> ColumnPool::draw_samples(std::int64_t n, std::uint64_t key) const {
    std::vector<std::uint32_t> drawn(static_cast<std::size_t>(n));
    Random random(key);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t begin = i * n_samples_ / n;
        const std::int64_t end = (i + 1) * n_samples_ / n;
        const auto offset = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(end - begin)));
        drawn[static_cast<std::size_t>(i)] = training_.samples.order[begin + offset];
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

// As many columns at a time as there is memory for their values.
void ColumnPool::find_bins(Drawn& drawn, BatchReader& reader, SharedLoops& loops) {
    const std::int64_t n = std::min(n_samples_, drawn.max_values);
    std::vector<std::uint32_t> some;
    if (n < n_samples_) some = draw_samples(n, drawn.key);
    const std::uint32_t* numbers = n < n_samples_ ? some.data() : all_samples_.data();
    drawn.default_share.resize(static_cast<std::size_t>(reader.size()));
    const std::int64_t n_held = std::max<std::int64_t>(1, kHeldValues / n);
    std::vector<float> values(static_cast<std::size_t>(std::min(n_held, reader.size()) * n));
    std::vector<SortMemory> memory(static_cast<std::size_t>(loops.n_threads()));
    for (std::int64_t from = 0; from < reader.size(); from += n_held) {
        const std::int64_t to = std::min(from + n_held, reader.size());
        const auto values_of = [&](std::int64_t j) { return values.data() + (j - from) * n; };
        reader.for_blocks(numbers, n, [&](std::int64_t first, std::int64_t size, const auto& read, const auto&) {
            for (std::int64_t j = from; j < to; ++j) std::copy_n(read(j), size, values_of(j) + first);
        });
        loops.for_each(to - from, [&](std::int64_t j, std::int64_t thread) {
            throw_if_stopped(16 * n);
            const auto place = static_cast<std::size_t>(from + j);
            PoolColumn& column = columns_[drawn.first_column + place];
            column.bins =
                ColumnBins(values_of(from + j), n, options_.max_bins, memory[static_cast<std::size_t>(thread)]);
            const Direction direction = drawn.batch.direction(from + j);
            column.keep(reader.reader_of(thread).columns->written_out(direction), n_features());
            drawn.default_share[place] = measure_default(column, values_of(from + j), n, reader.reader_of(thread));
        });
    }
    if (n == n_samples_ && n_held >= reader.size()) drawn.values = std::move(values);
}

// Finds the most frequent bin, and returns its share.
double ColumnPool::measure_default(PoolColumn& column, const float* values, std::int64_t n,
                                   BatchReader::Reader& reader) const {
    std::vector<std::int64_t> count(static_cast<std::size_t>(kMaxCodes));
    for (std::int64_t first = 0; first < n; first += BatchReader::kMaxBlock) {
        const std::int64_t size = std::min(BatchReader::kMaxBlock, n - first);
        options_.kernels->encode(column.bins.table(), values + first, size, reader.codes.data());
        for (std::int64_t i = 0; i < size; ++i) ++count[reader.codes[static_cast<std::size_t>(i * kColumnGroup)]];
    }
    const auto most = std::max_element(count.begin(), count.end());
    column.place.default_bin = most - count.begin();
    return static_cast<double>(*most) / static_cast<double>(n);
}

std::vector<std::vector<std::int32_t>> ColumnPool::find_bundles(const Drawn& drawn, BatchReader& reader,
                                                                SharedLoops& loops) {
    std::vector<SparseColumn> sparse;
    for (std::size_t j = 0; j < drawn.default_share.size(); ++j) {
        if (drawn.default_share[j] < kSparse) continue;
        SparseColumn candidate;
        candidate.column = static_cast<std::int32_t>(drawn.first_column + j);
        candidate.n_codes = column(candidate.column).bins.n_bins() - 1;
        candidate.others.resize(static_cast<std::size_t>(n_samples_ / 64 + 1));
        sparse.push_back(std::move(candidate));
    }
    loops.for_each(static_cast<std::int64_t>(sparse.size()), [&](std::int64_t j, std::int64_t thread) {
        SparseColumn& candidate = sparse[static_cast<std::size_t>(j)];
        const PoolColumn& column = this->column(candidate.column);
        const Direction direction =
            drawn.batch.direction(candidate.column - static_cast<std::int64_t>(drawn.first_column));
        BatchReader::Reader& own = reader.reader_of(thread);
        for (std::int64_t first = 0; first < n_samples_; first += BatchReader::kMaxBlock) {
            const std::int64_t n = std::min(BatchReader::kMaxBlock, n_samples_ - first);
            throw_if_stopped(4 * n);
            own.columns->project(direction, all_samples_.data() + first, n, own.values.data());
            options_.kernels->encode(column.bins.table(), own.values.data(), n, own.codes.data());
            for (std::int64_t i = 0; i < n; ++i) {
                const bool other = own.codes[static_cast<std::size_t>(i * kColumnGroup)] != column.place.default_bin;
                candidate.others[static_cast<std::size_t>((first + i) / 64)] |= std::uint64_t{other}
                                                                                << ((first + i) % 64);
            }
        }
    });
    return bundle_columns(sparse);
}

// Columns that share no byte have one each, in order; bytes that are shared come after them.
void ColumnPool::assign_bytes(const Drawn& drawn, const std::vector<std::vector<std::int32_t>>& bundles) {
    bytes_.resize(static_cast<std::size_t>(drawn.first_byte));
    std::vector<std::uint8_t> shared(columns_.size(), 0);
    for (const auto& bundle : bundles) {
        for (const std::int32_t c : bundle) shared[static_cast<std::size_t>(c)] = 1;
    }
    const auto add_byte = [&](const std::vector<std::int32_t>& columns) {
        PoolByte byte;
        byte.columns = columns;
        byte.n_codes = columns.size() > 1 ? 1 : this->column(columns.front()).bins.n_bins();
        for (const std::int32_t c : columns) {
            PoolColumn& column = columns_[static_cast<std::size_t>(c)];
            column.byte = static_cast<std::int64_t>(bytes_.size());
            column.place.shared = columns.size() > 1;
            column.place.first_code = byte.n_codes;
            if (column.place.shared) byte.n_codes += column.bins.n_bins() - 1;
        }
        bytes_.push_back(std::move(byte));
    };
    for (std::size_t c = drawn.first_column; c < columns_.size(); ++c) {
        if (shared[c] == 0) add_byte({static_cast<std::int32_t>(c)});
    }
    for (const auto& bundle : bundles) add_byte(bundle);
    while (bytes_.size() % kColumnGroup != 0) bytes_.emplace_back();
}

void ColumnPool::encode(const Drawn& drawn, BatchReader& reader, Buffer<std::uint8_t>& codes) const {
    const auto n_bytes = static_cast<std::int64_t>(bytes_.size()) - drawn.first_byte;
    codes.resize(static_cast<std::size_t>(n_bytes * n_samples_));
    const auto encode_block = [&](std::int64_t first, std::int64_t n, const auto& read, BatchReader::Reader& own) {
        for (std::int64_t b = 0; b < n_bytes; ++b) {
            std::uint8_t* to = codes.data() + (b / kColumnGroup * n_samples_ + first) * kColumnGroup + b % kColumnGroup;
            const PoolByte& byte = this->byte(drawn.first_byte + b);
            if (byte.columns.size() != 1) {
                for (std::int64_t i = 0; i < n; ++i) to[i * kColumnGroup] = 0;
            }
            for (const std::int32_t c : byte.columns) {
                const std::int64_t j = c - static_cast<std::int64_t>(drawn.first_column);
                const float* values = drawn.values.empty() ? read(j) : drawn.values.data() + j * n_samples_ + first;
                encode_values(column(c), values, n, own, to);
            }
        }
    };
    reader.for_blocks(all_samples_.data(), n_samples_, encode_block);
}

void ColumnPool::encode_values(const PoolColumn& column, const float* values, std::int64_t n,
                               BatchReader::Reader& reader, std::uint8_t* codes) const {
    if (!column.place.shared) {
        options_.kernels->encode(column.bins.table(), values, n, codes);
        return;
    }
    options_.kernels->encode(column.bins.table(), values, n, reader.codes.data());
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t code = column.place.to_byte(reader.codes[static_cast<std::size_t>(i * kColumnGroup)]);
        if (code != 0) codes[i * kColumnGroup] = static_cast<std::uint8_t>(code);
    }
}

void ColumnPool::number_bins() {
    group_columns_.assign(static_cast<std::size_t>(n_groups()), {});
    group_bins_.assign(1, 0);
    for (std::int64_t group = 0; group < n_groups(); ++group) {
        std::int64_t bin = group_bins_.back();
        std::vector<std::int32_t>& columns = group_columns_[static_cast<std::size_t>(group)];
        for (std::int64_t b = group * kColumnGroup; b < (group + 1) * kColumnGroup; ++b) {
            PoolByte& byte = bytes_[static_cast<std::size_t>(b)];
            byte.first_bin = bin;
            bin += byte.n_codes;
            columns.insert(columns.end(), byte.columns.begin(), byte.columns.end());
        }
        std::sort(columns.begin(), columns.end());
        for (const std::int32_t c : columns) {
            PoolColumn& column = columns_[static_cast<std::size_t>(c)];
            column.first_bin = column.place.shared ? bin : byte(column.byte).first_bin;
            bin += column.place.shared ? column.bins.n_bins() : 0;
        }
        group_bins_.push_back(bin);
    }
}

}  // namespace silvan
