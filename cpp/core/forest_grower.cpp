// Hands trees to threads, one at a time, and appends them to the forest in order.
#include "core/forest_grower.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace silvan {
namespace {

class Crew {
public:
    Crew(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
         TreeRange range, std::int64_t n_threads)
        : range_(range), next_(range.first), next_to_append_(range.first) {
        const std::int64_t n = std::clamp<std::int64_t>(n_threads, 1, std::max<std::int64_t>(1, range.last - range.first));
        running_ = n;
        // Scratch memory is allocated here and not by the threads: it can reuse what validation has freed.
        for (std::int64_t i = 0; i < n; ++i) {
            growers_.push_back(std::make_unique<TreeGrower>(training, distribution, options, stop_));
        }
        for (const auto& grower : growers_) threads_.emplace_back([this, &grower] { work(*grower); });
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

    ForestArrays take_forest() {
        if (error_) std::rethrow_exception(error_);
        return std::move(forest_);
    }

private:
    void work(TreeGrower& grower) {
        try {
            for (std::int64_t tree = next_++; tree < range_.last && !stop_; tree = next_++) {
                keep(tree, grower.grow(tree));
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

    // Appends the tree, and those that waited for it. Trees that finish early wait, so that the forest does
    // not depend on the threads.
    void keep(std::int64_t tree, TreeArrays&& arrays) {
        const std::lock_guard lock(mutex_);
        waiting_.emplace(tree, std::move(arrays));
        for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_to_append_;
             it = waiting_.erase(it)) {
            forest_.append(it->second);
            ++next_to_append_;
        }
    }

    TreeRange range_;
    std::atomic<std::int64_t> next_;
    std::atomic<std::int64_t> finished_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::int64_t next_to_append_;
    std::map<std::int64_t, TreeArrays> waiting_;
    ForestArrays forest_;
    std::condition_variable ended_;
    std::int64_t running_ = 0;
    std::exception_ptr error_;
    std::vector<std::unique_ptr<TreeGrower>> growers_;
    std::vector<std::thread> threads_;
};

}  // namespace

ForestArrays grow_forest(const TrainingSet& training, const ProjectionDistribution& distribution,
                         const GrowOptions& options, TreeRange trees, std::int64_t n_threads,
                         const std::function<void(std::int64_t)>& on_wait) {
    Crew crew(training, distribution, options, trees, n_threads);
    while (!crew.wait_a_moment()) on_wait(crew.n_finished());
    on_wait(crew.n_finished());
    return crew.take_forest();
}

}  // namespace silvan
