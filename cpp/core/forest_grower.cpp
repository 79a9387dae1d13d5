// Hands trees to threads, one at a time, and appends them to the forest in order.
#include "core/forest_grower.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace silvan {
namespace {

class Crew {
public:
    Crew(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options,
         TreeRange range, std::int64_t n_threads)
        : range_(range), next_(range.first), next_to_append_(range.first) {
        running_ = std::clamp<std::int64_t>(n_threads, 1, std::max<std::int64_t>(1, range.last - range.first));
        for (std::int64_t i = running_; i > 0; --i) {
            threads_.emplace_back([this, &training, &distribution, &options] {
                work(training, distribution, options);
            });
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

    ForestArrays take_forest() {
        if (error_) std::rethrow_exception(error_);
        return std::move(forest_);
    }

private:
    void work(const TrainingSet& training, const ProjectionDistribution& distribution, const GrowOptions& options) {
        try {
            std::optional<TreeGrower> grower(std::in_place, training, distribution, options, stop_);
            TreeArrays arrays;
            for (std::int64_t tree = next_++; tree < range_.last && !stop_; tree = next_++) {
                grower->grow(tree, arrays);
                // Near the end, when the forest is at its largest, scratch memory makes room for it.
                if (next_ >= range_.last) grower.reset();
                keep(tree, arrays);
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
