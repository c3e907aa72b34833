#include <cuda_runtime_api.h>

#include <functional>
#include <limits>
#include <thread>
#include <utility>

#include "c/device_scene.hpp"

// The C face on the device: its arrays in device memory, the application's stream and allocator, and what is refused.
namespace c_scene {
namespace {

carbo_vector on_device(const DeviceArray<double>& values, std::int64_t size) {
  return carbo_vector_of(values.data(), CARBO_FLOAT64, CARBO_DEVICE, size);
}

TEST(CudaCFace, DeviceArraysGiveTheRowsOfHostArrays) {
  Scene on_host(device_options(), 12);
  EXPECT_EQ(on_host.info().on_device, 1);
  const std::vector<std::int64_t> expected = on_host.suggest(4, 0.5);
  DeviceScene scene;
  const carbo_pick_request request = picks(4, 0.5);
  const DeviceArray<std::int64_t> rows(4);
  const DeviceArray<double> scores(4);
  const carbo_index_room row_room = carbo_index_room_of(rows.data(), CARBO_DEVICE, 4);
  const carbo_vector_room score_room = carbo_vector_room_of(scores.data(), CARBO_FLOAT64, CARBO_DEVICE, 4);
  std::int64_t written = 0;
  ASSERT_EQ(carbo_selector_suggest(scene.selector, &request, &row_room, &score_room, &written), CARBO_OK)
      << thread_message();
  EXPECT_EQ(written, 4);
  EXPECT_EQ(rows.read(), expected);

  const DeviceArray<double> objectives(std::vector<double>{0.1, 0.2, 0.3}), costs(std::vector<double>{1, 2, 3});
  const carbo_indices evaluated = carbo_indices_of(rows.data(), CARBO_DEVICE, 3);
  const carbo_indices left = carbo_indices_of(rows.data() + 3, CARBO_DEVICE, 1);
  const carbo_vector values = on_device(objectives, 3), prices = on_device(costs, 3);
  ASSERT_EQ(carbo_selector_append_rows(scene.selector, &evaluated, &values, &prices), CARBO_OK) << thread_message();
  ASSERT_EQ(carbo_selector_withdraw(scene.selector, &left), CARBO_OK) << thread_message();
  EXPECT_EQ(scene.info().observations, 15);
  EXPECT_EQ(scene.info().running, 0);
}

TEST(CudaCFace, HostPointersAreNotDeviceMemory) {
  DeviceScene scene;
  std::vector<double> values(60, 0.5);
  std::vector<std::int64_t> rows(60);
  scene.expect_pool_refused(CARBO_NOT_DEVICE_MEMORY, "device memory",
                            [&](carbo_matrix& pool) { pool.data = scene.problem.pool.data(); });
  carbo_vector objectives = host(values), costs = host(values);
  const carbo_indices which = host(rows);
  objectives.memory = CARBO_DEVICE;
  expect_failure(carbo_selector_append_rows(scene.selector, &which, &objectives, &costs), CARBO_NOT_DEVICE_MEMORY,
                 {"objectives"});
  const carbo_pick_request request = picks(2);
  carbo_index_room row_room = room(rows);
  carbo_vector_room score_room = room(values);
  carbo_indices running = host(rows);
  row_room.memory = score_room.memory = running.memory = CARBO_DEVICE;
  std::int64_t written = 0;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &row_room, nullptr, &written),
                 CARBO_NOT_DEVICE_MEMORY);
  expect_failure(carbo_selector_design(scene.selector, &request, &row_room, &written), CARBO_NOT_DEVICE_MEMORY);
  expect_failure(carbo_selector_scores(scene.selector, &request, &score_room), CARBO_NOT_DEVICE_MEMORY);
  expect_failure(carbo_selector_withdraw(scene.selector, &running), CARBO_NOT_DEVICE_MEMORY);
}

