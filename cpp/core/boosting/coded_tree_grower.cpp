// The node loop of CodedTreeGrower.
#include "core/boosting/coded_tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/random.hpp"
#include "core/samplers/partial_shuffle.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

constexpr std::int64_t kPartitionBlock = std::int64_t{1} << 13;
constexpr std::int64_t kAhead = 32;  // samples whose codes are on their way from memory
// Nanoseconds of work that are worth waking threads for.
constexpr std::int64_t kSharedWork = std::int64_t{1} << 15;

}  // namespace

void CodedTreeGrower::grow(const TreeTask& task, SharedLoops& loops) {
    start(task, loops);
    open_root(loops);
    std::int64_t n_leaves = 1;
    const bool limited = options_.max_leaf_nodes > 0;
    while (!queue_.empty() && (!limited || n_leaves < options_.max_leaf_nodes)) {
        const std::int32_t next = take_next();
        ++n_leaves;
        // Of the last split the children stay leaves.
        split(next, !limited || n_leaves < options_.max_leaf_nodes, loops);
    }
}

void CodedTreeGrower::start(const TreeTask& task, SharedLoops& loops) {
    task_ = &task;
    nodes_.clear();
    open_.clear();
    queue_.clear();
    scratch_.resize(static_cast<std::size_t>(loops.n_threads()));
    choose_columns(task.key);
    search_.clear();
    search_.emplace_back(pool_, options_, task.outputs, columns_);
    histograms_.start(pool_, task.outputs, search_.front(), columns_, *options_.kernels);
    const std::int64_t n =
        task.samples == nullptr ? pool_.n_samples() : static_cast<std::int64_t>(task.samples->size());
    samples_.allocate(static_cast<std::size_t>(n));
    spare_.allocate(static_cast<std::size_t>(n));
    loops.for_blocks(n, kPartitionBlock, [&](std::int64_t first, std::int64_t last) {
        if (task.samples == nullptr) {
            std::iota(samples_.data() + first, samples_.data() + last, static_cast<std::uint32_t>(first));
        } else {
            std::copy(task.samples->data() + first, task.samples->data() + last, samples_.data() + first);
        }
    });
    CodedNode root;
    root.end = n;
    nodes_.push_back(root);
    open_.emplace_back();
    open_.back().key = task.key;
    open_.back().groups.assign(options_.interaction_groups.size(), 1);
}

void CodedTreeGrower::choose_columns(std::uint64_t key) {
    const std::int64_t n = pool_.n_columns();
    columns_.assign(static_cast<std::size_t>(n), 0);
    if (n == 0) return;
    const auto share = static_cast<std::int64_t>(std::llround(options_.colsample * static_cast<double>(n)));
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(std::clamp<std::int64_t>(share, 1, n)));
    Random random(combine_keys(key, static_cast<std::uint64_t>(Purpose::columns_of_tree)));
    PartialShuffle(n).draw(static_cast<std::int64_t>(chosen.size()), random, chosen.data());
    for (const std::int32_t column : chosen) columns_[static_cast<std::size_t>(column)] = 1;
}

bool CodedTreeGrower::may_split(const CodedNode& node) const {
    return node.depth < options_.max_depth && node.size() >= std::max<std::int64_t>(2, 2 * options_.min_samples_leaf);
}

SharedLoops& CodedTreeGrower::loops_for(std::int64_t work, SharedLoops& loops) {
    return work < kSharedWork ? alone_ : loops;
}

void CodedTreeGrower::open_root(SharedLoops& loops) {
    if (pool_.n_columns() == 0 || !may_split(nodes_[0])) return;
    open_[0].histogram = histograms_.acquire();
    open_[0].totals = histograms_.order(samples_of(0), loops);
    search_nodes({0}, 0, -1, loops);
}

NodeSamples CodedTreeGrower::samples_of(std::int32_t node) const {
    const CodedNode& here = nodes_[static_cast<std::size_t>(node)];
    return {samples_.data(), here.begin, here.end, node == 0 && task_->samples == nullptr};
}

SearchedNode CodedTreeGrower::describe(std::int32_t node, const std::vector<std::uint8_t>& allowed) const {
    const OpenNode& open = open_[static_cast<std::size_t>(node)];
    SearchedNode searched;
    searched.histogram = histograms_.words(open.histogram);
    searched.bounds = nodes_[static_cast<std::size_t>(node)].bounds;
    searched.key = open.key;
    searched.allowed = allowed.empty() ? nullptr : allowed.data();
    search_.front().describe(open.totals, searched);
    return searched;
}

