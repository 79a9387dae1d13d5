// Hands the items of loops to waiting threads.
#include "core/shared_loops.hpp"

#include <thread>

namespace silvan {
namespace {

// Loops follow each other within microseconds, less than it takes to wake a thread.
constexpr int kSpins = 2000;

template <typename Condition>
void spin_until(const Condition& condition) {
    for (int i = 0; i < kSpins && !condition(); ++i) {
        if (i % 64 == 63) std::this_thread::yield();
    }
}

}  // namespace

void SharedLoops::run(const ThreadTeam& team, const std::function<void(SharedLoops&)>& drive) {
    SharedLoops loops;
    loops.n_threads_ = team.n_threads();
    const std::thread::id driver = std::this_thread::get_id();
    std::atomic<std::int64_t> next_thread{1};
    team.run(team.n_threads(), [&] {
        if (std::this_thread::get_id() != driver) {
            loops.serve(next_thread++);
            return;
        }
        struct Closing {
            SharedLoops& loops;
            ~Closing() { loops.close(); }
        } closing{loops};
        drive(loops);
    });
}

void SharedLoops::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        ++loop_;
    }
    opened_.notify_all();
}

void SharedLoops::for_each(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& work) {
    if (n_threads_ == 1 || n <= 1) {
        for (std::int64_t i = 0; i < n; ++i) {
            throw_if_stopped(1);
            work(i, 0);
        }
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        n_items_ = n;
        next_ = 0;
        error_ = nullptr;
        open_ = true;
        ++loop_;
    }
    opened_.notify_all();
    take_items(0);
    {
        // Nobody enters from now on, and `work` lives until all have left.
        std::unique_lock lock(mutex_);
        open_ = false;
        if (inside_ != 0) {
            lock.unlock();
            spin_until([this] { return inside_ == 0; });
            lock.lock();
            emptied_.wait(lock, [this] { return inside_ == 0; });
        }
    }
    if (error_) std::rethrow_exception(error_);
}

void SharedLoops::serve(std::int64_t thread) {
    std::uint64_t seen = 0;
    for (;;) {
        spin_until([&] { return loop_ != seen; });
        {
            std::unique_lock lock(mutex_);
            opened_.wait(lock, [&] { return loop_ != seen; });
            seen = loop_;
            if (closed_) return;
            if (!open_) continue;
            ++inside_;
        }
        take_items(thread);
        const std::lock_guard lock(mutex_);
        if (--inside_ == 0) emptied_.notify_all();
    }
}

void SharedLoops::take_items(std::int64_t thread) {
    try {
        for (std::int64_t item = next_++; item < n_items_; item = next_++) {
            throw_if_stopped(1);
            (*work_)(item, thread);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = n_items_;
    }
}

}  // namespace silvan
