#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include <carbo/cuda.hpp>

#include "support/device_array.hpp"
#include "support/expect_refused.hpp"
#include "support/selector_oracle.hpp"
#include "support/selector_scene.hpp"

// Memory and streams that an application may bring along beside plain ones of the selector's device.
namespace carbo {
namespace {

using namespace test;
using Reason = InvalidArray::Reason;

/// Managed memory: the host's and the device's at once.
template <class T>
class ManagedArray {
 public:
  explicit ManagedArray(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&data_), size_ * sizeof(T), cudaMemAttachGlobal),
              cudaSuccess);
    std::copy(values.begin(), values.end(), data_);
  }
  ~ManagedArray() { cudaFree(data_); }
  ManagedArray(const ManagedArray&) = delete;
  ManagedArray& operator=(const ManagedArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// After all work of the device.
  std::vector<T> values() const {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return {data_, data_ + size_};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

TEST(CudaSelectorMemory, ManagedMemoryIsDeviceMemoryAndHostMemory) {
  const SelectorScene scene(70, 12);
  Selector plain = scene.ready(on_device());
  const std::vector<double> expected = dense_scores(plain);
  const Picked picked = suggest(plain, {.count = 3});

  const ManagedArray<double> pool(scene.flat_pool), points(scene.flat_tried), values(scene.objectives);
  const ManagedArray<double> scores(std::vector<double>(70));
  const ManagedArray<std::int64_t> rows(std::vector<std::int64_t>(3));
  Selector selector(on_device());
  selector.set_pool({cuda::device_rows(pool.data(), 70, 3)});
  selector.append({.points = cuda::device_rows(points.data(), 12, 3),
                   .objectives = host_values(values.data(), 12),
                   .costs = host_values(scene.costs.data(), 12)});
  selector.scores({}, cuda::device_room(scores.data(), 70));
  EXPECT_EQ(scores.values(), expected);
  selector.scores({}, host_room(scores.data(), 70));
  EXPECT_EQ(scores.values(), expected);
  EXPECT_EQ(selector.suggest({.count = 3}, {cuda::device_index_room(rows.data(), 3)}), 3u);
  EXPECT_EQ(rows.values(), picked.rows);
}

/// The pool is read where it lies: a result in the same memory would destroy it, whatever that memory is called.
TEST(CudaSelectorMemory, ResultsAreNotWrittenIntoAManagedPool) {
  const SelectorScene scene(50, 8);
  const ManagedArray<double> pool(scene.flat_pool);
  Selector selector(on_device());
  selector.set_pool({cuda::device_rows(pool.data(), 50, 3)});
  selector.append(scene.observations());
  const auto refused = [](const auto& call) { expect_refused(Reason::overlapping, {"overlaps the pool"}, call); };
  refused([&] { selector.scores({}, host_room(pool.data(), 50)); });
  refused([&] { selector.scores({}, cuda::device_room(pool.data() + 100, 50)); });
  auto* const rows = reinterpret_cast<std::int64_t*>(pool.data());
  refused([&] { selector.suggest({.count = 2}, {host_index_room(rows, 2)}); });
  refused([&] { selector.design({.count = 2}, {host_index_room(rows, 2)}); });
  EXPECT_EQ(pool.values(), scene.flat_pool);
}

/// Rows of a pool round the sizes that kernels work in, and the single one.
class CudaSelectorSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(CudaSelectorSizes, ScoresAreThePlainLoopsAndTheirBestIsPicked) {
  const SelectorScene scene(GetParam(), 9);
  const std::vector<double> expected =
      oracle::ei_cool(objective_gp(), scene.tried, scene.objectives, scene.pool,
                      oracle::log_costs(cost_gp(), scene.tried, scene.costs, scene.pool), 0.6);
  const DeviceArray<double> pool(scene.flat_pool);
  const DeviceArray<double> scores(GetParam());
  Selector selector(on_device());
  selector.set_pool({cuda::device_rows(pool.data(), GetParam(), 3)});
  selector.append(scene.observations());
  selector.scores({.alpha = 0.6}, cuda::device_room(scores.data(), GetParam()));
  expect_same_scores(scores.read(), expected);
  EXPECT_EQ(suggest(selector, {.alpha = 0.6}).rows.at(0), best_of(expected));
}

INSTANTIATE_TEST_SUITE_P(RoundTiles, CudaSelectorSizes,
                         testing::Values(1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257));

TEST(CudaSelectorStreams, TheStreamsDeviceIsTheSelectors) {
  if (device_count() < 2) GTEST_SKIP() << "two devices are needed";
  const SelectorScene scene(40, 8);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const DeviceStream on_one;
  const DeviceArray<double> pool(scene.flat_pool);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  Selector selector = cuda::make_selector(on_device(), {.stream = on_one.get()});
  EXPECT_NE(selector.backend_reason().find("device 1"), std::string::npos) << selector.backend_reason();
  selector.set_pool({cuda::device_rows(pool.data(), 40, 3)});
  selector.append(scene.observations());
  Selector cpu = scene.ready();
  expect_same_picks(suggest(selector, {.count = 2}), suggest(cpu, {.count = 2}));
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
}

TEST(CudaSelectorStreams, AStreamOfAnotherDeviceIsRefused) {
  if (device_count() < 2) GTEST_SKIP() << "two devices are needed";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const DeviceStream on_one;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  expect_error<InvalidOptions>([&] { cuda::make_selector(on_device(), {.device = 0, .stream = on_one.get()}); },
                               {"stream", "of device 1", "device 0 was asked for"});
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST(CudaSelectorStreams, TheDefaultStreamIsOfTheDeviceThatIsAskedFor) {
  if (device_count() < 2) GTEST_SKIP() << "two devices are needed";
  const SelectorScene scene(40, 8);
  Selector cpu = scene.ready();
  const Picked expected = suggest(cpu, {.count = 2});
  for (const cudaStream_t stream : {cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
    Selector selector = cuda::make_selector(on_device(), {.device = 1, .stream = stream});
    EXPECT_NE(selector.backend_reason().find("device 1"), std::string::npos) << selector.backend_reason();
    selector.set_pool({scene.rows()});
    selector.append(scene.observations());
    expect_same_picks(suggest(selector, {.count = 2}), expected);
  }
}

/// Gives addresses that a selector cannot work with, and counts what comes back.
class OddAllocator final : public cuda::Allocator {
 public:
  enum class Oddity { misaligned, on_host };
  explicit OddAllocator(Oddity oddity) : oddity_(oddity) {}
  void* allocate(std::size_t bytes, cudaStream_t) override {
    ++given;
    if (oddity_ == Oddity::on_host) return ::operator new (bytes, std::align_val_t{256});
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, bytes + 64), cudaSuccess);
    return static_cast<std::byte*>(memory) + 64;
  }
  void release(void* memory, std::size_t, cudaStream_t) noexcept override {
    ++returned;
    if (oddity_ == Oddity::on_host) return ::operator delete (memory, std::align_val_t{256});
    cudaFree(static_cast<std::byte*>(memory) - 64);
  }
  std::size_t given = 0, returned = 0;

 private:
  Oddity oddity_;
};

TEST(CudaSelectorMemory, WhatAnAllocatorGivesIsChecked) {
  using Oddity = OddAllocator::Oddity;
  for (const auto& [oddity, reason, part] : {std::tuple(Oddity::misaligned, Reason::misaligned, "256"),
                                             std::tuple(Oddity::on_host, Reason::not_device_memory, "device 0")}) {
    const auto allocator = std::make_shared<OddAllocator>(oddity);
    expect_refused(reason, {"application's allocator", part},
                   [&] { cuda::make_selector(on_device(), {.allocator = allocator}); });
    EXPECT_GT(allocator->given, 0u);
    EXPECT_EQ(allocator->returned, allocator->given);
  }
}

}  // namespace
}  // namespace carbo
