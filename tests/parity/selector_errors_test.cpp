#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include <carbo/cuda.hpp>

#include "support/device_array.hpp"
#include "support/expect_refused.hpp"
#include "support/selector_scene.hpp"

// Device arrays that a selector cannot work with: a typed error, and everything as it was.
namespace carbo {
namespace {

using namespace test;
using Reason = InvalidArray::Reason;

const SelectorScene& error_scene() {
  static const SelectorScene the_scene(50, 8);
  return the_scene;
}

/// A selector with a pool in device memory and observations, which every test leaves as if nothing had happened.
class CudaSelectorErrors : public testing::Test {
 protected:
  CudaSelectorErrors() {
    selector_.set_pool({pool_rows()});
    selector_.append(error_scene().observations());
  }
  ~CudaSelectorErrors() override {
    EXPECT_EQ(selector_.pool_size(), 50u);
    EXPECT_EQ(selector_.available(), 50u);
    EXPECT_EQ(selector_.running(), 0u);
    EXPECT_EQ(selector_.observations(), 8u);
    Selector untouched = error_scene().ready();
    expect_same_picks(suggest(selector_, {.count = 2}), suggest(untouched, {.count = 2}));
  }

  MatrixRef pool_rows() const { return cuda::device_rows(pool_.data(), 50, 3); }
  /// One observation by row, of which a part may be exchanged.
  Observations one() const {
    return {.rows = cuda::device_indices(rows_.data(), 1),
            .objectives = cuda::device_values(values_.data(), 1),
            .costs = cuda::device_values(values_.data() + 1, 1)};
  }

  void pool_refused(Reason reason, const std::vector<std::string>& parts, const SelectorPool& pool) {
    expect_refused(reason, parts, [&] { selector_.set_pool(pool); });
  }
  void append_refused(Reason reason, const std::vector<std::string>& parts, const Observations& observations) {
    expect_refused(reason, parts, [&] { selector_.append(observations); });
  }
  void suggest_refused(Reason reason, const std::vector<std::string>& parts, const PickOutput& output) {
    expect_refused(reason, parts, [&] { selector_.suggest({.count = 2}, output); });
  }
  void scores_refused(Reason reason, const std::vector<std::string>& parts, const MutableVectorRef& output) {
    expect_refused(reason, parts, [&] { selector_.scores({}, output); });
  }

  const DeviceArray<double> pool_{error_scene().flat_pool};
  const DeviceArray<double> values_{std::vector<double>(50, 0.5)};
  const DeviceArray<std::int64_t> rows_{std::vector<std::int64_t>(50, 3)};
  Selector selector_ = cuda::make_selector(SelectorScene::options());
};

template <class T>
T* shifted(T* address, std::size_t bytes = 1) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + bytes);
}

TEST_F(CudaSelectorErrors, NullPointers) {
  double* const none = nullptr;
  pool_refused(Reason::null_pointer, {"pool.rows"}, {cuda::device_rows(none, 50, 3)});
  pool_refused(Reason::null_pointer, {"pool.costs"}, {pool_rows(), cuda::device_values(none, 50)});
  Observations observations = one();
  observations.rows.data = nullptr;
  append_refused(Reason::null_pointer, {"rows"}, observations);
  observations = one();
  observations.objectives.data = nullptr;
  append_refused(Reason::null_pointer, {"observations.objectives"}, observations);
  observations = one();
  observations.costs.data = nullptr;
  append_refused(Reason::null_pointer, {"observations.costs"}, observations);
  suggest_refused(Reason::null_pointer, {"output.rows"}, {cuda::device_index_room(nullptr, 2)});
  suggest_refused(Reason::null_pointer, {"output.scores"},
                  {cuda::device_index_room(rows_.data(), 2), cuda::device_room(none, 2)});
  scores_refused(Reason::null_pointer, {"output"}, cuda::device_room(none, 50));
}

TEST_F(CudaSelectorErrors, HostPointersWhereDeviceOnesBelong) {
  std::vector<double> values(50, 0.5);
  std::vector<std::int64_t> rows(50);
  const PinnedArray<double> pinned(error_scene().flat_pool);
  const std::vector<std::string> parts = {"not in device memory", "device 0", "host memory"};
  const auto named = [&](const std::string& name) {
    std::vector<std::string> all = parts;
    all.push_back(name);
    return all;
  };
  pool_refused(Reason::not_device_memory, named("pool.rows"),
               {cuda::device_rows(error_scene().flat_pool.data(), 50, 3)});
  pool_refused(Reason::not_device_memory, named("pool.rows"), {cuda::device_rows(pinned.data(), 50, 3)});
  pool_refused(Reason::not_device_memory, named("pool.costs"), {pool_rows(), cuda::device_values(values.data(), 50)});
  Observations observations = one();
  observations.objectives = cuda::device_values(values.data(), 1);
  append_refused(Reason::not_device_memory, named("observations.objectives"), observations);
  observations = one();
  observations.rows = cuda::device_indices(rows.data(), 1);
  append_refused(Reason::not_device_memory, named("rows"), observations);
  suggest_refused(Reason::not_device_memory, named("output.rows"), {cuda::device_index_room(rows.data(), 2)});
  scores_refused(Reason::not_device_memory, named("output"), cuda::device_room(values.data(), 50));
}

