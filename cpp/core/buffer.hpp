// A growing array that moves pages instead of copying them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace silvan {

// Grows by realloc, which remaps the pages of a large block where the system can: an array that grows to the
// size of the forest is never held twice, as it is while a std::vector grows or while vectors are joined.
template <typename T>
class Buffer {
public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    const T& back() const { return data_[size_ - 1]; }

    void push_back(const T& value) {
        reserve(size_ + 1);
        data_[size_++] = value;
    }

    void append(const std::vector<T>& values) {
        if (values.empty()) return;
        reserve(size_ + values.size());
        std::memcpy(data_ + size_, values.data(), values.size() * sizeof(T));
        size_ += values.size();
    }

    // Hands over the memory, to be freed by std::free.
    T* release() {
        size_ = capacity_ = 0;
        return std::exchange(data_, nullptr);
    }

    void reserve(std::size_t wanted) {
        if (wanted <= capacity_) return;
        const std::size_t grown = capacity_ + capacity_ / 4 + 16;
        const std::size_t capacity = wanted > grown ? wanted : grown;
        void* moved = std::realloc(data_, capacity * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = capacity;
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace silvan
