// Starts threads, waits for them, and carries exceptions to the caller.
#include "core/thread_team.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace silvan {

constinit SILVAN_STATIC_THREAD_LOCAL StopWatch* current_stop_watch = nullptr;

StopWatch::StopWatch(const std::atomic<bool>& stop, const std::function<void()>* on_wait)
    : stop_(stop), on_wait_(on_wait), outer_(current_stop_watch) {
    if (on_wait_ != nullptr) next_wait_ = std::chrono::steady_clock::now() + kBetweenWaits;
    current_stop_watch = this;
}

StopWatch::~StopWatch() { current_stop_watch = outer_; }

void StopWatch::look() {
    left_ = kWorkBetweenLooks;
    if (stop_.load(std::memory_order_relaxed)) throw Stopped();
    if (on_wait_ == nullptr) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_wait_) return;
    next_wait_ = now + kBetweenWaits;
    (*on_wait_)();
}

namespace {

// One call of ThreadTeam::run.
class Shift {
public:
    Shift(const std::function<void()>& work, const std::function<void()>& on_wait)
        : work_(work), on_wait_(on_wait ? &on_wait : nullptr) {}

    ~Shift() {
        for (std::thread& helper : helpers_) helper.join();
    }

    // A thread that cannot start is no error: there may be a limit on processes, or no memory for its stack.
    void start_helpers(std::int64_t n) {
        try {
            helpers_.reserve(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)));
            for (std::int64_t i = 0; i < n; ++i) {
                const std::lock_guard lock(mutex_);
                helpers_.emplace_back([this] { help(); });
                ++running_;
            }
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }

    void work_here() {
        guard([this] {
            const StopWatch watch(stop_, on_wait_);
            work_();
        });
    }

    void wait_for_helpers() {
        std::unique_lock lock(mutex_);
        while (!ended_.wait_for(lock, StopWatch::kBetweenWaits, [this] { return running_ == 0; })) {
            if (on_wait_ == nullptr) continue;
            lock.unlock();
            guard(*on_wait_);
            lock.lock();
        }
    }

    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    void help() {
        guard([this] {
            const StopWatch watch(stop_, nullptr);
            work_();
        });
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
    }

    template <typename Call>
    void guard(const Call& call) {
        try {
            call();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            stop_ = true;
        }
    }

    const std::function<void()>& work_;
    const std::function<void()>* on_wait_;
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable ended_;
    std::int64_t running_ = 0;
    std::exception_ptr error_;
    std::vector<std::thread> helpers_;
};

}  // namespace

void ThreadTeam::run(std::int64_t max_threads, const std::function<void()>& work) const {
    Shift shift(work, on_wait_);
    shift.start_helpers(std::min(n_threads_, max_threads) - 1);
    shift.work_here();
    shift.wait_for_helpers();
    shift.rethrow();
}

}  // namespace silvan
