#include "streams.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_set>

#include "emulator.hpp"
#include "lock.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace emulator {
namespace {

thread_local int device_of_this_thread = 0;

struct Registry {
  std::vector<std::unique_ptr<Stream>> streams;  // in the order of creation: the choice by seed must be repeatable
  std::set<Stream*> live;
  std::set<Event*> events;
  Stream* legacy[most_devices] = {};
  unsigned long long made = 0;
  Random random{settings().seed};

  Stream* add(int device, unsigned flags, int priority) {
    streams.push_back(std::make_unique<Stream>());
    Stream* const stream = streams.back().get();
    stream->device = device;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++made;
    live.insert(stream);
    return stream;
  }
};

Registry& registry() {
  static Registry* const the_registry = new Registry;
  return *the_registry;
}

Stream* legacy_stream(int device) {
  Stream*& stream = registry().legacy[device];
  if (!stream) {
    stream = registry().add(device, cudaStreamDefault, 0);
    stream->is_legacy_default = true;
  }
  return stream;
}

Stream* per_thread_stream(int device) {
  thread_local Stream* streams[most_devices] = {};
  if (!streams[device]) streams[device] = registry().add(device, cudaStreamDefault, 0);
  return streams[device];
}

bool is_done(const OperationPtr& operation) { return !operation || operation->state == Operation::State::done; }

bool is_ready(const Operation& operation) {
  return operation.state == Operation::State::queued &&
         std::all_of(operation.after.begin(), operation.after.end(), is_done);
}

double now_in_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void execute(const OperationPtr& operation) {
  operation->state = Operation::State::running;
  if (operation->work) {
    NamedWork named(operation->what.c_str());
    const int depth = operation->is_host_callback ? runtime_lock().release_all() : 0;
    operation->work();
    if (operation->is_host_callback) runtime_lock().take_back(depth);
  }
  operation->state = Operation::State::done;
  operation->finished_at = now_in_milliseconds();
  // Frees what the work holds and cuts the chain to the operations before.
  operation->work = nullptr;
  operation->after.clear();
  runtime_lock().changed();
}

void forget_finished() {
  auto& streams = registry().streams;
  for (auto& stream : streams)
    while (!stream->pending.empty() && is_done(stream->pending.front())) stream->pending.pop_front();
  streams.erase(std::remove_if(streams.begin(), streams.end(),
                               [](const auto& s) { return s->destroyed && s->pending.empty(); }),
                streams.end());
}

using OperationSet = std::unordered_set<const Operation*>;

// What must be done before the target is, and the target itself. Fixed when the target is submitted.
OperationSet needed_for(const OperationPtr& target) {
  OperationSet needed;
  std::vector<const Operation*> waiting{target.get()};
  while (!waiting.empty()) {
    const Operation* operation = waiting.back();
    waiting.pop_back();
    if (operation->state == Operation::State::done || !needed.insert(operation).second) continue;
    for (const auto& before : operation->after) waiting.push_back(before.get());
  }
  return needed;
}

// One of the operations that could run now. With seed 0 only what the target needs ever runs; other seeds let
// unrelated work slip in, as a device would.
OperationPtr choose(const OperationSet& needed) {
  auto& random = registry().random;
  const bool anything = settings().seed != 0 && random.below(4) == 0;
  std::vector<OperationPtr> candidates;
  for (const auto& stream : registry().streams)
    for (const auto& operation : stream->pending) {
      if (is_done(operation)) continue;
      if (is_ready(*operation) && (anything || needed.count(operation.get()))) candidates.push_back(operation);
      break;  // what is behind in the same stream waits for this one
    }
  if (candidates.empty()) return nullptr;
  return settings().seed == 0 ? candidates.front() : candidates[random.below(candidates.size())];
}

bool step_towards(const OperationSet& needed) {
  const OperationPtr chosen = choose(needed);
  if (chosen) execute(chosen);
  forget_finished();
  return chosen != nullptr;
}

}  // namespace

int current_device() { return device_of_this_thread; }
void set_current_device(int device) { device_of_this_thread = device; }

Stream* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy_stream(current_device());
  if (handle == cudaStreamPerThread) return per_thread_stream(current_device());
  auto* const stream = reinterpret_cast<Stream*>(handle);
  return registry().live.count(stream) ? stream : nullptr;
}

Stream* create_stream(unsigned flags, int priority) {
  track("streams", 1);
  return registry().add(current_device(), flags, priority);
}

void destroy_stream(Stream* stream) {
  // Its work is still carried out.
  track("streams", -1);
  registry().live.erase(stream);
  stream->destroyed = true;
  forget_finished();
}

