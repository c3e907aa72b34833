// Seeded defects: each of them must be caught, with words that name it and the kernel.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <thread>

#include "device_array.hpp"
#include "plain.hpp"

namespace {

using emulator::Setting;

class Defects : public ::testing::Test {
 protected:
  void finish(cudaError_t launched) const {
    EXPECT_CUDA(launched);
    EXPECT_CUDA(cudaDeviceSynchronize());
  }
  void meet(Defect defect) const { finish(launch_defect(defect, p, stream)); }

  const Stream stream;
  const DeviceArray<int> p{std::size_t(100)};
};

}  // namespace

TEST_F(Defects, NoneInRightKernels) {
  finish(launch_write_at(p, 99, 1, stream));
  finish(launch_read_shared(p, 31, stream));
  finish(launch_dynamic_shared(p, 31, stream));
}

TEST_F(Defects, MissingBarrier) {
  const auto is_right = [&](bool with_barrier, const char* order) {
    const Setting setting("EMULATOR_ORDER", order);
    finish(launch_exchange(p, with_barrier, stream));
    const auto result = p.values();
    for (int i = 0; i < 64; ++i)
      if (result[i] != 63 - i) return false;
    return true;
  };
  int wrong = 0;
  for (const char* order : {"ascending", "descending", "random"}) {
    EXPECT_TRUE(is_right(true, order)) << order;
    wrong += !is_right(false, order);
  }
  EXPECT_EQ(wrong, 3);
}

TEST_F(Defects, OutOfBounds) {
  EXPECT_DEATH(finish(launch_write_at(p, 100, 1, stream)), "0 bytes after the end of allocation .*\n.*write_at");
  EXPECT_DEATH(finish(launch_write_at(p, 5000, 1, stream)), "out of bounds");
  EXPECT_DEATH(finish(launch_write_at(p, -1, 1, stream)), "4 bytes before allocation");
  EXPECT_DEATH(finish(launch_write_at(nullptr, 0, 1, stream)), "a null pointer");
  EXPECT_DEATH(finish(launch_read_shared(p, 32, stream)), "shared memory out of bounds: .*\n.*read_shared");
  EXPECT_DEATH(finish(launch_dynamic_shared(p, 32, stream)), "shared memory out of bounds");
}

TEST_F(Defects, CopyOutOfBounds) {
  const std::vector<char> bytes(401);
  EXPECT_DEATH(cudaMemcpy(p, bytes.data(), 401, cudaMemcpyHostToDevice), "cudaMemcpy: 401 bytes at .* do not fit");
}

TEST_F(Defects, KernelReadsPageableMemory) {
  int on_host = 0;
  EXPECT_DEATH(finish(launch_write_at(&on_host, 0, 1, stream)), "neither device memory nor pinned");
}

TEST_F(Defects, MemoryOfAnotherDevice) {
  EXPECT_DEATH(
      {
        cudaSetDevice(1);
        finish(launch_write_at(p, 0, 1, nullptr));
      },
      "without peer access");
}

TEST_F(Defects, DivergentBarrier) {
  EXPECT_DEATH(meet(Defect::divergent_barrier), "divergent barrier: 16 threads .*\n.*divergent_barrier");
  EXPECT_DEATH(meet(Defect::barriers_at_two_places), "divergent barrier: threads .* at different barrier");
}

TEST_F(Defects, WarpFunctions) {
  EXPECT_DEATH(meet(Defect::lane_outside_mask), "which leaves the lane out");
  EXPECT_DEATH(meet(Defect::lane_missing_from_shuffle), "deadlock");
  EXPECT_DEATH(meet(Defect::read_from_exited_lane), "which has returned");
}

TEST_F(Defects, EndlessWait) {
  const Setting watchdog("EMULATOR_WATCHDOG", "0");
  EXPECT_DEATH(meet(Defect::endless_wait), "livelock or endless loop .*\n.*endless_wait");
}

TEST_F(Defects, MisalignedTrapAndUnsupported) {
  EXPECT_DEATH(meet(Defect::misaligned), "misaligned access: 4 bytes");
  EXPECT_DEATH(meet(Defect::trap), "the kernel executed a trap");
  EXPECT_DEATH(meet(Defect::half_precision), "unsupported PTX: .*f16");
}

