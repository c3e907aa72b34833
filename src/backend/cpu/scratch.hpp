#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "support/room.hpp"

namespace carbo::internal {

/// 64-byte aligned doubles that only grow; contents do not survive growth and are never initialised.
class Scratch {
 public:
  std::size_t capacity() const { return capacity_; }
  double* data() const { return data_.get(); }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    data_.reset();
    capacity_ = 0;
    data_.reset(static_cast<double*>(::operator new(count * sizeof(double), alignment)));
    capacity_ = count;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* data) const { ::operator delete(data, alignment); }
  };
  std::unique_ptr<double[], Free> data_;
  std::size_t capacity_ = 0;
};

/// Buffers lent to tasks and taken back, so that loops over panels and repeated fits do not allocate. Thread-safe.
class ScratchPool {
 public:
  class Lease {
   public:
    /// Where growing fails the buffer is given back, for the first constructor has ended then.
    Lease(ScratchPool& pool, std::size_t count) : Lease(pool, pool.take(count)) { scratch_->reserve(count); }
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    double* data() const { return scratch_->data(); }

   private:
    Lease(ScratchPool& pool, std::unique_ptr<Scratch> scratch) noexcept : pool_(pool), scratch_(std::move(scratch)) {}

    ScratchPool& pool_;
    std::unique_ptr<Scratch> scratch_;
  };

  /// Frees all idle buffers.
  void clear() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }

  /// The smallest idle buffer that holds `count` doubles; else the largest one, grown; else a new one.
  Lease borrow(std::size_t count) { return {*this, count}; }

 private:
  std::unique_ptr<Scratch> take(std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      make_room(idle_, buffers_ + 1);  // giving back cannot fail
      auto fresh = std::make_unique<Scratch>();
      ++buffers_;
      return fresh;
    }
    const auto by_capacity = [](const auto& a, const auto& b) { return a->capacity() < b->capacity(); };
    std::sort(idle_.begin(), idle_.end(), by_capacity);
    auto chosen = std::find_if(idle_.begin(), idle_.end(), [&](const auto& s) { return s->capacity() >= count; });
    if (chosen == idle_.end()) --chosen;
    std::unique_ptr<Scratch> scratch = std::move(*chosen);
    idle_.erase(chosen);
    return scratch;
  }

  void give_back(std::unique_ptr<Scratch> scratch) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
  }

  std::mutex mutex_;
  std::size_t buffers_ = 0;  ///< idle and lent
  std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace carbo::internal
