// Hands trees to threads, one at a time, and appends them to the forest in order.
#include "core/forest_grower.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/thread_team.hpp"

namespace silvan {
namespace {

class ForestBuilder {
public:
    ForestBuilder(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
                  TreeRange range)
        : training_(training),
          distribution_(distribution),
          options_(options),
          range_(range),
          next_(range.first),
          next_to_append_(range.first) {}

    // Grows one tree after the other until none is left; for any number of threads.
    void grow() {
        std::optional<TreeGrower> grower(std::in_place, training_, distribution_, options_);
        TreeArrays arrays;
        for (std::int64_t tree = next_++; tree < range_.last; tree = next_++) {
            grower->grow(tree, arrays);
            // Near the end, when the forest is at its largest, scratch memory makes room for it.
            if (next_ >= range_.last) grower.reset();
            keep(tree, arrays);
            ++finished_;
        }
    }

    std::int64_t n_finished() const { return finished_; }

    ForestArrays take_forest() { return std::move(forest_); }

private:
    // Appends the tree, and those that waited for it. Trees that finish early wait, with the memory that they
    // were grown in, so that the forest does not depend on the threads.
    void keep(std::int64_t tree, TreeArrays& arrays) {
        const std::lock_guard lock(mutex_);
        if (tree != next_to_append_) {
            waiting_.emplace(tree, std::exchange(arrays, TreeArrays{}));
            return;
        }
        forest_.append(arrays);
        ++next_to_append_;
        for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_to_append_;
             it = waiting_.erase(it)) {
            forest_.append(it->second);
            ++next_to_append_;
        }
    }

    const TrainingSet& training_;
    const ProjectionDistribution& distribution_;
    const GrowOptions& options_;
    TreeRange range_;
    std::atomic<std::int64_t> next_;
    std::atomic<std::int64_t> finished_{0};
    std::mutex mutex_;
    std::int64_t next_to_append_;
    std::map<std::int64_t, TreeArrays> waiting_;
    ForestArrays forest_;
};

}  // namespace

ForestArrays grow_forest(const TrainingSet& training, const ProjectionDistribution& distribution,
                         const GrowOptions& options, TreeRange trees, std::int64_t n_threads,
                         const std::function<void(std::int64_t)>& on_wait) {
    ForestBuilder builder(training, distribution, options, trees);
    const auto report = [&] { on_wait(builder.n_finished()); };
    ThreadTeam(n_threads, report).run(trees.last - trees.first, [&] { builder.grow(); });
    report();
    return builder.take_forest();
}

}  // namespace silvan
