// What the stand-in libraries ask of the streams (emulator.hpp).
#include "emulator.hpp"
#include "lock.hpp"
#include "streams.hpp"
#include "waits.hpp"

namespace emulator {

void enqueue(cudaStream_t handle, const char* what, std::function<void()> work) {
  Locked locked(runtime_lock());
  Stream* const stream = find_stream(handle);
  if (!stream) defect("%s is called with a stream that does not exist", what);
  submit(*stream, what, std::move(work));
}

bool is_capturing(cudaStream_t handle) {
  Locked locked(runtime_lock());
  Stream* stream = nullptr;
  return stream_for_work(handle, stream) != cudaSuccess && stream;
}

void wait_for_stream(cudaStream_t handle, const char* call) {
  Locked locked(runtime_lock());
  count_wait(call);
  if (Stream* const stream = find_stream(handle)) finish_stream(*stream);
}

void wait_for_device(const char* call) {
  Locked locked(runtime_lock());
  count_wait(call);
  finish_device(current_device());
}

}  // namespace emulator
