// Faults on demand, counters, and what is left behind.
#include <cublas_v2.h>

#include "device_array.hpp"
#include "plain.hpp"

namespace {

using emulator::Fault;
using emulator::Setting;

constexpr std::size_t n = 300, bytes = n * sizeof(int);

struct Resources {
  int *memory = nullptr, *pinned = nullptr;
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  ~Resources() {
    if (blas) cublasDestroy(blas);
    cudaFree(memory);
    cudaFreeHost(pinned);
    if (stream) cudaStreamDestroy(stream);
  }
};

// A small library function that must survive the failure of each of its calls.
bool add_one_to_all(std::vector<int>& values) {
  Resources r;
  if (cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking)) return false;
  if (cublasCreate(&r.blas) || cublasSetStream(r.blas, r.stream)) return false;
  if (cudaMalloc(reinterpret_cast<void**>(&r.memory), bytes)) return false;
  if (cudaMallocHost(reinterpret_cast<void**>(&r.pinned), bytes)) return false;
  std::copy(values.begin(), values.end(), r.pinned);
  if (cudaMemcpyAsync(r.memory, r.pinned, bytes, cudaMemcpyHostToDevice, r.stream)) return false;
  if (launch_add_one(r.memory, r.memory, n, r.stream)) return false;
  if (cudaMemcpyAsync(r.pinned, r.memory, bytes, cudaMemcpyDeviceToHost, r.stream)) return false;
  if (cudaStreamSynchronize(r.stream)) return false;
  std::copy(r.pinned, r.pinned + n, values.begin());
  return true;
}

void expect_nothing_left() {
  EXPECT_EQ(emulator_device_bytes(), 0u);
  for (const char* kind : {"streams", "events", "pinned allocations", "cuBLAS handles"})
    EXPECT_EQ(emulator_live(kind), 0) << kind;
}

}  // namespace

TEST(Faults, EveryCallInTurn) {
  for (const char* mode : {"eager", "lazy"}) {
    const Setting streams("EMULATOR_STREAMS", mode);
    int k = 1;
    for (;; ++k) {
      const Fault fault("*:" + std::to_string(k));
      std::vector<int> values(n, 3);
      const bool done = add_one_to_all(values);
      cudaGetLastError();
      expect_nothing_left();
      EXPECT_EQ(done, !fault.reached()) << "call " << k;
      if (!fault.reached()) break;
    }
    EXPECT_EQ(k, 10);  // nine calls that can fail
  }
}