Event* find_event(cudaEvent_t handle) {
  auto* const event = reinterpret_cast<Event*>(handle);
  return registry().events.count(event) ? event : nullptr;
}

Event* create_event(unsigned flags) {
  auto* const event = new Event;
  event->flags = flags;
  event->device = current_device();
  track("events", 1);
  registry().events.insert(event);
  return event;
}

void destroy_event(Event* event) {
  track("events", -1);
  registry().events.erase(event);
  delete event;
}

OperationPtr submit(Stream& stream, std::string what, std::function<void()> work, bool is_host_callback,
                    OperationPtr also_after) {
  auto operation = std::make_shared<Operation>();
  operation->what = std::move(what);
  operation->work = std::move(work);
  operation->is_host_callback = is_host_callback;
  const auto wait_for = [&](const OperationPtr& before) {
    if (!is_done(before)) operation->after.push_back(before);
  };
  wait_for(stream.last);
  wait_for(also_after);
  // The legacy default stream and the blocking streams of its device wait for each other.
  if (stream.is_legacy_default) {
    for (const auto& other : registry().streams)
      if (other->device == stream.device && !(other->flags & cudaStreamNonBlocking)) wait_for(other->last);
  } else if (!(stream.flags & cudaStreamNonBlocking) && registry().legacy[stream.device]) {
    wait_for(registry().legacy[stream.device]->last);
  }
  if (stream.is_legacy_default) count("default stream operations");
  stream.last = operation;
  if (settings().lazy_streams || !operation->after.empty()) {
    stream.pending.push_back(operation);
    // With eager streams something is left only where another thread is inside a host callback.
    if (!settings().lazy_streams) finish(operation);
  } else {
    execute(operation);
  }
  return operation;
}

void finish(const OperationPtr& operation) {
  if (is_done(operation)) return;
  const OperationSet needed = needed_for(operation);
  while (!is_done(operation)) {
    if (step_towards(needed) || is_done(operation)) continue;
    // Nothing can start: another thread is inside a host callback, or chance chose among nothing.
    const OperationSet left = needed_for(operation);
    const bool another_thread_works = std::any_of(
        left.begin(), left.end(), [](const Operation* o) { return o->state == Operation::State::running; });
    if (another_thread_works) runtime_lock().wait_for_change();
  }
}

void finish_stream(Stream& stream) {
  // The stream may be forgotten while its work runs: hold the operation, not the stream.
  const OperationPtr last = stream.last;
  finish(last);
}

void finish_device(int device) {
  std::vector<OperationPtr> ends;
  for (const auto& stream : registry().streams)
    if (stream->device == device) ends.push_back(stream->last);
  // The order in which the streams come to their ends is a choice too.
  if (settings().lazy_streams && settings().seed != 0)
    for (std::size_t i = ends.size(); i > 1; --i) std::swap(ends[i - 1], ends[registry().random.below(i)]);
  for (const auto& end : ends) finish(end);
}

bool poll(const OperationPtr& operation) {
  if (!is_done(operation)) step_towards(needed_for(operation));
  return is_done(operation);
}

cudaError_t stream_for_work(cudaStream_t handle, Stream*& result) {
  result = find_stream(handle);
  if (!result) return cudaErrorInvalidResourceHandle;
  Stream& stream = *result;
  if (stream.capture != cudaStreamCaptureStatusNone) {
    stream.capture = cudaStreamCaptureStatusInvalidated;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (!stream.is_legacy_default) return cudaSuccess;
  // The legacy default stream waits for every blocking stream, and so for the one that is capturing.
  for (const auto& other : registry().streams) {
    if (other->capture == cudaStreamCaptureStatusNone || other->flags & cudaStreamNonBlocking) continue;
    other->capture = cudaStreamCaptureStatusInvalidated;
    return cudaErrorStreamCaptureImplicit;
  }
  return cudaSuccess;
}

cudaStreamCaptureMode& thread_capture_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

cudaError_t spoil_captures() {
  cudaError_t error = cudaSuccess;
  if (thread_capture_mode() == cudaStreamCaptureModeRelaxed) return error;
  for (const auto& stream : registry().streams) {
    if (stream->capture == cudaStreamCaptureStatusNone || stream->capture_mode == cudaStreamCaptureModeRelaxed)
      continue;
    stream->capture = cudaStreamCaptureStatusInvalidated;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

void restart_schedule() { registry().random = Random(settings().seed); }

std::size_t pending_operations() {
  std::size_t pending = 0;
  for (const auto& stream : registry().streams)
    for (const auto& operation : stream->pending) pending += !is_done(operation);
  return pending;
}

}  // namespace emulator