TEST_F(CudaSelectorErrors, DevicePointersWhereHostOnesBelong) {
  const std::vector<std::string> parts = {"device memory", "given as host memory"};
  pool_refused(Reason::not_host_memory, parts, {host_rows(pool_.data(), 50, 3)});
  Observations observations = one();
  observations.rows = host_indices(rows_.data(), 1);
  append_refused(Reason::not_host_memory, parts, observations);
  suggest_refused(Reason::not_host_memory, parts, {host_index_room(rows_.data(), 2)});
  scores_refused(Reason::not_host_memory, parts, host_room(values_.data(), 50));
}

/// As far as a runtime can tell: the last element lies in no array. One that ends in another array goes unnoticed.
TEST_F(CudaSelectorErrors, ArraysThatAreShorterThanTheySay) {
  pool_refused(Reason::not_device_memory, {"pool.rows", "last element"}, {cuda::device_rows(pool_.data(), 52, 3)});
  pool_refused(Reason::not_device_memory, {"pool.rows", "last element"}, {cuda::device_rows(pool_.data(), 50, 3, 4)});
  const DeviceArray<double> few(10);
  scores_refused(Reason::not_device_memory, {"output", "last element"}, cuda::device_room(few.data(), 50));
}

TEST_F(CudaSelectorErrors, MemoryOfAnotherDevice) {
  if (device_count() < 2) GTEST_SKIP() << "two devices are needed";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  {
    const DeviceArray<double> pool(error_scene().flat_pool);
    const DeviceArray<std::int64_t> rows(2);
    const std::vector<std::string> parts = {"lies on device 1", "runs on device 0", "copy it"};
    pool_refused(Reason::other_device, parts, {cuda::device_rows(pool.data(), 50, 3)});
    suggest_refused(Reason::other_device, parts, {cuda::device_index_room(rows.data(), 2)});
    scores_refused(Reason::other_device, parts, cuda::device_room(pool.data(), 50));
    Observations observations = one();
    observations.objectives = cuda::device_values(pool.data(), 1);
    append_refused(Reason::other_device, parts, observations);
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(CudaSelectorErrors, MisalignedAddresses) {
  const DeviceArray<float> single(std::vector<float>(151, 0.5f));
  pool_refused(Reason::misaligned, {"pool.rows", "multiple of 8"},
               {cuda::device_rows(shifted(pool_.data(), 4), 49, 3)});
  pool_refused(Reason::misaligned, {"pool.rows", "multiple of 4"},
               {cuda::device_rows(shifted(single.data(), 2), 50, 3)});
  suggest_refused(Reason::misaligned, {"output.rows", "multiple of 8"},
                  {cuda::device_index_room(shifted(rows_.data(), 4), 2)});
  scores_refused(Reason::misaligned, {"output", "multiple of 8"}, cuda::device_room(shifted(pool_.data()), 50));
}

TEST_F(CudaSelectorErrors, OutputsThatOverlapEachOtherOrThePool) {
  auto* const inside_rows = reinterpret_cast<double*>(rows_.data() + 1);
  auto* const inside_pool = reinterpret_cast<std::int64_t*>(pool_.data() + 149);
  suggest_refused(Reason::overlapping, {"output.scores", "output.rows"},
                  {cuda::device_index_room(rows_.data(), 2), cuda::device_room(inside_rows, 2)});
  suggest_refused(Reason::overlapping, {"output.rows", "pool"}, {cuda::device_index_room(inside_pool - 1, 2)});
  suggest_refused(Reason::overlapping, {"output.scores", "pool"},
                  {cuda::device_index_room(rows_.data(), 2), cuda::device_room(pool_.data(), 2)});
  scores_refused(Reason::overlapping, {"output", "pool"}, cuda::device_room(pool_.data() + 60, 50));
}

TEST_F(CudaSelectorErrors, ShapesThatDoNotFit) {
  pool_refused(Reason::leading_dimension, {"pool.rows", "leading dimension is 2"},
               {cuda::device_rows(pool_.data(), 50, 3, 2)});
  pool_refused(Reason::leading_dimension, {"pool.rows", "leading dimension is 49"},
               {cuda::device_columns(pool_.data(), 50, 3, 49)});
  pool_refused(Reason::shape, {"pool.rows", "no rows"}, {cuda::device_rows(pool_.data(), 0, 3)});
  pool_refused(Reason::shape, {"pool.rows", "2 columns"}, {cuda::device_rows(pool_.data(), 75, 2)});
  suggest_refused(Reason::shape, {"output.rows", "room for 1"}, {cuda::device_index_room(rows_.data(), 1)});
  scores_refused(Reason::shape, {"output", "room for 49"}, cuda::device_room(values_.data(), 49));
  expect_error<InvalidOptions>([&] { selector_.suggest({.count = 51}, {cuda::device_index_room(rows_.data(), 51)}); },
                               {"count is 51", "50"});
}

TEST_F(CudaSelectorErrors, ValuesThatCannotBeUsed) {
  const auto refused = [&](double value, Reason reason, const std::string& what) {
    std::vector<double> pool = error_scene().flat_pool;
    pool[3 * 7 + 1] = value;
    const DeviceArray<double> rows(pool);
    pool_refused(reason, {"pool.rows", "row 7, column 1", what}, {cuda::device_rows(rows.data(), 50, 3)});
    const DeviceArray<float> single(std::vector<float>(pool.begin(), pool.end()));
    pool_refused(reason, {"pool.rows", "row 7, column 1", what}, {cuda::device_rows(single.data(), 50, 3)});
    Observations observations = error_scene().observations();
    observations.points = cuda::device_rows(rows.data(), 8, 3);
    append_refused(reason, {"observations.points", "row 7, column 1", what}, observations);
  };
  refused(not_a_number, Reason::not_finite, "finite");
  refused(-infinity, Reason::not_finite, "finite");
  refused(1.5, Reason::out_of_range, "[0, 1]");
  refused(-0.25, Reason::out_of_range, "[0, 1]");
  std::vector<double> costs = error_scene().pool_costs;
  costs[9] = 0;
  const DeviceArray<double> device_costs(costs);
  pool_refused(Reason::out_of_range, {"pool.costs", "row 9", "above 0"},
               {pool_rows(), cuda::device_values(device_costs.data(), 50)});
}

TEST_F(CudaSelectorErrors, ObservationsThatCannotBeLearnedFrom) {
  const DeviceArray<double> bad(std::vector<double>{not_a_number, -1.0});
  Observations observations = one();
  observations.objectives = cuda::device_values(bad.data(), 1);
  expect_error<InvalidObservation>([&] { selector_.append(observations); }, {"observations.objectives", "value 0"});
  observations = one();
  observations.costs = cuda::device_values(bad.data() + 1, 1);
  expect_error<InvalidObservation>([&] { selector_.append(observations); }, {"observations.costs", "value 0"});
  const DeviceArray<std::int64_t> strangers(std::vector<std::int64_t>{50, -1});
  for (const std::size_t i : {0u, 1u}) {
    observations = one();
    observations.rows = cuda::device_indices(strangers.data() + i, 1);
    append_refused(Reason::out_of_range, {"rows", i == 0 ? "is 50" : "is -1", "50 rows"}, observations);
    expect_refused(Reason::out_of_range, {"rows", "50 rows"},
                   [&] { selector_.withdraw(cuda::device_indices(strangers.data() + i, 1)); });
  }
  expect_error<UnknownSuggestion>([&] { selector_.withdraw(cuda::device_indices(rows_.data(), 1)); }, {"row 3"});
}

/// Waits inside an allocation, once, until it is let go.
class BlockingAllocator final : public cuda::Allocator {
 public:
  void* allocate(std::size_t bytes, cudaStream_t stream) override {
    if (std::exchange(blocks, false)) {
      entered.set_value();
      let_go.get_future().wait();
    }
    void* memory = nullptr;
    return cudaMallocAsync(&memory, bytes, stream) == cudaSuccess ? memory : nullptr;
  }
  void release(void* memory, std::size_t, cudaStream_t stream) noexcept override { cudaFreeAsync(memory, stream); }

  bool blocks = false;
  std::promise<void> entered, let_go;
};

TEST_F(CudaSelectorErrors, ACallWhileAnotherRuns) {
  const auto allocator = std::make_shared<BlockingAllocator>();
  Selector selector = cuda::make_selector(SelectorScene::options(), {.allocator = allocator});
  selector.append(error_scene().observations());
  allocator->blocks = true;
  std::thread other([&] { selector.set_pool({pool_rows()}); });
  ASSERT_EQ(allocator->entered.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  const std::vector<std::string> parts = {"has not returned", "one thread at a time"};
  expect_error<ConcurrentCall>([&] { selector.append(error_scene().observations()); }, parts);
  expect_error<ConcurrentCall>([&] { selector.fit(); }, parts);
  expect_error<ConcurrentCall>([&] { (void)selector.available(); }, parts);
  allocator->let_go.set_value();
  other.join();
  EXPECT_EQ(selector.observations(), 8u);
  Selector untouched = error_scene().ready();
  expect_same_picks(suggest(selector, {.count = 2}), suggest(untouched, {.count = 2}));
}

}  // namespace
}  // namespace carbo
