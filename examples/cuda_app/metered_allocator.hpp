#pragma once

#include <algorithm>
#include <cstddef>

#include <carbo/cuda.hpp>

/// Device memory for the selector, from where the application takes its own, with a meter.
class MeteredAllocator final : public carbo::cuda::Allocator {
 public:
  void* allocate(std::size_t bytes, cudaStream_t stream) override {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, bytes, stream) != cudaSuccess) {
      cudaGetLastError();  // the selector reports it; the next launch check must not
      return nullptr;
    }
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return memory;
  }

  void release(void* memory, std::size_t bytes, cudaStream_t stream) noexcept override {
    cudaFreeAsync(memory, stream);
    in_use_ -= bytes;
  }

  std::size_t peak_bytes() const { return peak_; }

 private:
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
};
