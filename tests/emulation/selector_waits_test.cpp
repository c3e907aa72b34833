#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include <carbo/cuda.hpp>

#include "emulator_control.hpp"
#include "support/device_array.hpp"
#include "support/selector_scene.hpp"

// What a selector owes the application round it: waits only where its documentation says so, the application's
// stream, allocator and current device.
namespace carbo {
namespace {

using namespace test;

const SelectorScene& scene() {
  static const SelectorScene the_scene(70, 12);
  return the_scene;
}

/// How often `call` waits for the device, or may do so.
template <class Call>
unsigned long long waits(const Call& call) {
  const unsigned long long before = emulator_counter("synchronisations");
  call();
  return emulator_counter("synchronisations") - before;
}

class CudaSelectorWaits : public testing::Test {
 protected:
  Selector ready() const {
    Selector selector = cuda::make_selector(on_device(), {.stream = stream_.get()});
    selector.set_pool({cuda::device_rows(pool_.data(), scene().pool.size(), 3)});
    selector.append(scene().observations());
    return selector;
  }
  MutableVectorRef device_scores() const { return cuda::device_room(scores_.data(), scores_.size()); }

  const DeviceStream stream_;
  const DeviceArray<double> pool_{scene().flat_pool};
  const DeviceArray<double> scores_{scene().pool.size()};
  const DeviceArray<std::int64_t> rows_{4};
};

TEST_F(CudaSelectorWaits, AppendingHostArraysDoesNotWait) {
  Selector selector = ready();
  EXPECT_EQ(waits([&] { selector.append(scene().observations(0, 5)); }), 0u);
  selector.fit();
  EXPECT_EQ(waits([&] { selector.append(scene().observations(5, 5)); }), 0u);
}

TEST_F(CudaSelectorWaits, WhatIsAppendedByRowWhileItRunsDoesNotWait) {
  Selector selector = ready();
  const Picked picked = suggest(selector, {.count = 2});
  const std::vector<double> values = {0.5, 1.5};
  EXPECT_EQ(waits([&] {
              selector.append({.rows = host_indices(picked.rows.data(), 2),
                               .objectives = host_values(values.data(), 2),
                               .costs = host_values(values.data(), 2)});
            }),
            0u);
}

/// Their points are read from the pool.
TEST_F(CudaSelectorWaits, WhatIsAppendedByRowUnsuggestedWaitsOnce) {
  Selector selector = ready();
  const std::int64_t rows[] = {5, 9};
  const double values[] = {0.5, 1.5};
  EXPECT_EQ(
      waits([&] {
        selector.append(
            {.rows = host_indices(rows, 2), .objectives = host_values(values, 2), .costs = host_values(values, 2)});
      }),
      1u);
}

TEST_F(CudaSelectorWaits, ScoresInDeviceMemoryDoNotWaitWhereNothingIsNewOrRunning) {
  Selector selector = ready();
  selector.fit();
  const DeviceArray<float> singles(scores_.size());
  EXPECT_EQ(waits([&] { selector.scores({.alpha = 0.5}, device_scores()); }), 0u);
  EXPECT_EQ(waits([&] { selector.scores({}, cuda::device_room(singles.data(), singles.size())); }), 0u);
  OwnedVector owned;
  EXPECT_EQ(waits([&] { owned = selector.scores({}); }), 0u);
  EXPECT_GT(waits([&] { dense_scores(selector); }), 0u);
}

/// Costs that were given with the pool are on the device since then, more of them than pass at once, too.
TEST_F(CudaSelectorWaits, ScoresWithKnownCostsDoNotWait) {
  const SelectorScene large(140000, 4);
  const DeviceArray<double> pool(large.flat_pool), scores(large.pool.size());
  Selector selector = cuda::make_selector(on_device(), {.stream = stream_.get()});
  selector.set_pool({cuda::device_rows(pool.data(), large.pool.size(), 3),
                     host_values(large.pool_costs.data(), large.pool_costs.size())});
  selector.append(large.observations());
  selector.fit();
  EXPECT_EQ(waits([&] { selector.scores({}, cuda::device_room(scores.data(), scores.size())); }), 0u);
}

/// What was enqueued reads the last pool, which the application may free as soon as there is another.
TEST_F(CudaSelectorWaits, AnotherPoolWaitsForTheUsersOfTheLast) {
  const emulator::Setting lazy("EMULATOR_STREAMS", "lazy");
  Selector selector = ready();
  selector.fit();
  const std::vector<double> expected = [&] {
    selector.scores({}, device_scores());
    return scores_.read();
  }();
  const DeviceArray<double> passing(scene().flat_pool);
  selector.set_pool({cuda::device_rows(passing.data(), scene().pool.size(), 3)});
  selector.scores({}, device_scores());
  EXPECT_GT(waits([&] { selector.set_pool({scene().rows()}); }), 0u);
  EXPECT_EQ(cudaMemset(passing.data(), 0, passing.size() * sizeof(double)), cudaSuccess);
  EXPECT_EQ(scores_.read(), expected);
}

TEST_F(CudaSelectorWaits, DeviceArraysAreWaitedFor) {
  Selector selector = ready();
  const Picked picked = suggest(selector, {.count = 2});
  const DeviceArray<std::int64_t> rows(picked.rows);
  EXPECT_GT(waits([&] { selector.withdraw(cuda::device_indices(rows.data(), 2)); }), 0u);
  const DeviceArray<double> values(std::vector<double>{0.5, 1.5});
  EXPECT_GT(waits([&] {
              selector.append({.rows = host_indices(picked.rows.data(), 2),
                               .objectives = cuda::device_values(values.data(), 2),
                               .costs = cuda::device_values(values.data(), 2)});
            }),
            0u);
}

TEST_F(CudaSelectorWaits, ScoresWaitForModelsThatAreReadBack) {
  SelectorOptions batched = on_device(), posterior_mean = on_device();
  batched.fantasies.mode = FantasyMode::batched;
  posterior_mean.incumbent = Incumbent::posterior_mean;
  for (const SelectorOptions& options : {batched, posterior_mean}) {
    Selector selector = scene().ready(options);
    selector.fit();
    EXPECT_GT(waits([&] { selector.scores({}, device_scores()); }), 0u);
  }
}

TEST_F(CudaSelectorWaits, WithdrawingHostRowsDoesNotWait) {
  Selector selector = ready();
  const Picked picked = suggest(selector, {.count = 3});
  EXPECT_EQ(waits([&] { selector.withdraw(host_indices(picked.rows.data(), 3)); }), 0u);
  EXPECT_EQ(selector.running(), 0u);
}

/// What is written to device memory adds no wait to those of the search.
TEST_F(CudaSelectorWaits, PicksInDeviceMemoryAreNotWaitedFor) {
  Selector selector = ready();
  selector.fit();
  std::vector<std::int64_t> host(1);
  const auto one_pick = [&](const PickOutput& output) {
    const auto count = waits([&] { EXPECT_EQ(selector.suggest({}, output), 1u); });
    selector.withdraw(host_indices(host.data(), 1));
    return count;
  };
  const auto in_host = one_pick({host_index_room(host.data(), 1)});  // the same row each time
  EXPECT_EQ(one_pick({cuda::device_index_room(rows_.data(), 1)}), in_host);
  EXPECT_EQ(rows_.read()[0], host[0]);
}

TEST_F(CudaSelectorWaits, TheLegacyStreamIsNeverUsed) {
  emulator_reset_counters();
  Selector selector = ready();
  selector.fit();
  suggest(selector, {.count = 2});
  selector.design({.count = 2}, {cuda::device_index_room(rows_.data(), 2)});
  selector.append({.rows = cuda::device_indices(rows_.data(), 1),
                   .objectives = cuda::device_values(pool_.data(), 1),
                   .costs = cuda::device_values(pool_.data() + 1, 1)});
  selector.scores({}, device_scores());
  selector.withdraw(cuda::device_indices(rows_.data() + 1, 1));
  EXPECT_GT(emulator_counter("launches"), 0u);
  EXPECT_EQ(emulator_counter("default stream operations"), 0u);
}

/// Streams that do nothing until something waits: the application fills the pool before, takes the scores away after
/// and then writes over them, all in its stream, and waits once.
TEST_F(CudaSelectorWaits, WorkIsInTheOrderOfTheApplicationsStream) {
  Selector untouched = ready();
  const std::vector<double> expected = dense_scores(untouched);
  const PinnedArray<double> filled(scene().flat_pool), taken(std::vector<double>(expected.size(), not_a_number));
  const DeviceArray<double> pool(scene().flat_pool.size());
  const emulator::Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const auto copy = [&](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    ASSERT_EQ(cudaMemcpyAsync(to, from, bytes, kind, stream_.get()), cudaSuccess);
  };
  Selector selector = cuda::make_selector(on_device(), {.stream = stream_.get()});
  copy(pool.data(), filled.data(), filled.bytes(), cudaMemcpyHostToDevice);
  selector.set_pool({cuda::device_rows(pool.data(), scene().pool.size(), 3)});
  selector.append(scene().observations());
  selector.fit();
  EXPECT_EQ(emulator_pending_operations(), 0u);
  selector.scores({}, device_scores());
  EXPECT_GT(emulator_pending_operations(), 0u);
  copy(taken.data(), scores_.data(), taken.bytes(), cudaMemcpyDeviceToHost);
  ASSERT_EQ(cudaMemsetAsync(scores_.data(), 0, taken.bytes(), stream_.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_.get()), cudaSuccess);
  EXPECT_EQ(taken.values(), expected);
}

/// The rows of a suggestion are there for a copy that follows in the stream, and for an append by the same rows.
TEST_F(CudaSelectorWaits, PicksAreThereForWhatFollowsInTheStream) {
  Selector untouched = ready();
  const std::vector<std::int64_t> expected = suggest(untouched, {.count = 4}).rows;
  const emulator::Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const PinnedArray<std::int64_t> taken(std::vector<std::int64_t>(4, -1));
  Selector selector = ready();
  ASSERT_EQ(selector.suggest({.count = 4}, {cuda::device_index_room(rows_.data(), 4)}), 4u);
  ASSERT_EQ(cudaMemcpyAsync(taken.data(), rows_.data(), taken.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
            cudaSuccess);
  selector.append({.rows = cuda::device_indices(rows_.data(), 4),
                   .objectives = cuda::device_values(pool_.data(), 4),
                   .costs = cuda::device_values(pool_.data() + 4, 4)});
  EXPECT_EQ(taken.values(), expected);
  EXPECT_EQ(selector.running(), 0u);
}

/// Notes what it gives out, and in which stream.
class NotingAllocator final : public cuda::Allocator {
 public:
  void* allocate(std::size_t bytes, cudaStream_t stream) override {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, bytes, stream) != cudaSuccess) return nullptr;
    ++given;
    live[memory] = {bytes, stream};
    return memory;
  }
  void release(void* memory, std::size_t bytes, cudaStream_t stream) noexcept override {
    const auto found = live.find(memory);
    if (found == live.end() || found->second != std::pair(bytes, stream)) {
      ++wrong;
      return;
    }
    live.erase(found);
    cudaFreeAsync(memory, stream);
  }

