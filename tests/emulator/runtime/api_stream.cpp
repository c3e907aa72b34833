// Streams, events, callbacks and synchronisation of the runtime API.
#include "api.hpp"
#include "counters.hpp"
#include "settings.hpp"
#include "streams.hpp"
#include "waits.hpp"

using namespace emulator;

namespace {

constexpr int lowest_priority = 0, highest_priority = -5;

cudaStream_t handle_of(Stream* stream) { return reinterpret_cast<cudaStream_t>(stream); }

// Runs the body with the stream, where there is one.
template <class Body>
cudaError_t with_stream(const char* name, cudaStream_t handle, Body body) {
  return api_call(name, [&] {
    Stream* const stream = find_stream(handle);
    return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
  });
}

// The same for calls that put work into the stream or wait for it.
template <class Body>
cudaError_t with_working_stream(const char* name, cudaStream_t handle, Body body) {
  return api_call(name, [&] {
    Stream* stream = nullptr;
    const cudaError_t error = stream_for_work(handle, stream);
    return error == cudaSuccess ? body(*stream) : error;
  });
}

template <class Body>
cudaError_t with_event(const char* name, cudaEvent_t handle, Body body) {
  return api_call(name, [&] {
    Event* const event = find_event(handle);
    return event ? body(*event) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t make_stream(cudaStream_t* result, unsigned flags, int priority) {
  if (!result || flags & ~unsigned(cudaStreamNonBlocking)) return cudaErrorInvalidValue;
  priority = std::min(lowest_priority, std::max(highest_priority, priority));
  *result = handle_of(create_stream(flags, priority));
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle) {
  Event* const event = find_event(handle);
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_work(stream_handle, stream)) return error;
  if (!event || event->device != stream->device) return cudaErrorInvalidResourceHandle;
  event->record = submit(*stream, "cudaEventRecord", nullptr);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* result) {
  return api_call("cudaStreamCreate", [&] { return make_stream(result, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* result, unsigned flags) {
  return api_call("cudaStreamCreateWithFlags", [&] { return make_stream(result, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* result, unsigned flags, int priority) {
  return api_call("cudaStreamCreateWithPriority", [&] { return make_stream(result, flags, priority); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api_call("cudaDeviceGetStreamPriorityRange", [&] {
    if (least) *least = lowest_priority;
    if (greatest) *greatest = highest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return with_stream("cudaStreamDestroy", handle, [&](Stream& stream) {
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    destroy_stream(&stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream("cudaStreamGetFlags", handle, [&](Stream& s) {
    *flags = s.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream("cudaStreamGetPriority", handle, [&](Stream& s) {
    *priority = s.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return with_stream("cudaStreamGetDevice", handle, [&](Stream& s) {
    *device = s.device;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream("cudaStreamGetId", handle, [&](Stream& s) {
    *id = s.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_working_stream("cudaStreamSynchronize", handle, [](Stream& stream) {
    count_wait("cudaStreamSynchronize");
    // Waiting for the legacy default stream is waiting for the blocking streams before it.
    if (stream.is_legacy_default)
      finish(submit(stream, "cudaStreamSynchronize", nullptr));
    else
      finish_stream(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_working_stream("cudaStreamQuery", handle, [](Stream& stream) {
    count("queries");
    const OperationPtr last = stream.last;
    return !last || poll(last) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  return with_working_stream("cudaStreamWaitEvent", handle, [&](Stream& stream) {
    Event* const event = find_event(event_handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    // The wait is bound to the last record before it; an event that was never recorded is no wait at all.
    if (event->record) submit(stream, "cudaStreamWaitEvent", nullptr, false, event->record);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned) {
  return with_working_stream("cudaStreamAddCallback", handle, [&](Stream& stream) {
    submit(
        stream, "a stream callback", [=] { callback(handle, cudaSuccess, data); }, true);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return with_working_stream("cudaLaunchHostFunc", handle, [&](Stream& stream) {
    submit(
        stream, "a host function", [=] { function(data); }, true);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api_call("cudaDeviceSynchronize", [] {
    if (const cudaError_t error = spoil_captures()) return error;
    count_wait("cudaDeviceSynchronize");
    finish_device(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* result) {
  return api_call("cudaEventCreate", [&] {
    *result = reinterpret_cast<cudaEvent_t>(create_event(cudaEventDefault));
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* result, unsigned flags) {
  return api_call("cudaEventCreateWithFlags", [&] {
    *result = reinterpret_cast<cudaEvent_t>(create_event(flags));
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return with_event("cudaEventDestroy", handle, [](Event& event) {
    destroy_event(&event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return api_call("cudaEventRecord", [&] { return record(handle, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned) {
  return api_call("cudaEventRecordWithFlags", [&] { return record(handle, stream); });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return with_event("cudaEventQuery", handle, [](Event& event) {
    count("queries");
    return !event.record || poll(event.record) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return with_event("cudaEventSynchronize", handle, [](Event& event) {
    count_wait("cudaEventSynchronize");
    const OperationPtr record = event.record;
    if (record) finish(record);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from_handle, cudaEvent_t to_handle) {
  return api_call("cudaEventElapsedTime", [&] {
    const Event *from = find_event(from_handle), *to = find_event(to_handle);
    if (!from || !to || !from->record || !to->record) return cudaErrorInvalidResourceHandle;
    if ((from->flags | to->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (from->record->state != Operation::State::done || to->record->state != Operation::State::done)
      return cudaErrorNotReady;
    *milliseconds = static_cast<float>(to->record->finished_at - from->record->finished_at);
    return cudaSuccess;
  });
}
