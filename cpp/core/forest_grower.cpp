// Hands trees to threads, and subtrees to threads that find no tree left; appends trees to the forest in order.
#include "core/forest_grower.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/stopping.hpp"
#include "core/thread_team.hpp"

namespace silvan {
namespace {

// A tree and the threads that still work on it; the last one appends it to the forest.
struct SharedTree {
    explicit SharedTree(std::int64_t tree_number) : number(tree_number) {}

    std::int64_t number;
    std::atomic<std::int64_t> n_working{1};
    TreePart whole;
    Buffer<std::int32_t> counts;
};

struct Task {
    std::shared_ptr<SharedTree> tree;
    std::optional<Subtree> subtree;  // none: the whole tree
    SharedSearch* search = nullptr;  // or a node of it to be searched, and nothing to be grown
};

// Trees and subtrees to be grown and nodes to be searched, shared by all threads.
class TaskQueue {
public:
    explicit TaskQueue(std::int64_t first) : next_(first), last_(first) {}

    // Trees up to `last` are to be grown as well. No thread may be at work.
    void add_trees(std::int64_t last) { last_ = last; }

    // Waits while others may have subtrees to give; none: all is done.
    std::optional<Task> next() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (!subtrees_.empty()) {
                Task task = std::move(subtrees_.front());
                subtrees_.pop_front();
                n_queued_ = static_cast<std::int64_t>(subtrees_.size());
                ++n_busy_;
                if (task.search != nullptr) searching_.push_back(task.search);
                return task;
            }
            if (next_ < last_) {
                ++n_busy_;
                return Task{std::make_shared<SharedTree>(next_++), std::nullopt};
            }
            if (n_busy_ == 0) return std::nullopt;
            ++n_idle_;
            changed_.wait_for(lock, std::chrono::milliseconds(20));
            --n_idle_;
            lock.unlock();
            throw_if_stopped();
            lock.lock();
        }
    }

    void add(Task&& task) {
        const std::lock_guard lock(mutex_);
        subtrees_.push_back(std::move(task));
        n_queued_ = static_cast<std::int64_t>(subtrees_.size());
        changed_.notify_one();
    }

    // Nodes to be searched come before subtrees: their owners wait for them.
    void offer(SharedSearch& search) {
        const std::lock_guard lock(mutex_);
        for (std::int64_t n = n_idle_ - n_queued_; n > 0; --n) {
            subtrees_.push_front({nullptr, std::nullopt, &search});
            changed_.notify_one();
        }
        n_queued_ = static_cast<std::int64_t>(subtrees_.size());
    }

    // Waits for those who search.
    void withdraw(SharedSearch& search) {
        std::unique_lock lock(mutex_);
        std::erase_if(subtrees_, [&](const Task& task) { return task.search == &search; });
        n_queued_ = static_cast<std::int64_t>(subtrees_.size());
        left_.wait(lock, [&] { return std::find(searching_.begin(), searching_.end(), &search) == searching_.end(); });
    }

    void leave(SharedSearch& search) {
        const std::lock_guard lock(mutex_);
        searching_.erase(std::find(searching_.begin(), searching_.end(), &search));
        left_.notify_all();
    }

    void finish() {
        const std::lock_guard lock(mutex_);
        if (--n_busy_ == 0) changed_.notify_all();
    }

    bool has_idle() const { return n_idle_ > n_queued_; }
    bool has_trees() const { return next_ < last_; }

private:
    std::atomic<std::int64_t> next_;
    std::int64_t last_;
    std::deque<Task> subtrees_;
    std::vector<const SharedSearch*> searching_;  // once for each thread that searches
    std::int64_t n_busy_ = 0;
    std::atomic<std::int64_t> n_idle_{0};
    std::atomic<std::int64_t> n_queued_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable left_;  // some search
};

// What the thread of a tree sees of the others.
class TreeHelpers final : public Helpers {
public:
    TreeHelpers(TaskQueue& queue, std::shared_ptr<SharedTree> tree) : queue_(queue), tree_(std::move(tree)) {}

    bool are_idle() const override { return queue_.has_idle(); }

    void take(Subtree&& subtree) override {
        ++tree_->n_working;
        queue_.add({tree_, std::move(subtree)});
    }

    void offer(SharedSearch& search) override { queue_.offer(search); }
    void withdraw(SharedSearch& search) override { queue_.withdraw(search); }

private:
    TaskQueue& queue_;
    std::shared_ptr<SharedTree> tree_;
};

class ForestBuilder {
public:
    ForestBuilder(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
                  std::int64_t first)
        : training_(training), distribution_(distribution), options_(options), queue_(first), next_to_append_(first) {}

    // Trees up to `last` are to be grown as well, on the columns that the training set then has.
    void add(std::int64_t last) { queue_.add_trees(last); }