// Fills the histogram of one node, turns that of its parent into its sibling's, and looks for the best splits of
// `nodes`, which are among the two.
void CodedTreeGrower::search_nodes(const std::vector<std::int32_t>& nodes, std::int32_t filled, std::int32_t parent,
                                   SharedLoops& loops) {
    const std::vector<std::uint8_t> allowed = allowed_columns(open_[static_cast<std::size_t>(filled)]);
    std::vector<SearchedNode> searched;
    searched.reserve(nodes.size());
    for (const std::int32_t node : nodes) searched.push_back(describe(node, allowed));
    const std::int64_t n_groups = pool_.n_groups();
    std::vector<CodedSplit> found(nodes.size() * static_cast<std::size_t>(n_groups));
    const NodeSamples samples = samples_of(filled);
    const std::int64_t work = samples.size() * n_groups * kColumnGroup + 8 * search_.front().n_words();
    histograms_.fill(
        samples, open_[static_cast<std::size_t>(filled)].histogram, parent,
        [&](std::int64_t group, std::int64_t thread) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                found[i * static_cast<std::size_t>(n_groups) + static_cast<std::size_t>(group)] =
                    search_.front().search_group(searched[i], group, scratch_[static_cast<std::size_t>(thread)]);
            }
        },
        loops_for(work, loops));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        keep_best(nodes[i], found.data() + static_cast<std::int64_t>(i) * n_groups);
    }
}

// Keeps the histogram of a node that can be split, and queues it.
void CodedTreeGrower::keep_best(std::int32_t node, const CodedSplit* of_groups) {
    CodedSplit& best = nodes_[static_cast<std::size_t>(node)].split;
    for (std::int64_t group = 0; group < pool_.n_groups(); ++group) {
        if (of_groups[group].beats(best)) best = of_groups[group];
    }
    if (!best.found()) {
        histograms_.release(open_[static_cast<std::size_t>(node)].histogram);
        return;
    }
    queue_.push_back(node);
    if (options_.max_leaf_nodes == 0) return;
    std::push_heap(queue_.begin(), queue_.end(), by_gain());
}

std::int32_t CodedTreeGrower::take_next() {
    if (options_.max_leaf_nodes > 0) {
        std::pop_heap(queue_.begin(), queue_.end(), by_gain());
    }
    const std::int32_t next = queue_.back();
    queue_.pop_back();
    return next;
}

void CodedTreeGrower::split(std::int32_t parent, bool search, SharedLoops& loops) {
    const auto at = static_cast<std::size_t>(parent);
    throw_if_stopped(nodes_[at].size());
    const std::int64_t middle = partition(nodes_[at], loops);
    CodedNode left;
    CodedNode right;
    left.begin = nodes_[at].begin;
    left.end = right.begin = middle;
    right.end = nodes_[at].end;
    left.depth = right.depth = nodes_[at].depth + 1;
    bound_children(nodes_[at], left, right);
    OpenNode open_left;
    open_left.groups = open_[at].groups;
    const std::int32_t feature = pool_.column(nodes_[at].split.column).feature;
    for (std::size_t g = 0; g < open_left.groups.size(); ++g) {
        const auto& group = options_.interaction_groups[g];
        if (std::find(group.begin(), group.end(), feature) == group.end()) open_left.groups[g] = 0;
    }
    OpenNode open_right = open_left;
    open_left.key = child_key(open_[at].key, Side::left);
    open_right.key = child_key(open_[at].key, Side::right);
    nodes_[at].left = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(left);
    nodes_.push_back(right);
    open_.push_back(std::move(open_left));
    open_.push_back(std::move(open_right));
    if (search) search_children(parent, loops);
}

void CodedTreeGrower::bound_children(const CodedNode& parent, CodedNode& left, CodedNode& right) const {
    left.bounds = right.bounds = parent.bounds;
    if (options_.monotone.empty()) return;
    const std::int32_t feature = pool_.column(parent.split.column).feature;
    const std::int8_t sign = options_.monotone[static_cast<std::size_t>(feature)];
    const double middle = parent.split.left_value / 2.0 + parent.split.right_value / 2.0;
    left.bounds = parent.bounds.of_left(sign, middle);
    right.bounds = parent.bounds.of_right(sign, middle);
}

// Samples of the smaller child are added up; the larger one has what the parent has besides.
void CodedTreeGrower::search_children(std::int32_t parent, SharedLoops& loops) {
    std::int32_t smaller = nodes_[static_cast<std::size_t>(parent)].left;
    std::int32_t larger = smaller + 1;
    if (nodes_[static_cast<std::size_t>(larger)].size() < nodes_[static_cast<std::size_t>(smaller)].size()) {
        std::swap(smaller, larger);
    }
    const std::int32_t of_parent = open_[static_cast<std::size_t>(parent)].histogram;
    if (!may_split(nodes_[static_cast<std::size_t>(larger)])) {
        histograms_.release(of_parent);
        return;
    }
    OpenNode& added = open_[static_cast<std::size_t>(smaller)];
    OpenNode& rest = open_[static_cast<std::size_t>(larger)];
    added.histogram = histograms_.acquire();
    added.totals = histograms_.order(samples_of(smaller), loops);
    rest.histogram = of_parent;
    rest.totals = open_[static_cast<std::size_t>(parent)].totals;
    for (std::size_t i = 0; i < rest.totals.size(); ++i) rest.totals[i] -= added.totals[i];
    if (may_split(nodes_[static_cast<std::size_t>(smaller)])) {
        search_nodes({smaller, larger}, smaller, of_parent, loops);
    } else {
        search_nodes({larger}, smaller, of_parent, loops);
        histograms_.release(added.histogram);
    }
}