TEST_F(Defects, BadLaunch) {
  EXPECT_EQ(launch_write_at(p, 0, 2000, stream), cudaErrorInvalidConfiguration);
  const Setting strict("EMULATOR_BAD_LAUNCH", "abort");
  EXPECT_DEATH(launch_write_at(p, 0, 2000, stream),
               "bad launch configuration for .*write_at.*block is empty or too large");
}

TEST_F(Defects, HostReadOfDeviceMemory) {
  const volatile int* address = p;
  EXPECT_DEATH((void)*address, "host code touches device memory: byte 0 of allocation");
  EXPECT_DEATH(std::thread([=] { (void)*address; }).join(), "host code touches device memory");
}

TEST_F(Defects, UseAfterFree) {
  int* stale = nullptr;
  ASSERT_CUDA(cudaMalloc(reinterpret_cast<void**>(&stale), 8));
  ASSERT_CUDA(cudaFree(stale));
  EXPECT_DEATH(finish(launch_write_at(stale, 0, 1, stream)), "freed allocation .*cudaMalloc, 8 bytes");
}

TEST_F(Defects, UseBeforeTheStreamHasMadeTheMemory) {
  const Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const Stream other;
  int* fresh = nullptr;
  ASSERT_CUDA(cudaMallocAsync(reinterpret_cast<void**>(&fresh), 8, other));
  EXPECT_DEATH(
      {
        launch_write_at(fresh, 0, 1, stream);
        cudaStreamSynchronize(stream);
      },
      "which its stream has not made yet");
  ASSERT_CUDA(cudaFreeAsync(fresh, other));
}

TEST_F(Defects, UninitialisedRead) {
  const DeviceArray<double> values(std::vector<double>(4, 1.0)), fresh(4), sum(1);
  finish(launch_sum(values, 4, sum, stream));
  EXPECT_EQ(sum.values()[0], 4.0);
  finish(launch_sum(fresh, 4, sum, stream));
  EXPECT_TRUE(std::isnan(sum.values()[0]));
}

// The sum runs over the whole matrix, although the factorisation defines one triangle of it.
TEST_F(Defects, UseOfTheUndefinedTriangle) {
  cusolverDnHandle_t solver = nullptr;
  ASSERT_EQ(cusolverDnCreate(&solver), CUSOLVER_STATUS_SUCCESS);
  const std::vector<double> identity{1, 0, 0, 1};
  const DeviceArray<double> matrix(identity), sum(1);
  const DeviceArray<double*> matrices(std::vector<double*>{matrix.get()});
  const DeviceArray<int> info(1);
  ASSERT_EQ(cusolverDnDpotrfBatched(solver, CUBLAS_FILL_MODE_LOWER, 2, matrices, 2, info, 1),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(info.values()[0], 0);
  finish(launch_sum(matrix, 4, sum, stream));
  EXPECT_TRUE(std::isnan(sum.values()[0]));
  matrix.assign(identity);
  int elements = 0;
  cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 2, matrix, 2, &elements);
  const DeviceArray<double> workspace((std::size_t(elements)));
  ASSERT_EQ(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, 2, matrix, 2, workspace, elements, info),
            CUSOLVER_STATUS_SUCCESS);
  finish(launch_sum(matrix, 4, sum, stream));
  EXPECT_TRUE(std::isnan(sum.values()[0]));
  cusolverDnDestroy(solver);
}

TEST_F(Defects, LibraryHandles) {
  cublasHandle_t blas = nullptr;
  ASSERT_EQ(cublasCreate(&blas), CUBLAS_STATUS_SUCCESS);
  EXPECT_DEATH(
      {
        cudaSetDevice(1);
        cublasSetStream(blas, nullptr);
      },
      "belongs to device 0, the current device is 1");
  ASSERT_EQ(cublasDestroy(blas), CUBLAS_STATUS_SUCCESS);
  EXPECT_DEATH(cublasSetStream(blas, nullptr), "not a live cuBLAS handle");
}
