// A large node whose directions several threads search: where there are fewer trees than threads, the first levels of a
// tree are too few nodes for all of them.
//
// The split is that of one thread: of equal scores the first direction wins, whoever searched it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/node_context.hpp"
#include "core/samplers/projection_sampler.hpp"
#include "core/split.hpp"

namespace silvan {

class SharedSearch {
public:
    // What other threads need to search the node as its owner does. All that is pointed to must outlive the search.
    struct Task {
        NodeContext node;
        const ProjectionBatch* batch;
        ProjectionSampler* sampler;  // of the owner, for criteria that ask for one; these are not shared
        std::uint64_t columns_key;
        double tree_weight;
    };

    explicit SharedSearch(const Task& task) : task_(task) {}

    const Task& task() const { return task_; }

    // Takes the next directions that nobody has searched; returns false where there are none.
    bool take(DirectionRange& range) {
        range.first = next_++;
        range.last = range.first + 1;
        return range.first < task_.batch->size();
    }

    // Tells of the best split along some of the directions.
    void report(const Split& split) {
        const std::lock_guard lock(mutex_);
        const bool varies = best_.varies || split.varies;
        const bool better = split.found && (!best_.found || split.score > best_.score ||
                                            (split.score == best_.score && split.direction < best_.direction));
        if (better) best_ = split;
        best_.varies = varies;
    }

    // Once all have left.
    const Split& best() const { return best_; }

private:
    const Task task_;
    std::atomic<std::int64_t> next_{0};
    std::mutex mutex_;
    Split best_;
};

}  // namespace silvan
