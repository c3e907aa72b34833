#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <thread>

#include "emulator_control.h"
#include "support/cuda_workload.hpp"

// What the CUDA backend owes the application round it: its device, its stream, its libraries' settings.
namespace {

using namespace cuda_pair;
using cuda_workload::expected;
using cuda_workload::run_all;
using cuda_workload::scene;

CudaOptions on_device(int device) {
  CudaOptions options;
  options.device = device;
  return options;
}

int current_device() {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}

/// Makes another device current while it lives.
class Current {
 public:
  explicit Current(int device) { EXPECT_EQ(cudaSetDevice(device), cudaSuccess); }
  ~Current() { cudaSetDevice(0); }
};

TEST(CudaDevices, TheCallersDeviceIsCurrentAfterEveryCall) {
  for (const int backend_device : {0, 1}) {
    const Current current(1 - backend_device);
    const auto stays = [&] { ASSERT_EQ(current_device(), 1 - backend_device); };
    {
      const auto backend = cuda(on_device(backend_device));
      stays();
      EXPECT_EQ(run_all(*backend, scene(), stays), expected());
      EXPECT_THROW(backend->make_candidates(MatrixView{}), carbo::Error);
      stays();
      emulator_set_fault("cudaLaunchKernel:1");
      EXPECT_THROW(backend->make_candidates(Rows(scene().candidates).view()), carbo::Error);
      emulator_set_fault(nullptr);
      stays();
    }
    stays();
  }
  EXPECT_THROW(cuda(on_device(7)), carbo::Error);
  EXPECT_EQ(current_device(), 0);
}

TEST(CudaDevices, WithoutANumberItIsTheCallersDevice) {
  const Current current(1);
  const auto backend = cuda();
  EXPECT_EQ(backend->context().device(), 1);
}

TEST(CudaDevices, TwoBackendsInTwoThreadsGiveTheRightResults) {
  for (const int second_device : {0, 1}) {
    std::vector<std::vector<double>> results(2);
    std::vector<std::thread> threads;
    for (const int t : {0, 1})
      threads.emplace_back([&, t] {
        const auto backend = cuda(on_device(t == 0 ? 0 : second_device));
        results[t] = run_all(*backend, scene());
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(results[0], expected());
    EXPECT_EQ(results[1], expected());
  }
}

TEST(CudaDevices, ObjectsOfAnotherBackendAreRefused) {
  const auto first = cuda(), second = cuda(on_device(1));
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

/// A stream of the application's.
class Stream {
 public:
  Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~Stream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

TEST(CudaStreams, TheLegacyStreamIsNeverUsed) {
  emulator_reset_counters();
  EXPECT_EQ(run_all(*cuda(), scene()).size(), expected().size());
  EXPECT_GT(emulator_counter("launches"), 0u);
  EXPECT_EQ(emulator_counter("default stream operations"), 0u);
}

TEST(CudaStreams, TheCallersIsUsedAndLeftAlive) {
  const Stream stream;
  CudaOptions options;
  options.stream = stream.get();
  {
    const auto backend = cuda(options);
    EXPECT_EQ(backend->context().stream(), stream.get());
    EXPECT_EQ(run_all(*backend, scene()), expected());
  }
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
}

/// What the application has put into its stream happens before, though nothing has waited for it.
TEST(CudaStreams, WorkFollowsWhatTheStreamHeldBefore) {
  emulator_set("EMULATOR_STREAMS", "lazy");
  emulator_set("EMULATOR_SEED", "0");
  const Stream stream;
  CudaOptions options;
  options.stream = stream.get();
  const auto backend = cuda(options);
  const std::vector<double> values = oracle::flat(scene().candidates);
  double *pinned = nullptr, *pool = nullptr;
  const std::size_t bytes = values.size() * sizeof(double);
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), bytes, cudaHostAllocDefault), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&pool), bytes), cudaSuccess);
  std::copy(values.begin(), values.end(), pinned);
  ASSERT_EQ(cudaMemcpyAsync(pool, pinned, bytes, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  EXPECT_GT(emulator_pending_operations(), 0u);
  {
    const auto borrowed = backend->borrow_candidates({pool, false, scene().candidates.size(), 3, 3, 1});
    const auto owned = backend->make_candidates(Rows(scene().candidates).view());
    const auto factor = fixture::factor(*backend, scene().gp, scene().x, scene().y);
    EXPECT_EQ(contents(*backend->sweep(*factor, *borrowed, true)), contents(*backend->sweep(*factor, *owned, true)));
  }
  EXPECT_EQ(cudaFree(pool), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  emulator_set("EMULATOR_STREAMS", nullptr);
  emulator_set("EMULATOR_SEED", nullptr);
}

TEST(CudaStreams, ACapturingStreamIsRefused) {
  const Stream stream;
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

TEST(CudaLibraries, TheirSettingsAreThePrograms) {
  emulator_reset_counters();
  run_all(*cuda(), scene());
  EXPECT_GT(emulator_counter("library calls"), 0u);
  EXPECT_EQ(emulator_counter("default workspace calls"), 0u);
  EXPECT_EQ(emulator_counter("calls without pedantic math"), 0u);
  EXPECT_EQ(emulator_counter("calls in emulated math"), 0u);
}

}  // namespace