TEST(CudaCFace, DevicePointersAreNotHostMemory) {
  DeviceScene scene;
  scene.expect_pool_refused(CARBO_NOT_HOST_MEMORY, "device memory",
                            [](carbo_matrix& pool) { pool.memory = CARBO_HOST; });
  const DeviceArray<std::int64_t> rows(2);
  const carbo_pick_request request = picks(2);
  const carbo_index_room output = carbo_index_room_of(rows.data(), CARBO_HOST, 2);
  std::int64_t written = 0;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written), CARBO_NOT_HOST_MEMORY);
}

TEST(CudaCFace, PointersOfAnotherDeviceAreRefused) {
  if (carbo::test::device_count() < 2) GTEST_SKIP() << "two devices are needed";
  DeviceScene scene;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  {
    const DeviceArray<double> elsewhere(scene.problem.pool);
    const DeviceArray<std::int64_t> rows_elsewhere(2);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    scene.expect_pool_refused(CARBO_OTHER_DEVICE, "device 1",
                              [&](carbo_matrix& pool) { pool.data = elsewhere.data(); });
    const carbo_pick_request request = picks(2);
    const carbo_index_room rows = carbo_index_room_of(rows_elsewhere.data(), CARBO_DEVICE, 2);
    std::int64_t written = 0;
    expect_failure(carbo_selector_suggest(scene.selector, &request, &rows, nullptr, &written), CARBO_OTHER_DEVICE);
  }
  EXPECT_EQ(scene.info().running, 0);
}

TEST(CudaCFace, UnusableDeviceArraysAreRefused) {
  DeviceScene scene;
  const auto refused = [&](carbo_status status, const auto& change) {
    scene.expect_pool_refused(status, "", change);
  };
  refused(CARBO_NULL_POINTER, [](carbo_matrix& pool) { pool.data = nullptr; });
  refused(CARBO_MISALIGNED, [](carbo_matrix& pool) { pool.data = static_cast<const char*>(pool.data) + 4; });
  refused(CARBO_LEADING_DIMENSION, [](carbo_matrix& pool) { pool.leading_dimension = 2; });
  refused(CARBO_SHAPE, [](carbo_matrix& pool) { pool.rows = 0; });
  refused(CARBO_SHAPE, [](carbo_matrix& pool) { pool.columns = 2; });
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Problem bad;
    bad.pool[100] = wrong;
    const DeviceArray<double> memory(bad.pool);
    scene.expect_pool_refused(CARBO_NOT_FINITE, "row 33, column 1",
                              [&](carbo_matrix& pool) { pool.data = memory.data(); });
    const DeviceArray<double> pair(std::vector<double>{1, wrong});
    const std::vector<std::int64_t> rows = {20, 21};
    const std::vector<double> right = {1, 2};
    const carbo_indices which = host(rows);
    const carbo_vector values = on_device(pair, 2), others = host(right);
    expect_failure(carbo_selector_append_rows(scene.selector, &which, &values, &others), CARBO_INVALID_OBSERVATION);
    expect_failure(carbo_selector_append_rows(scene.selector, &which, &others, &values), CARBO_INVALID_OBSERVATION);
  }
  EXPECT_EQ(scene.info().observations, 12);
  EXPECT_EQ(scene.info().pool_size, 60);
}

TEST(CudaCFace, OutputsThatOverlapThePoolAreRefused) {
  DeviceScene scene;
  const carbo_pick_request request = picks(2);
  const carbo_index_room rows =
      carbo_index_room_of(reinterpret_cast<std::int64_t*>(scene.pool_memory.data()) + 5, CARBO_DEVICE, 2);
  const carbo_vector_room scores =
      carbo_vector_room_of(scene.pool_memory.data() + 100, CARBO_FLOAT64, CARBO_DEVICE, 60);
  std::int64_t written = 0;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &rows, nullptr, &written), CARBO_OVERLAPPING);
  expect_failure(carbo_selector_scores(scene.selector, &request, &scores), CARBO_OVERLAPPING);
  EXPECT_EQ(scene.pool_memory.read(), scene.problem.pool);
}

