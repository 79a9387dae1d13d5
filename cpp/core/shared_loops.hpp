// Many short parallel loops by the threads of one team: between loops they wait instead of ending.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "core/thread_team.hpp"

namespace silvan {

class SharedLoops {
public:
    // Calls drive(loops) on the calling thread. Its loops run on the threads of the team.
    static void run(const ThreadTeam& team, const std::function<void(SharedLoops&)>& drive);

    // Loops on the calling thread alone.
    SharedLoops() = default;
    SharedLoops(const SharedLoops&) = delete;
    SharedLoops& operator=(const SharedLoops&) = delete;

    // Threads have the numbers 0 .. n_threads - 1.
    std::int64_t n_threads() const { return n_threads_; }

    // work(item, thread) for the items 0 .. n - 1; returns when all are done. The first exception ends the loop and is
    // thrown here. Only the driving thread may call it, and not from within a loop.
    void for_each(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& work);

    // work(first, last) on blocks of at most `block` of n items.
    template <typename Work>
    void for_blocks(std::int64_t n, std::int64_t block, const Work& work) {
        for_each((n + block - 1) / block,
                 [&](std::int64_t i, std::int64_t) { work(i * block, i * block + block < n ? i * block + block : n); });
    }

private:
    // What `gate_` holds beside the number of threads inside a loop, or about to find it closed.
    static constexpr std::int32_t kOpen = std::int32_t{1} << 30;

    void serve(std::int64_t thread);
    void take_items(std::int64_t thread);
    void announce();
    void close_gate();
    void leave();

    std::int64_t n_threads_ = 1;
    std::atomic<std::uint32_t> loop_{0};  // how many loops began; the end of all counts as one
    std::atomic<bool> ended_{false};
    std::atomic<std::int32_t> gate_{0};
    // Written while the gate is closed and nobody is inside.
    const std::function<void(std::int64_t, std::int64_t)>* work_ = nullptr;
    std::int64_t n_items_ = 0;
    std::atomic<std::int64_t> next_{0};
    std::mutex mutex_;  // of the error
    std::exception_ptr error_;
};

}  // namespace silvan
