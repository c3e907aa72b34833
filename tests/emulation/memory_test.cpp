#include <cuda_runtime_api.h>

#include <map>
#include <string>

#include "emulator_control.h"
#include "support/cuda_workload.hpp"

// Where the CUDA backend's memory comes from, and what happens where there is too little.
namespace cuda_pair {
namespace {

using cuda_workload::expected;
using cuda_workload::run_all;
using cuda_workload::scene;

/// Counts what it gives out; gives no more than a number of blocks.
class CountingAllocator final : public carbo::DeviceAllocator {
 public:
  explicit CountingAllocator(std::size_t most) : most_(most) {}
  void* allocate(std::size_t bytes, void* stream) override {
    if (given_ == most_) return nullptr;
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, bytes, static_cast<cudaStream_t>(stream)) != cudaSuccess) return nullptr;
    ++given_;
    live_[memory] = bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes, void* stream) noexcept override {
    const auto found = live_.find(memory);
    if (found == live_.end() || found->second != bytes) {
      ++wrong_;
      return;
    }
    live_.erase(found);
    cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
  }
  std::size_t given() const { return given_; }
  std::size_t live() const { return live_.size(); }
  std::size_t wrong() const { return wrong_; }
  void set_most(std::size_t most) { most_ = most; }

 private:
  std::size_t most_;
  std::size_t given_ = 0;
  std::size_t wrong_ = 0;  ///< blocks given back that are not its own
  std::map<void*, std::size_t> live_;
};

TEST(CudaMemory, AnApplicationsAllocatorGivesAllOfIt) {
  expected();
  const auto allocator = std::make_shared<CountingAllocator>(100000);
  CudaOptions options;
  options.allocator = allocator;
  emulator_reset_counters();
  {
    const auto backend = cuda(options);
    EXPECT_EQ(run_all(*backend, scene()), expected());
    EXPECT_GT(allocator->given(), 0u);
    const std::size_t given = allocator->given();
    EXPECT_EQ(run_all(*backend, scene()), expected());
    EXPECT_EQ(allocator->given(), given) << "work that repeats allocates nothing";
  }
  EXPECT_EQ(emulator_counter("allocations"), allocator->given());
  EXPECT_EQ(allocator->live(), 0u);
  EXPECT_EQ(allocator->wrong(), 0u);
}

TEST(CudaMemory, AnAllocatorThatRefusesIsOutOfMemoryAndTheNextCallWorks) {
  const Scene small(5, 9, 2);
  const std::vector<double> results = run_all(*cuda(), small);
  for (std::size_t most = 0;; ++most) {
    const auto allocator = std::make_shared<CountingAllocator>(most);
    CudaOptions options;
    options.allocator = allocator;
    bool refused = false;
    try {
      const auto backend = cuda(options);
      try {
        EXPECT_EQ(run_all(*backend, small), results);
      } catch (const carbo::OutOfMemory&) {
        refused = true;
      }
      allocator->set_most(100000);
      EXPECT_EQ(run_all(*backend, small), results) << most;
    } catch (const carbo::OutOfMemory&) {
      refused = true;
    }
    EXPECT_EQ(allocator->live(), 0u) << most;
    EXPECT_EQ(allocator->wrong(), 0u) << most;
    if (!refused || testing::Test::HasFailure()) break;
  }
}

TEST(CudaMemory, WithoutPoolsItIsPlainMemory) {
  expected();
  emulator_set("EMULATOR_POOLS", "unsupported");
  {
    const auto backend = cuda();
    EXPECT_EQ(emulator_live("pools"), 0);
    EXPECT_EQ(run_all(*backend, scene()), expected());
  }
  emulator_set("EMULATOR_POOLS", nullptr);
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// The largest thing that work needs is refused before anything of it was launched.
TEST(CudaMemory, ABudgetThatIsTooSmallIsOutOfMemoryBeforeALaunch) {
  CudaOptions options;
  options.memory_bytes = 1000;
  EXPECT_THROW(cuda(options), carbo::OutOfMemory);
  options.memory_bytes = 8 * mebibyte;
  const auto backend = cuda(options);
  const std::vector<double> numbers(100000 * 6, 0.5);
  const auto small = backend->make_candidates(Rows(scene().candidates).view());
  emulator_reset_counters();
  EXPECT_THROW(backend->make_candidates(MatrixView{numbers.data(), 100000, 6}), carbo::OutOfMemory);
  EXPECT_THROW(backend->make_field(numbers, {}), carbo::OutOfMemory);
  EXPECT_THROW(backend->make_features({numbers.data(), 100000, 6}), carbo::OutOfMemory);
  const std::vector<double> targets(2000, 0.0);
  const GpParameters gp = [] {
    GpParameters p;
    p.inverse_lengthscales.assign(3, 1.0);
    p.noise_variance = 0.1;
    return p;
  }();
  EXPECT_THROW(backend->factor({numbers.data(), 2000, 3}, targets, {&gp, 1}), carbo::OutOfMemory);
  EXPECT_EQ(emulator_counter("launches"), 0u);
  EXPECT_EQ(emulator_counter("library calls"), 0u);
  EXPECT_LE(backend->context().memory()->peak(), options.memory_bytes);
  EXPECT_EQ(run_all(*backend, scene()), expected());
}

TEST(CudaMemory, TheBudgetBoundsThePeak) {
  expected();
  emulator_reset_counters();
  const unsigned long long before = emulator_device_bytes();
  CudaOptions options;
  options.memory_bytes = 8 * mebibyte;
  const auto backend = cuda(options);
  EXPECT_EQ(run_all(*backend, scene()), expected());
  EXPECT_LE(emulator_counter("peak device bytes") - before, options.memory_bytes);
  EXPECT_EQ(emulator_counter("peak device bytes") - before, backend->context().memory()->peak());
}

}  // namespace
}  // namespace cuda_pair