TEST(Faults, ByName) {
  const Fault fault("cudaMalloc:2");
  void *first = nullptr, *second = nullptr;
  EXPECT_CUDA(cudaMalloc(&first, 8));
  EXPECT_EQ(cudaMalloc(&second, 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_TRUE(fault.reached());
  EXPECT_CUDA(cudaMalloc(&second, 8));
  EXPECT_CUDA(cudaFree(first));
  EXPECT_CUDA(cudaFree(second));
}

TEST(Faults, AStickyErrorStaysOnItsDevice) {
  void *p = nullptr, *q = nullptr;
  int device = -1;
  ASSERT_CUDA(cudaMalloc(&p, 8));
  {
    const Fault fault("sticky:cudaStreamSynchronize:1");
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaMalloc(&q, 8), cudaErrorIllegalAddress);
    cublasHandle_t blas = nullptr;
    EXPECT_NE(cublasCreate(&blas), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(launch_fill(static_cast<int*>(p), 2, 0, nullptr), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaFree(p), cudaErrorIllegalAddress);
    EXPECT_CUDA(cudaGetDevice(&device));
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_CUDA(cudaMalloc(&q, 8));
    EXPECT_CUDA(cudaFree(q));
    EXPECT_CUDA(cudaSetDevice(0));
  }
  expect_nothing_left();
  cudaGetLastError();
  EXPECT_CUDA(cudaMalloc(&p, 8));
  EXPECT_CUDA(cudaFree(p));
}

TEST(Faults, StickyAtTheKthCall) {
  {
    const Fault fault("sticky:2");
    void *p = nullptr, *q = nullptr;
    EXPECT_CUDA(cudaMalloc(&p, 8));
    EXPECT_EQ(cudaMalloc(&q, 8), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaFree(p), cudaErrorIllegalAddress);
  }
  cudaGetLastError();
}

TEST(Faults, APlanThatIsNotUnderstoodEndsTheProgram) {
  EXPECT_EXIT(emulator_set_fault("cudaMalloc"), ::testing::ExitedWithCode(2), "the fault plan 'cudaMalloc' is not");
  EXPECT_EXIT(emulator_set("EMULATOR_ORDER", "any"), ::testing::ExitedWithCode(2), "ascending, descending or random");
}

TEST(Counters, OfOneCall) {
  std::vector<int> values(n, 3);
  emulator_reset_counters();
  ASSERT_TRUE(add_one_to_all(values));
  EXPECT_EQ(values, std::vector<int>(n, 4));
  EXPECT_EQ(emulator_counter("launches"), 1u);
  EXPECT_EQ(emulator_counter("bytes to device"), bytes);
  EXPECT_EQ(emulator_counter("bytes to host"), bytes);
  EXPECT_EQ(emulator_counter("allocations"), 1u);
  EXPECT_EQ(emulator_counter("host allocations"), 1u);
  EXPECT_EQ(emulator_counter("peak device bytes"), bytes);
  EXPECT_EQ(emulator_counter("default stream operations"), 0u);
  // One that the program asks for; cublasDestroy, cudaFree and cudaFreeHost wait as well.
  EXPECT_EQ(emulator_counter("synchronisations"), 4u);
  EXPECT_EQ(emulator_counter("no such counter"), 0u);
}

TEST(Counters, WaitsAreNamedOnRequest) {
  const Stream stream;
  const DeviceArray<int> p(n);
  std::vector<int> pageable(n);
  const auto log_of_waits = [&] {
    testing::internal::CaptureStderr();
    stream.wait();
    EXPECT_CUDA(cudaMemsetAsync(p, 0, bytes, stream));
    EXPECT_CUDA(cudaMemcpyAsync(pageable.data(), p, bytes, cudaMemcpyDeviceToHost, stream));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(log_of_waits(), "");
  const Setting print("EMULATOR_WAITS", "1");
  EXPECT_EQ(log_of_waits(),
            "EMULATOR: wait: cudaStreamSynchronize, called from emulator_tests\n"
            "EMULATOR: wait: cudaMemcpyAsync, called from emulator_tests\n");

  // A library's wait is put down to the code that called the library.
  std::vector<int> values(n, 3);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(add_one_to_all(values));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("wait: cublasDestroy, called from emulator_tests\n"), std::string::npos) << log;
}

TEST(Counters, CopiesThatMayWait) {
  const Stream stream;
  const DeviceArray<int> p(n), q(n);
  std::vector<int> pageable(n);
  const auto synchronisations = [&](void* to, const void* from, cudaMemcpyKind kind) {
    emulator_reset_counters();
    EXPECT_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream));
    return emulator_counter("synchronisations");
  };
  int* pinned = nullptr;
  ASSERT_CUDA(cudaMallocHost(reinterpret_cast<void**>(&pinned), bytes));
  EXPECT_EQ(synchronisations(p, pinned, cudaMemcpyHostToDevice), 0u);
  EXPECT_EQ(synchronisations(pinned, p, cudaMemcpyDeviceToHost), 0u);
  EXPECT_EQ(synchronisations(q, p, cudaMemcpyDeviceToDevice), 0u);
  EXPECT_EQ(synchronisations(p, pageable.data(), cudaMemcpyHostToDevice), 1u);
  EXPECT_EQ(synchronisations(pageable.data(), p, cudaMemcpyDeviceToHost), 1u);
  EXPECT_EQ(emulator_counter("peak device bytes"), 2 * bytes);
  stream.wait();
  ASSERT_CUDA(cudaFreeHost(pinned));
}
