// Hands trees to threads, one at a time, and gathers them in order.
#include "core/forest_grower.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace silvan {
namespace {

class Crew {
public:
    Crew(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
         TreeRange range, std::int64_t n_threads)
        : range_(range), next_(range.first), trees_(static_cast<std::size_t>(range.last - range.first)) {
        const std::int64_t n = std::clamp<std::int64_t>(n_threads, 1, std::max<std::int64_t>(1, range.last - range.first));
        running_ = n;
        for (std::int64_t i = 0; i < n; ++i) {
            threads_.emplace_back([this, &training, &distribution, options] { work(training, distribution, options); });
        }
    }

    ~Crew() {
        stop_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

    // Returns true once all threads have ended.
    bool wait_a_moment() {
        std::unique_lock lock(mutex_);
        return ended_.wait_for(lock, std::chrono::milliseconds(100), [this] { return running_ == 0; });
    }

    std::int64_t n_finished() const { return finished_; }

    std::vector<TreeArrays> take_trees() {
        if (error_) std::rethrow_exception(error_);
        return std::move(trees_);
    }

private:
    void work(const TrainingSet& training, const ProjectionDistribution& distribution, GrowOptions options) {
        try {
            TreeGrower grower(training, distribution, options, stop_);
            for (std::int64_t tree = next_++; tree < range_.last && !stop_; tree = next_++) {
                trees_[static_cast<std::size_t>(tree - range_.first)] = grower.grow(tree);
                ++finished_;
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            stop_ = true;
        }
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
    }

    TreeRange range_;
    std::atomic<std::int64_t> next_;
    std::atomic<std::int64_t> finished_{0};
    std::atomic<bool> stop_{false};
    std::vector<TreeArrays> trees_;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::int64_t running_ = 0;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

}  // namespace

ForestArrays grow_forest(const TrainingSet& training, const ProjectionDistribution& distribution,
                         const GrowOptions& options, TreeRange trees, std::int64_t n_threads,
                         const std::function<void(std::int64_t)>& on_wait) {
    std::vector<TreeArrays> grown;
    {
        Crew crew(training, distribution, options, trees, n_threads);
        while (!crew.wait_a_moment()) on_wait(crew.n_finished());
        grown = crew.take_trees();
    }
    on_wait(trees.last - trees.first);
    return join_trees(std::move(grown));
}

}  // namespace silvan