TEST(CudaCFace, ADeviceThatDoesNotExistIsUnavailable) {
  carbo_selector_options options = device_options();
  options.device = 7;
  carbo_selector* selector = nullptr;
  expect_failure(carbo_selector_create(&options, &selector), CARBO_UNAVAILABLE, {"device is 7"});
}

/// Gives out device memory until `most` blocks were given. `inside` is called by every allocation.
struct Allocator {
  static void* allocate(void* state, std::uint64_t bytes, void* stream) {
    Allocator& self = *static_cast<Allocator*>(state);
    if (self.inside) self.inside();
    if (self.given == self.most || stream != self.stream) return nullptr;
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, bytes, static_cast<cudaStream_t>(stream)) != cudaSuccess) return nullptr;
    ++self.given;
    ++self.live;
    return memory;
  }
  static void release(void* state, void* memory, std::uint64_t, void* stream) {
    --static_cast<Allocator*>(state)->live;
    cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
  }
  void use_in(carbo_selector_options& options) {
    options.use_stream = 1;
    options.stream = stream;
    options.allocate = allocate;
    options.release = release;
    options.allocator_state = this;
  }

  Allocator() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }
  ~Allocator() {
    EXPECT_EQ(live, 0) << "blocks that were not given back";
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  cudaStream_t stream = nullptr;
  int most = std::numeric_limits<int>::max();
  int given = 0, live = 0;
  std::function<void()> inside;
};

TEST(CudaCFace, MemoryComesFromTheApplicationInTheOrderOfItsStream) {
  Allocator allocator;
  carbo_selector_options options = device_options();
  allocator.use_in(options);
  const std::vector<std::int64_t> expected = DeviceScene().suggest(3);
  {
    DeviceScene scene(options);
    EXPECT_EQ(scene.suggest(3), expected);
    EXPECT_GT(allocator.live, 0);
    EXPECT_GT(allocator.given, 5);
  }
}

TEST(CudaCFace, AnAllocatorWithNothingLeftIsOutOfMemoryAndTheSelectorGoesOn) {
  Allocator allocator;
  carbo_selector_options options = device_options();
  allocator.use_in(options);
  const std::vector<std::int64_t> expected = DeviceScene().suggest(3);
  DeviceScene scene(options);
  std::vector<std::int64_t> rows(3, -1);
  const carbo_index_room output = room(rows);
  const carbo_pick_request request = picks(3);
  std::int64_t written = -1;
  allocator.most = allocator.given;
  expect_failure(carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written), CARBO_OUT_OF_MEMORY);
  EXPECT_EQ(written, -1);
  allocator.most = std::numeric_limits<int>::max();
  EXPECT_EQ(scene.suggest(3), expected);
}

TEST(CudaCFace, CallsDuringACallAreRefusedWhereverTheyComeFrom) {
  Allocator allocator;
  carbo_selector_options options = device_options();
  allocator.use_in(options);
  DeviceScene scene(options);
  int refused = 0;
  const auto attempt = [&] {
    carbo_selector_info info{};
    info.struct_size = sizeof info;
    expect_failure(carbo_selector_get_info(scene.selector, &info), CARBO_CONCURRENT_CALL, {"carbo_selector_suggest"});
    expect_failure(carbo_selector_fit(scene.selector, nullptr), CARBO_CONCURRENT_CALL, {"carbo_selector_suggest"});
    expect_failure(carbo_selector_destroy(scene.selector), CARBO_CONCURRENT_CALL, {"carbo_selector_suggest"});
    EXPECT_EQ(message_of(scene.selector), "") << "refusals are not the handle's";
    ++refused;
  };
  allocator.inside = [&] {
    attempt();
    std::thread(attempt).join();
  };
  EXPECT_EQ(scene.suggest(2).size(), 2u);
  allocator.inside = nullptr;
  EXPECT_GT(refused, 0);
  EXPECT_EQ(scene.info().running, 2);
}

}  // namespace
}  // namespace c_scene
