// Streams, events, callbacks, captures and host threads.
#include <atomic>
#include <chrono>
#include <thread>

#include "device_array.hpp"
#include "plain.hpp"

namespace {

using emulator::Setting;

constexpr int n = 1000;

// One stream writes, another one reads. Without the wait between them the reader may come first.
std::vector<int> cross_streams(bool with_wait) {
  const DeviceArray<int> a(n), b(n);
  const Stream writer, reader;
  cudaEvent_t written = nullptr;
  EXPECT_CUDA(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
  EXPECT_CUDA(launch_fill(a, n, 41, writer));
  EXPECT_CUDA(cudaEventRecord(written, writer));
  if (with_wait) {
    EXPECT_CUDA(cudaStreamWaitEvent(reader, written, 0));
  }
  EXPECT_CUDA(launch_add_one(a, b, n, reader));
  reader.wait();
  EXPECT_CUDA(cudaEventDestroy(written));
  return b.values();
}

}  // namespace

TEST(Streams, MissingWaitShowsWithLazyStreamsOnly) {
  const std::vector<int> right(n, 42);
  EXPECT_EQ(cross_streams(false), right);
  const Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  EXPECT_EQ(cross_streams(true), right);
  EXPECT_NE(cross_streams(false), right);
}

TEST(Streams, PageableMemoryIsReadAtTheCallAndPinnedMemoryLater) {
  const Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const Stream stream;
  const DeviceArray<int> device(2);
  int *pinned = nullptr, pageable = 1;
  ASSERT_CUDA(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(int)));
  *pinned = 1;
  ASSERT_CUDA(cudaMemcpyAsync(device, &pageable, sizeof(int), cudaMemcpyHostToDevice, stream));
  ASSERT_CUDA(cudaMemcpyAsync(device + 1, pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
  EXPECT_EQ(emulator_pending_operations(), 2u);
  pageable = *pinned = 2;
  EXPECT_EQ(device.values(), (std::vector<int>{1, 2}));
  ASSERT_CUDA(cudaFreeHost(pinned));
}

TEST(Streams, LegacyDefaultStreamAndBlockingStreamsWaitForEachOther) {
  const Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const Stream stream(cudaStreamDefault);
  const DeviceArray<int> a(n), b(n);
  emulator_reset_counters();
  ASSERT_CUDA(launch_fill(a, n, 1, stream));
  ASSERT_CUDA(launch_add_one(a, b, n, nullptr));
  ASSERT_CUDA(launch_add_one(b, a, n, stream));
  EXPECT_EQ(emulator_counter("default stream operations"), 1u);
  stream.wait();
  EXPECT_EQ(a.values(), std::vector<int>(n, 3));
}

TEST(Streams, CallbacksAndPolling) {
  const Setting lazy("EMULATOR_STREAMS", "lazy");
  const Stream stream;
  cudaEvent_t event = nullptr;
  int calls = 0;
  ASSERT_CUDA(cudaEventCreate(&event));
  ASSERT_CUDA(cudaLaunchHostFunc(
      stream, [](void* p) { ++*static_cast<int*>(p); }, &calls));
  ASSERT_CUDA(cudaEventRecord(event, stream));
  int polls = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++polls;
  EXPECT_GT(polls, 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "what a query says is no error";
  EXPECT_EQ(calls, 1);
  EXPECT_CUDA(cudaEventSynchronize(event));
  EXPECT_CUDA(cudaEventDestroy(event));
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

// Other threads call the runtime while one of them is inside its callback: nothing is lost and nothing hangs.
TEST(Streams, HostThreads) {
  static std::atomic<int> callbacks{0};
  constexpr int threads = 4, rounds = 12;
  const auto slow = [](void*) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ++callbacks;
  };
  for (const char* mode : {"eager", "lazy"}) {
    const Setting streams("EMULATOR_STREAMS", mode);
    callbacks = 0;
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([=] {
        const Stream stream;
        const DeviceArray<int> sum(std::vector<int>{0});
        for (int i = 0; i < rounds; ++i) {
          EXPECT_CUDA(launch_increment(sum, stream));
          EXPECT_CUDA(cudaLaunchHostFunc(stream, slow, nullptr));
          if (i % 3 == 0) stream.wait();
          if (i % 7 == 0) {
            EXPECT_CUDA(cudaDeviceSynchronize());
          }
        }
        stream.wait();
        EXPECT_EQ(sum.values()[0], 64 * rounds);
        // The last error belongs to the thread.
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        if (t == 0) {
          EXPECT_EQ(cudaSetDevice(9), cudaErrorInvalidDevice);
        }
        EXPECT_EQ(cudaGetLastError(), t == 0 ? cudaErrorInvalidDevice : cudaSuccess);
      });
    for (auto& thread : running) thread.join();
    EXPECT_EQ(callbacks, threads * rounds);
  }
}

TEST(Capture, WaitingForACapturingStreamIsAnError) {
  const Stream stream;
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_CUDA(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  ASSERT_CUDA(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  ASSERT_CUDA(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_CUDA(cudaStreamSynchronize(stream));
}

TEST(Capture, UnsafeCallsAndTheDefaultStreamAreErrors) {
  const Stream stream(cudaStreamDefault);
  void* p = nullptr;
  cudaGraph_t graph;
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaMalloc(&p, 8), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  ASSERT_CUDA(cudaMalloc(&p, 8));
  EXPECT_EQ(cudaMemsetAsync(p, 0, 8, nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  cudaGetLastError();
  EXPECT_CUDA(cudaFree(p));
}

TEST(Devices, AStreamBelongsToItsDevice) {
  const Stream stream;
  const DeviceArray<int> p(1);
  ASSERT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(launch_write_at(p, 0, 1, stream), cudaErrorInvalidResourceHandle);
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreate(&event));
  EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  EXPECT_CUDA(cudaEventDestroy(event));
  ASSERT_CUDA(cudaSetDevice(0));
}

TEST(Devices, EachHasVariablesOfItsOwn) {
  const DeviceArray<int> here(1);
  const auto counter = [] {
    int value = 0;
    EXPECT_CUDA(cudaMemcpyFromSymbol(&value, counter_variable(), sizeof value, 0, cudaMemcpyDeviceToHost));
    return value;
  };
  ASSERT_CUDA(launch_bounded(128, here, nullptr));
  EXPECT_EQ(here.values()[0], 8);
  EXPECT_EQ(counter(), 6);
  ASSERT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(counter(), 5);
  ASSERT_CUDA(cudaSetDevice(0));
}