    // Grows one tree or subtree after the other until none is left; for any number of threads.
    void grow() {
        std::optional<TreeGrower> grower;
        TreePart part;
        while (std::optional<Task> task = queue_.next()) {
            const Leaving leaving{queue_, task->search};
            if (!grower) grower.emplace(training_, distribution_, options_);
            if (task->search != nullptr) {
                grower->help(*task->search);
                queue_.finish();
                continue;
            }
            const bool shared = grow_task(*task, *grower, part);
            // Near the end, when the forest is at its largest, scratch memory makes room for it.
            if (!queue_.has_trees()) grower.reset();
            if (shared) {
                finish_shared(*task->tree);
            } else {
                keep(task->tree->number, part.arrays);
            }
            queue_.finish();
        }
    }

    std::int64_t n_finished() const { return finished_; }

    ForestArrays take_forest() { return std::move(forest_); }

private:
    // Whoever took a search leaves it, whatever happens: its owner waits.
    struct Leaving {
        TaskQueue& queue;
        SharedSearch* search;
        ~Leaving() {
            if (search != nullptr) queue.leave(*search);
        }
    };

    // Returns whether other threads have a share in the tree, which then holds what was grown; else `part` is the tree.
    bool grow_task(Task& task, TreeGrower& grower, TreePart& part) {
        TreeHelpers helpers(queue_, task.tree);
        if (task.subtree) {
            grower.grow(*task.subtree, &helpers);
            return true;
        }
        grower.grow(task.tree->number, part, &helpers);
        if (part.handed_over.empty()) return false;
        task.tree->counts = grower.take_counts();
        task.tree->whole = std::exchange(part, TreePart{});
        return true;
    }

    void finish_shared(SharedTree& tree) {
        if (--tree.n_working > 0) return;
        join_parts(tree.whole);
        keep(tree.number, tree.whole.arrays);
    }

    // Appends trees in the order of their numbers, so that the forest does not depend on the threads; those that finish
    // early wait. One thread at a time appends, and the others do not wait for it: with sixteen threads and trees of
    // 5 ms they would spend a fifth of their time on that.
    void keep(std::int64_t tree, TreeArrays& arrays) {
        std::unique_lock lock(mutex_);
        ++finished_;
        if (appending_ || tree != next_to_append_) {
            waiting_.emplace(tree, std::exchange(arrays, take_spare()));
            if (appending_) return;
        } else {
            append(arrays, lock);
        }
        while (!waiting_.empty() && waiting_.begin()->first == next_to_append_) {
            TreeArrays next = std::move(waiting_.extract(waiting_.begin()).mapped());
            append(next, lock);
            if (queue_.has_trees()) spare_.push_back(std::move(next));
        }
    }

    void append(const TreeArrays& arrays, std::unique_lock<std::mutex>& lock) {
        appending_ = true;
        lock.unlock();
        forest_.append(arrays);
        lock.lock();
        ++next_to_append_;
        appending_ = false;
    }

    // Memory of a tree that was appended: getting new pages from the system is slow where many threads do it.
    TreeArrays take_spare() {
        if (spare_.empty()) return {};
        TreeArrays arrays = std::move(spare_.back());
        spare_.pop_back();
        return arrays;
    }

    const TrainingSet& training_;
    const ProjectionDistribution& distribution_;
    const GrowOptions& options_;
    TaskQueue queue_;
    std::atomic<std::int64_t> finished_{0};
    std::mutex mutex_;
    bool appending_ = false;
    std::int64_t next_to_append_;
    std::map<std::int64_t, TreeArrays> waiting_;
    std::vector<TreeArrays> spare_;
    ForestArrays forest_;
};

// Small trees are not shared.
std::int64_t max_threads(const TrainingSet& training, TreeRange trees, std::int64_t n_threads) {
    const bool may_share =
        !is_honest(training.samples) && training.samples.n_samples >= 2 * TreeGrower::kLeastHandedOver;
    return may_share ? n_threads : std::min(n_threads, trees.last - trees.first);
}

}  // namespace

ForestArrays grow_forest(TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
                         TreeRange trees, std::int64_t n_threads, const std::function<void(std::int64_t)>& on_wait) {
    ForestBuilder builder(training, distribution, options, trees.first);
    const auto report = [&] { on_wait(builder.n_finished()); };
    const ThreadTeam team(n_threads, report);
    const auto grow = [&](TreeRange range) {
        builder.add(range.last);
        team.run(max_threads(training, range, n_threads), [&] { builder.grow(); });
    };
    if (!training.has_pools()) {
        grow(trees);
    } else {
        const bool ahead = trees.last - trees.first >= kFewestAhead;
        const std::int64_t first_tree = training.samples.first_tree;
        while (trees.first < trees.last) {
            const std::int64_t pool = (trees.first + first_tree) / kTreesOfPool;
            const TreeRange sharing{trees.first, std::min(trees.last, (pool + 1) * kTreesOfPool - first_tree)};
            training.draw_pool(pool, ahead, team);
            grow(sharing);
            trees.first = sharing.last;
        }
    }
    report();
    return builder.take_forest();
}

}  // namespace silvan