// For each column 1 if its feature shares a group with all features of the path; empty where there are no groups.
std::vector<std::uint8_t> CodedTreeGrower::allowed_columns(const OpenNode& open) const {
    std::vector<std::uint8_t> allowed;
    if (open.groups.empty()) return allowed;
    std::vector<std::uint8_t> features;
    for (std::size_t g = 0; g < open.groups.size(); ++g) {
        if (open.groups[g] == 0) continue;
        for (const std::int32_t feature : options_.interaction_groups[g]) {
            features.resize(std::max(features.size(), static_cast<std::size_t>(feature) + 1));
            features[static_cast<std::size_t>(feature)] = 1;
        }
    }
    allowed.resize(static_cast<std::size_t>(pool_.n_columns()));
    for (std::size_t c = 0; c < allowed.size(); ++c) {
        const auto feature = static_cast<std::size_t>(pool_.column(static_cast<std::int64_t>(c)).feature);
        allowed[c] = feature < features.size() ? features[feature] : 0;
    }
    return allowed;
}

std::int64_t CodedTreeGrower::partition_block(const CodedSplit& split, std::int64_t begin, std::int64_t end) {
    const CodeTest goes_left(split, pool_.column(split.column));
    const std::uint8_t* codes = pool_.codes_of(split.column);
    std::uint32_t* samples = samples_.data();
    std::uint32_t* spare = spare_.data() + begin;
    std::int64_t n_left = begin;
    std::int64_t n_right = 0;
    const std::int64_t last = end - 1;
    for (std::int64_t i = begin; i < end; ++i) {
        const std::uint32_t sample = samples[i];
        __builtin_prefetch(codes + static_cast<std::int64_t>(samples[std::min(i + kAhead, last)]) * kColumnGroup);
        const bool left = goes_left(codes[static_cast<std::int64_t>(sample) * kColumnGroup]);
        samples[n_left] = sample;
        spare[n_right] = sample;
        n_left += left ? 1 : 0;
        n_right += left ? 0 : 1;
    }
    std::copy_n(spare, n_right, samples + n_left);
    return n_left;
}

// Moves the samples that go left to the front, in order; blocks of large nodes by several threads.
std::int64_t CodedTreeGrower::partition(const CodedNode& node, SharedLoops& loops) {
    if (loops.n_threads() == 1 || node.size() < 2 * kPartitionBlock) {
        return partition_block(node.split, node.begin, node.end);
    }
    const std::int64_t n_blocks = (node.size() + kPartitionBlock - 1) / kPartitionBlock;
    const auto begin_of = [&](std::int64_t block) { return std::min(node.begin + block * kPartitionBlock, node.end); };
    std::vector<std::int64_t> middle(static_cast<std::size_t>(n_blocks));
    loops.for_each(n_blocks, [&](std::int64_t b, std::int64_t) {
        middle[static_cast<std::size_t>(b)] = partition_block(node.split, begin_of(b), begin_of(b + 1));
    });
    std::vector<std::int64_t> left_start{node.begin};
    for (std::int64_t b = 0; b < n_blocks; ++b) {
        left_start.push_back(left_start.back() + middle[static_cast<std::size_t>(b)] - begin_of(b));
    }
    const std::int64_t all_left = left_start.back();
    loops.for_each(n_blocks, [&](std::int64_t b, std::int64_t) {
        const std::int64_t to_left = left_start[static_cast<std::size_t>(b)];
        const std::int64_t to_right = all_left + (begin_of(b) - to_left);
        const std::int64_t here = middle[static_cast<std::size_t>(b)];
        std::copy(samples_.data() + begin_of(b), samples_.data() + here, spare_.data() + to_left);
        std::copy(samples_.data() + here, samples_.data() + begin_of(b + 1), spare_.data() + to_right);
    });
    loops.for_each(n_blocks, [&](std::int64_t b, std::int64_t) {
        std::copy(spare_.data() + begin_of(b), spare_.data() + begin_of(b + 1), samples_.data() + begin_of(b));
    });
    return all_left;
}

}  // namespace silvan
