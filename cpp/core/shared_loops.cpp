// Hands the items of loops to waiting threads.
#include "core/shared_loops.hpp"

#include <thread>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace silvan {
namespace {

// Loops follow each other within microseconds, less than it takes to wake a thread.
constexpr int kSpins = 2000;

// Tells the processor that this thread only waits. To yield would be worse: other programs take their time.
void pause() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

template <typename Condition>
void spin_until(const Condition& condition) {
    for (int i = 0; i < kSpins && !condition(); ++i) pause();
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
        struct Ending {
            SharedLoops& loops;
            ~Ending() {
                loops.ended_ = true;
                loops.announce();
            }
        } ending{loops};
        drive(loops);
    });
}

void SharedLoops::announce() {
    ++loop_;
    loop_.notify_all();
}

void SharedLoops::for_each(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& work) {
    if (n_threads_ == 1 || n <= 1) {
        for (std::int64_t i = 0; i < n; ++i) {
            throw_if_stopped(1);
            work(i, 0);
        }
        return;
    }
    work_ = &work;
    n_items_ = n;
    next_ = 0;
    error_ = nullptr;
    gate_ += kOpen;
    announce();
    take_items(0);
    close_gate();
    if (error_) std::rethrow_exception(error_);
}

// Nobody enters from now on, and `work` lives until all have left.
void SharedLoops::close_gate() {
    gate_ -= kOpen;
    spin_until([this] { return gate_ == 0; });
    for (std::int32_t inside = gate_; inside != 0; inside = gate_) gate_.wait(inside);
}

// Whoever finds the gate closed was too late, and leaves at once.
void SharedLoops::serve(std::int64_t thread) {
    std::uint32_t seen = 0;
    for (;;) {
        spin_until([&] { return loop_ != seen; });
        loop_.wait(seen);
        seen = loop_;
        if (ended_) return;
        if (gate_++ >= kOpen) take_items(thread);
        leave();
    }
}

void SharedLoops::leave() {
    if (--gate_ == 0) gate_.notify_one();
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
