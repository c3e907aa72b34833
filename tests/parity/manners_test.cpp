#include <cuda_runtime_api.h>

#include <thread>

#include "support/cuda_workload.hpp"
#include "support/device_array.hpp"

// What the CUDA backend owes the application round it: its device and its stream.
namespace cuda_pair {
namespace {

using carbo::test::CurrentDevice;
using carbo::test::device_count;
using carbo::test::DeviceStream;
using cuda_workload::expected;
using cuda_workload::run_all;
using cuda_workload::scene;

TEST(CudaDevices, WithoutANumberItIsTheCallersDevice) {
  if (device_count() < 2) GTEST_SKIP() << "two devices are needed";
  const CurrentDevice current(1);
  const auto backend = cuda();
  EXPECT_EQ(backend->context().device(), 1);
}

TEST(CudaDevices, TwoBackendsInTwoThreadsGiveTheRightResults) {
  for (const int second_device : {0, device_count() - 1}) {
    std::vector<std::vector<double>> results(2);
    std::vector<std::thread> threads;
    for (const int t : {0, 1})
      threads.emplace_back([&, t] {
        const auto backend = cuda_on(t == 0 ? 0 : second_device);
        results[t] = run_all(*backend, scene());
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(results[0], expected());
    EXPECT_EQ(results[1], expected());
  }
}

TEST(CudaDevices, ObjectsOfAnotherBackendAreRefused) {
  const auto first = cuda(), second = cuda_on(device_count() - 1);
  const auto set = second->make_candidates(Rows(scene().candidates).view());
  const auto factor = fixture::factor(*first, scene().gp, scene().x, scene().y);
  EXPECT_THROW(first->sweep(*factor, *set, true), carbo::InvalidOptions);
  EXPECT_THROW(first->make_search(*set, {}), carbo::InvalidOptions);
  const auto own_set = first->make_candidates(Rows(scene().candidates).view());
  const auto foreign = fixture::factor(*second, scene().gp, scene().x, scene().y);
  const auto foreign_cost = second->sweep(*foreign, *set, false);
  GpFactor* factors[] = {foreign.get()};
  SearchSetup setup;
  setup.factors = factors;
  EXPECT_THROW(first->make_search(*own_set, setup), carbo::InvalidOptions);
  factors[0] = factor.get();
  setup.log_cost = foreign_cost.get();
  EXPECT_THROW(first->make_search(*own_set, setup), carbo::InvalidOptions);
  const auto cost = first->sweep(*factor, *own_set, false);
  setup.log_cost = cost.get();
  setup.log_cost_factor = foreign.get();
  EXPECT_THROW(first->make_search(*own_set, setup), carbo::InvalidOptions);
}

TEST(CudaStreams, TheCallersIsUsedAndLeftAlive) {
  const DeviceStream stream;
  CudaOptions options;
  options.stream = stream.get();
  {
    const auto backend = cuda(options);
    EXPECT_EQ(backend->context().stream(), stream.get());
    EXPECT_EQ(run_all(*backend, scene()), expected());
  }
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
}

TEST(CudaStreams, ACapturingStreamIsRefused) {
  const DeviceStream stream;
  CudaOptions options;
  options.stream = stream.get();
  const auto backend = cuda(options);
  const auto set = backend->make_candidates(Rows(scene().candidates).view());
  const auto factor = fixture::factor(*backend, scene().gp, scene().x, scene().y);
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  const std::vector<double> one = {1.0};
  EXPECT_THROW(backend->make_field(one, {}), carbo::InvalidOptions);
  EXPECT_THROW(backend->sweep(*factor, *set, true), carbo::InvalidOptions);
  EXPECT_THROW(set->exclude(1), carbo::InvalidOptions);
  EXPECT_THROW((void)factor->lowest_fitted_mean(), carbo::InvalidOptions);
  EXPECT_THROW(cuda(options), carbo::InvalidOptions);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  if (graph != nullptr) cudaGraphDestroy(graph);
  EXPECT_TRUE(set->is_available(1));
  EXPECT_EQ(run_all(*backend, scene()), expected());
}

}  // namespace
}  // namespace cuda_pair
