// Blocks of samples, and a reader for each thread.
#include "core/boosting/batch_reader.hpp"

#include <cstddef>

#include "core/random.hpp"

namespace silvan {
namespace {

// What a block's samples are read from: half of a usual second-level cache.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 18;
constexpr std::int64_t kMinBlock = 32;

}  // namespace

BatchReader::BatchReader(const TrainingSet& training, const ProjectionBatch& batch, const NodeContext& at,
                         SharedLoops& loops)
    : training_(training), batch_(batch), at_(at), loops_(loops) {
    block_ =
        std::clamp(kBlockBytes / std::max<std::int64_t>(1, training.columns->bytes_per_sample()), kMinBlock, kMaxBlock);
    readers_.resize(static_cast<std::size_t>(loops.n_threads()));
}

BatchReader::Reader& BatchReader::reader_of(std::int64_t thread) {
    Reader& reader = readers_[static_cast<std::size_t>(thread)];
    if (reader.columns == nullptr) {
        reader.values.resize(static_cast<std::size_t>(kMaxBlock + kLane));
        reader.codes.resize(static_cast<std::size_t>(kMaxBlock * kColumnGroup));
        reader.columns = training_.columns->for_thread();
        NodeContext here = at_;
        here.columns = reader.columns.get();
        if (here.n_samples > 0) reader.columns->start(here, columns_key(here.key, 0));
    }
    return reader;
}

}  // namespace silvan
