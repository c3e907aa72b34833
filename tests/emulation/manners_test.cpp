#include <cuda_runtime_api.h>

#include "emulator_control.h"
#include "support/cuda_workload.hpp"
#include "support/device_array.hpp"

// What the CUDA backend owes the application round it: its device, its stream, its libraries' settings.
namespace cuda_pair {
namespace {

using carbo::test::CurrentDevice;
using carbo::test::DeviceStream;
using cuda_workload::expected;
using cuda_workload::run_all;
using cuda_workload::scene;

int current_device() {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}

TEST(CudaDevices, TheCallersDeviceIsCurrentAfterEveryCall) {
  for (const int backend_device : {0, 1}) {
    const CurrentDevice current(1 - backend_device);
    const auto stays = [&] { ASSERT_EQ(current_device(), 1 - backend_device); };
    {
      const auto backend = cuda_on(backend_device);
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
  EXPECT_THROW(cuda_on(7), carbo::Error);
  EXPECT_EQ(current_device(), 0);
}

TEST(CudaStreams, TheLegacyStreamIsNeverUsed) {
  emulator_reset_counters();
  EXPECT_EQ(run_all(*cuda(), scene()).size(), expected().size());
  EXPECT_GT(emulator_counter("launches"), 0u);
  EXPECT_EQ(emulator_counter("default stream operations"), 0u);
}

/// What the application has put into its stream happens before, though nothing has waited for it.
TEST(CudaStreams, WorkFollowsWhatTheStreamHeldBefore) {
  emulator_set("EMULATOR_STREAMS", "lazy");
  emulator_set("EMULATOR_SEED", "0");
  const DeviceStream stream;
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

TEST(CudaLibraries, TheirSettingsAreThePrograms) {
  emulator_reset_counters();
  run_all(*cuda(), scene());
  EXPECT_GT(emulator_counter("library calls"), 0u);
  EXPECT_EQ(emulator_counter("default workspace calls"), 0u);
  EXPECT_EQ(emulator_counter("calls open to emulated math"), 0u);
  EXPECT_EQ(emulator_counter("calls in emulated math"), 0u);
}

}  // namespace
}  // namespace cuda_pair
