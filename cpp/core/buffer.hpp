// A growing array that moves pages instead of copying them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

// The thread sanitizer does not see mremap, and takes memory that moved away for memory that is still in use.
#if defined(__linux__) && !defined(SILVAN_SANITIZE_THREADS)
#define SILVAN_MOVE_PAGES
#include <sys/mman.h>
#endif

namespace silvan {

// Memory that grows in place of its pages: an array that becomes as large as the forest is never held twice,
// as it is while a std::vector grows or vectors are joined. Elsewhere than on Linux it is realloc.
class Pages {
public:
    Pages() = default;
    Pages(Pages&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Pages& operator=(Pages&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

#ifdef SILVAN_MOVE_PAGES
    ~Pages() {
        if (data_ != nullptr) munmap(data_, bytes_);
    }

    void resize(std::size_t bytes) {
        void* moved = data_ == nullptr
                          ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                          : mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) throw std::bad_alloc();
        data_ = moved;
        bytes_ = bytes;
    }

    // Asks for large pages where there is much to read at random: fewer page faults and address look-ups. It is
    // advice only.
    void prefer_large_pages() {
        constexpr std::size_t kMuch = std::size_t{1} << 24;
        if (bytes_ >= kMuch) madvise(data_, bytes_, MADV_HUGEPAGE);
    }
#else
    ~Pages() { std::free(data_); }

    void resize(std::size_t bytes) {
        void* moved = std::realloc(data_, bytes);
        if (moved == nullptr) throw std::bad_alloc();
        data_ = moved;
        bytes_ = bytes;
    }

    void prefer_large_pages() {}
#endif

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

template <typename T>
class Buffer {
public:
    T* data() { return static_cast<T*>(pages_.data()); }
    const T* data() const { return static_cast<const T*>(pages_.data()); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    T back() const { return data()[size_ - 1]; }

    // Keeps the memory.
    void clear() { size_ = 0; }

    // New elements are zero.
    void resize(std::size_t n) {
        reserve(n);
        if (n > size_) std::memset(data() + size_, 0, (n - size_) * sizeof(T));
        size_ = n;
    }

    // Room for n more elements, to be filled.
    T* extend(std::size_t n) {
        reserve(size_ + n);
        size_ += n;
        return data() + (size_ - n);
    }

    void push_back(T value) {
        reserve(size_ + 1);
        data()[size_++] = value;
    }

    void append(const T* values, std::size_t n) {
        reserve(size_ + n);
        if (n > 0) std::memcpy(data() + size_, values, n * sizeof(T));
        size_ += n;
    }

    void append(const Buffer& values) { append(values.data(), values.size()); }

    void reserve(std::size_t n) {
        constexpr std::size_t kLeast = 4096;
        if (n * sizeof(T) <= pages_.bytes()) return;
        const std::size_t grown = pages_.bytes() + pages_.bytes() / 2;
        pages_.resize(std::max({n * sizeof(T), grown, kLeast}));
    }

    // Makes room for n elements that are about to be filled once and read at random.
    void allocate(std::size_t n) {
        reserve(n);
        pages_.prefer_large_pages();
        size_ = n;
    }

private:
    Pages pages_;
    std::size_t size_ = 0;
};

}  // namespace silvan
