// How long work ends early: loops of any length say now and then what they have done since.
//
// The flag to look at belongs to the thread (see thread_team.hpp) and not to the arguments, so that a loop
// anywhere below, in a sampler or in a draw of samples, can be stopped without being handed through every call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>

namespace silvan {

// Thrown by throw_if_stopped; the team that was stopped knows why, and throws that instead.
class Stopped final : public std::exception {
public:
    const char* what() const noexcept override { return "the work was stopped"; }
};

// What one thread looks at while it works for a team; the innermost team's counts.
class StopWatch {
public:
    static constexpr std::int64_t kWorkBetweenLooks = std::int64_t{1} << 16;  // about a tenth of a millisecond
    static constexpr std::chrono::milliseconds kBetweenWaits{100};

    // `on_wait` may be null; else it is called ten times a second and may throw.
    StopWatch(const std::atomic<bool>& stop, const std::function<void()>* on_wait);
    ~StopWatch();
    StopWatch(const StopWatch&) = delete;
    StopWatch& operator=(const StopWatch&) = delete;

    void spend(std::int64_t work) {
        left_ -= work;
        if (left_ <= 0) look();
    }

private:
    void look();

    const std::atomic<bool>& stop_;
    const std::function<void()>* on_wait_;
    std::chrono::steady_clock::time_point next_wait_;
    std::int64_t left_ = kWorkBetweenLooks;
    StopWatch* outer_;
};

// Other models may allocate when a thread first reads the variable, and end the process where memory is short.
#ifdef __linux__
#define SILVAN_STATIC_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local
#else
#define SILVAN_STATIC_THREAD_LOCAL thread_local
#endif

extern constinit SILVAN_STATIC_THREAD_LOCAL StopWatch* current_stop_watch;

// Throws if the team that this thread works for was told to stop. `work` counts steps of about a nanosecond since
// the last call: every loop that may run for a tenth of a second must tell. Does nothing outside a team.
inline void throw_if_stopped(std::int64_t work = StopWatch::kWorkBetweenLooks) {
    if (current_stop_watch != nullptr) current_stop_watch->spend(work);
}

}  // namespace silvan
