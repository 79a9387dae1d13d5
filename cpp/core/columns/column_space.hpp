// What the indices of a direction mean: the columns that directions are over, and how their values are read.
//
// A direction is a sparse list of terms, an index and a coefficient each. Indices below the number of features are
// features; what those above stand for is the business of the column space. Growing, honest estimation and
// prediction ask a space for "the values of this direction for these samples" and assume nothing about how the terms
// make them. Plain features, running sums of a grid, codes of categories and windows on channels are such spaces;
// another one is a class derived from ColumnSpace, its two readers, and a line in make_column_space.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/columns/feature_layouts.hpp"
#include "core/columns/window.hpp"
#include "core/node_context.hpp"
#include "core/split_kernels.hpp"
#include "core/views.hpp"

namespace silvan {

class ThreadTeam;
class WindowPool;

// Which columns there are besides the features, as a forest's file keeps it. All empty: none.
struct ColumnDescription {
    std::vector<std::int64_t> grid_shape;
    std::vector<std::uint8_t> grid_contiguous;
    std::vector<std::int64_t> n_categories;
    WindowDescription windows;

    bool operator==(const ColumnDescription&) const = default;
};

// The values of a direction that is zero for most samples of a node.
struct NonzeroValues {
    float zero = 0.0F;                  // of the samples without an entry; it may have a sign
    std::vector<std::uint32_t> places;  // of samples in the node
    std::vector<float> values;
};

// Reads the columns of training samples while trees grow; each thread has its own.
class NodeColumns {
public:
    virtual ~NodeColumns() = default;

    // A reader of the same columns for another thread.
    virtual std::unique_ptr<NodeColumns> for_thread() const = 0;

    virtual std::int64_t n_features() const = 0;

    // Directions of a node may have indices below this number.
    virtual std::int64_t n_columns() const = 0;

    // What the features are stored as.
    virtual FeatureType feature_type() const = 0;

    // What directions read of a sample, in bytes.
    virtual std::int64_t bytes_per_sample() const { return n_features() * bytes_of(feature_type()); }

    // Forgets what was learnt at other nodes. What is drawn for this one comes from the stream `key`.
    virtual void start(const NodeContext& node, std::uint64_t key);

    // values[i] = the value of the direction for samples[i]; padded with +infinity to a multiple of kLane.
    virtual ValueRange project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                               float* values) = 0;

    // The same for directions that are zero for most samples of the node that was started, and missing for none.
    // Returns false where it is not, or where the reader does not know.
    virtual bool project_nonzeros(const Direction&, const NodeContext&, NonzeroValues&) { return false; }

    // Whether all values of the direction are whole numbers.
    virtual bool is_integral(const Direction& direction) const = 0;

    // The direction as a tree keeps it, to be read by BlockColumns. Holds until the next call.
    virtual Direction written_out(const Direction& direction) { return direction; }

    // A feature as whoever fits directions to a node sees it, NaN where it is missing.
    virtual void read_feature(std::int32_t feature, const std::uint32_t* samples, std::int64_t n_samples,
                              double* values) = 0;

    // Whether values of the direction were learnt from targets of the node's samples, and from those of which samples:
    // the others may tell how much of a gain is real.
    virtual bool is_learnt(const Direction& direction) const;
    virtual bool is_learnt_from(std::uint32_t sample) const;

    // Whether two samples have the same features.
    virtual bool equal_samples(std::uint32_t a, std::uint32_t b) const = 0;

    // Whether features have the same values at every node, and none is missing or infinite.
    virtual bool has_fixed_features() const { return false; }

    // The values of the direction as codes, where they are at hand.
    virtual CodedColumn coded(const Direction& direction) const;

    // Whether any feature has codes.
    virtual bool has_codes() const { return false; }

    // The windows that directions over windows are drawn from; nullptr: any.
    virtual const WindowPool* window_pool() const { return nullptr; }

    // How many of these samples differ, where directions are over windows.
    virtual std::int64_t count_distinct(const std::uint32_t* samples, std::int64_t n_samples) const;
};

// Reads the columns of a block of samples for the directions that trees keep; each thread has its own.
class BlockColumns {
public:
    virtual ~BlockColumns() = default;

    // values[i] = the value of the direction for samples[i], counted from the block's first; padded as above. The
    // same operations in the same order as in growing, so that a training sample can never be rounded to another side.
    virtual void project(const Direction& direction, const std::uint32_t* samples, std::int64_t n_samples,
                         float* values) = 0;

    // The same for one sample.
    virtual float project_sample(const Direction& direction, std::uint32_t sample) = 0;
};

// Directions written over the features alone.
struct ExpandedDirections {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<float> coefficients;
};

class ColumnSpace {
public:
    virtual ~ColumnSpace() = default;

    virtual std::int64_t n_features() const = 0;
    virtual ColumnDescription describe() const { return {}; }

    // Throws std::invalid_argument unless such samples can be read.
    virtual void check(const FeatureMatrix& samples) const;

    // Tells the next reader for growing the places of its samples in the canonical order of a larger set that they
    // were drawn from.
    virtual void place_samples(const std::uint32_t* /*ranks*/) {}

    // A reader for growing on these samples. `order` is the canonical order of the samples; layouts, order and kernels
    // must outlive the reader, and so must this space.
    virtual std::unique_ptr<NodeColumns> read_training(const FeatureLayouts& layouts, const std::uint32_t* order,
                                                       const SplitKernels& kernels) const = 0;

    // The same for directions over the windows of a pool alone, which a team reads ahead if there is one; in spaces of
    // windows.
    virtual std::unique_ptr<NodeColumns> read_pool(const FeatureLayouts& layouts,
                                                   const std::shared_ptr<WindowPool>& pool, const SplitKernels& kernels,
                                                   const ThreadTeam* ahead) const;

    // Indices of directions are below this number.
    virtual std::int64_t n_columns() const { return n_features(); }

    // A reader for prediction, and the memory that it takes for each sample of the block besides the features.
    virtual std::unique_ptr<BlockColumns> read_block(const FeatureMatrix& block, const SplitKernels& kernels) const = 0;
    virtual std::int64_t bytes_per_sample(FeatureType) const { return 0; }

    // Appends a direction written over the features.
    virtual void expand(const Direction& direction, ExpandedDirections& expanded) const;

    // Appends what the features have to do with a direction, in proportion to the absolute values: where it is no
    // sum of features, too.
    virtual void share(const Direction& direction, ExpandedDirections& expanded) const { expand(direction, expanded); }
};

// Throws std::invalid_argument where the description does not fit the number of features, or describes columns of two
// kinds: what categories are worth changes from node to node, so they have no running sums.
std::unique_ptr<ColumnSpace> make_column_space(std::int64_t n_features, const ColumnDescription& description);

// The columns of both descriptions. Windows on the same channels may differ in sizes and statistics. Throws
// std::invalid_argument where no space has both.
ColumnDescription merge_columns(const ColumnDescription& first, const ColumnDescription& second);

}  // namespace silvan
