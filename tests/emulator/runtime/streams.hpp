// Streams, events and the order of asynchronous work. All functions expect the runtime lock to be held.
#pragma once
#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator.hpp"

namespace emulator {

struct Stream;

struct Operation {
  enum class State { queued, running, done };
  std::string what;
  std::function<void()> work;
  bool is_host_callback = false;  // runs without the runtime lock
  std::vector<std::shared_ptr<Operation>> after;
  State state = State::queued;
  double finished_at = 0;  // milliseconds, for events
};
using OperationPtr = std::shared_ptr<Operation>;

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  bool is_legacy_default = false;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  bool destroyed = false;
  OperationPtr last;  // null: nothing was ever queued
  std::deque<OperationPtr> pending;
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  OperationPtr record;  // of the last cudaEventRecord
};

void set_current_device(int device);

// Null where the handle is not a live stream. The special handles give the default streams.
Stream* find_stream(cudaStream_t handle);
Stream* create_stream(unsigned flags, int priority);
void destroy_stream(Stream* stream);

Event* find_event(cudaEvent_t handle);
Event* create_event(unsigned flags);
void destroy_event(Event* event);

OperationPtr submit(Stream& stream, std::string what, std::function<void()> work, bool is_host_callback = false,
                    OperationPtr also_after = nullptr);

// The stream for a call that puts work into it or waits for it. No graph is recorded: such a call fails while the
// stream is capturing, and makes the capture invalid.
cudaError_t stream_for_work(cudaStream_t handle, Stream*& stream);

// How this host thread's calls treat captures of others.
cudaStreamCaptureMode& thread_capture_mode();

// cudaMalloc and the like spoil every capture that is not relaxed, and fail; where the calling thread is, they do
// not.
cudaError_t spoil_captures();

// The random choices of lazy streams start again from the seed.
void restart_schedule();

// Executes what the operation needs, and with lazy streams perhaps more, until it is done.
void finish(const OperationPtr& operation);
void finish_stream(Stream& stream);
void finish_device(int device);
// One step, for programs that poll. True where the operation is done.
bool poll(const OperationPtr& operation);
std::size_t pending_operations();

}  // namespace emulator