  std::map<void*, std::pair<std::size_t, cudaStream_t>> live;
  std::size_t given = 0, wrong = 0;
};

TEST_F(CudaSelectorWaits, TheApplicationsAllocatorGivesAllDeviceMemory) {
  const auto allocator = std::make_shared<NotingAllocator>();
  Selector other = ready();
  const Picked expected = suggest(other, {.count = 3});
  const unsigned long long before = emulator_device_bytes();
  emulator_reset_counters();
  {
    Selector selector = cuda::make_selector(on_device(), {.stream = stream_.get(), .allocator = allocator});
    selector.set_pool({cuda::device_rows(pool_.data(), scene().pool.size(), 3)});
    selector.append(scene().observations());
    selector.fit();
    expect_same_picks(suggest(selector, {.count = 3}), expected, 0);
    selector.scores({}, device_scores());
    selector.design({.count = 1}, {cuda::device_index_room(rows_.data(), 1)});
    EXPECT_GT(allocator->given, 0u);
    for (const auto& [memory, how] : allocator->live) EXPECT_EQ(how.second, stream_.get());
  }
  EXPECT_EQ(emulator_counter("allocations"), allocator->given);
  EXPECT_TRUE(allocator->live.empty());
  EXPECT_EQ(allocator->wrong, 0u);
  EXPECT_EQ(emulator_device_bytes(), before);
}

/// Every call leaves the thread's current device as it was, and works while another one is current.
TEST_F(CudaSelectorWaits, TheCurrentDeviceStaysTheApplications) {
  Selector reference = ready();
  const Picked expected = suggest(reference, {.count = 2});
  std::optional<Selector> selector;
  const auto on_the_other = [&](const auto& call) {
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    call();
    int current = -1;
    ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
    EXPECT_EQ(current, 1);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  };
  on_the_other([&] { selector = cuda::make_selector(on_device(), {.device = 0, .stream = stream_.get()}); });
  on_the_other([&] { selector->set_pool({cuda::device_rows(pool_.data(), scene().pool.size(), 3)}); });
  on_the_other([&] { selector->append(scene().observations()); });
  on_the_other([&] { selector->fit(); });
  on_the_other([&] { selector->scores({}, device_scores()); });
  on_the_other([&] { expect_same_picks(suggest(*selector, {.count = 2}), expected, 0); });
  on_the_other([&] { selector->design({}, {cuda::device_index_room(rows_.data(), 1)}); });
  on_the_other([&] { selector->withdraw(cuda::device_indices(rows_.data(), 1)); });
  OwnedVector owned;
  on_the_other([&] { owned = selector->scores({}); });
  on_the_other([&] { selector.reset(); });
  on_the_other([&] { owned = {}; });
}

}  // namespace
}  // namespace carbo
