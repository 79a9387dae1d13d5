// The memory that a thread searches splits in; it belongs to the grower and serves one node after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/forest.hpp"
#include "core/search/coded.hpp"
#include "core/search/joint_codes.hpp"
#include "core/split_kernels.hpp"

namespace silvan {

// Values of a node's samples along two directions: the one that is searched and the best so far. Before a tree's first
// search, and between the search of a node and that of the next, the same memory serves other numbers.
class ValueMemory {
public:
    // Makes room for nodes of so many samples.
    void reserve_samples(std::int64_t max_samples) {
        const auto padded = static_cast<std::size_t>((max_samples + kLane - 1) / kLane * kLane);
        if (padded <= padded_samples_) return;
        padded_samples_ = padded;
        reserve(2 * padded);
    }

    std::size_t padded_samples() const { return padded_samples_; }
    float* current() { return current_; }
    float* best() { return best_; }
    void keep_current() { std::swap(current_, best_); }

    // Room for n numbers before a tree's first search; forgets all values.
    template <typename T>
    T* borrow_all(std::int64_t n) {
        static_assert(sizeof(T) == sizeof(float) && std::is_trivially_copyable_v<T>);
        reserve(static_cast<std::size_t>(n));
        return static_cast<T*>(static_cast<void*>(room_.data()));
    }

    // Room for a number of each sample of a node; forgets the values of the current direction, not of the best.
    template <typename T>
    T* borrow_current() {
        static_assert(sizeof(T) == sizeof(float) && std::is_trivially_copyable_v<T>);
        return static_cast<T*>(static_cast<void*>(current_));
    }

private:
    void reserve(std::size_t n) {
        if (room_.size() < n) room_.allocate(n);
        current_ = room_.data();
        best_ = current_ + padded_samples_;
    }

    std::size_t padded_samples_ = 0;
    Buffer<float> room_;
    float* current_ = nullptr;
    float* best_ = nullptr;
};

struct SortMemory {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> sorted;
    std::vector<std::uint32_t> missing_samples;
    std::vector<std::int64_t> borders;  // numbers of samples on the left, one for each threshold
    std::vector<std::int64_t> chosen;
    std::vector<float> middle;  // values among which a balanced threshold is drawn
};

// Of the engine that scores bins; made when it first runs.
class HistogramMemory {
public:
    HistogramScratch reserve(std::size_t n_samples, std::int64_t n_counts) {
        constexpr auto kEntries = static_cast<std::size_t>(kMaxBins + 1 + kLane);
        if (flagged.empty()) {
            samples_.allocate(kEntries);
            moments_.allocate(2 * kEntries);
            score_.allocate(kEntries);
            bound_.allocate(kEntries);
            work_.allocate(3 * kEntries);
            flagged.resize(kEntries);
        }
        if (bins_.size() < n_samples) bins_.allocate(n_samples);
        const auto n_entries = static_cast<std::size_t>(n_counts + kLane);
        if (counts_.size() < n_entries) counts_.resize(n_entries);
        return {bins_.data(),  counts_.data(), samples_.data(), moments_.data(),
                score_.data(), bound_.data(),  work_.data()};
    }

    std::vector<std::uint8_t> flagged;           // per bin: whether it may hold a better split
    std::vector<std::uint32_t> flagged_samples;  // samples of those bins

private:
    Buffer<std::uint16_t> bins_;
    std::vector<std::int32_t> counts_;
    Buffer<std::int32_t> samples_;
    Buffer<double> moments_;
    Buffer<double> score_;
    Buffer<double> bound_;
    Buffer<double> work_;
};

// The samples of a node on both sides of a threshold.
class SideMemory {
public:
    void reserve(std::int64_t n_samples) {
        const auto n = static_cast<std::size_t>(n_samples);
        if (left_.size() >= n) return;
        left_.allocate(n);
        right_.allocate(n);
    }

    // Lists the samples of either side by their places in the node; returns how many go left.
    std::int64_t divide(const float* values, std::int64_t n, float threshold, bool missing_left) {
        std::int64_t n_left = 0;
        std::uint32_t* left = left_.data();
        std::uint32_t* right = right_.data();
        for (std::int64_t i = 0; i < n; ++i) {
            const bool go_left = goes_left(values[i], threshold, missing_left);
            left[n_left] = static_cast<std::uint32_t>(i);
            right[i - n_left] = static_cast<std::uint32_t>(i);
            n_left += go_left ? 1 : 0;
        }
        return n_left;
    }

    const std::uint32_t* left() const { return left_.data(); }
    const std::uint32_t* right() const { return right_.data(); }

private:
    Buffer<std::uint32_t> left_;
    Buffer<std::uint32_t> right_;
};

struct SearchScratch {
    ValueMemory values;
    SideMemory sides;
    SortMemory sort;
    HistogramMemory histogram;
    CodeCounts codes;
    JointCounts joint;
};

}  // namespace silvan
