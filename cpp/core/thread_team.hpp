// Threads that share work: everything in the core that runs on several threads runs on a team.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/stopping.hpp"

namespace silvan {

// The calling thread and up to n_threads - 1 others. Where the system refuses a thread, the others do its work.
class ThreadTeam {
public:
    // About ten times a second the calling thread calls `on_wait`, which may throw to stop the work.
    explicit ThreadTeam(std::int64_t n_threads, std::function<void()> on_wait = {})
        : n_threads_(n_threads < 1 ? 1 : n_threads), on_wait_(std::move(on_wait)) {}

    std::int64_t n_threads() const { return n_threads_; }

    // Calls work() at once on each thread, of which there are at most `max_threads`, and returns when all are
    // done. The first exception, whether of `work` or of `on_wait`, stops the others (see throw_if_stopped) and
    // is thrown again here. `work` must not mind how many threads call it.
    void run(std::int64_t max_threads, const std::function<void()>& work) const;

    // Calls work(first, last) on blocks of at most `block` of n items.
    template <typename Work>
    void for_blocks(std::int64_t n, std::int64_t block, const Work& work) const {
        std::atomic<std::int64_t> next{0};
        run((n + block - 1) / block, [&] {
            for (std::int64_t first = next.fetch_add(block); first < n; first = next.fetch_add(block)) {
                throw_if_stopped();
                work(first, std::min(first + block, n));
            }
        });
    }

private:
    std::int64_t n_threads_;
    std::function<void()> on_wait_;
};

}  // namespace silvan
