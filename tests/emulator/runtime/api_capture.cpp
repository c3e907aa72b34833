// Stream capture: a stream can say that it is capturing, and calls fail as they would. Nothing is recorded.
#include <utility>

#include "api.hpp"
#include "streams.hpp"

using namespace emulator;

namespace {

// Stands for every graph that a capture makes; all of them are empty.
char empty_graph;

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api_call("cudaStreamBeginCapture", [&] {
    Stream* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    // Documented: the legacy default stream cannot be captured.
    if (stream->is_legacy_default) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture != cudaStreamCaptureStatusNone) return cudaErrorIllegalState;
    stream->capture = cudaStreamCaptureStatusActive;
    stream->capture_mode = mode;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api_call("cudaStreamEndCapture", [&] {
    Stream* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture == cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnmatched;
    const bool whole = stream->capture == cudaStreamCaptureStatusActive;
    stream->capture = cudaStreamCaptureStatusNone;
    *graph = whole ? reinterpret_cast<cudaGraph_t>(&empty_graph) : nullptr;
    return whole ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_call("cudaGraphDestroy", [&] {
    return graph == reinterpret_cast<cudaGraph_t>(&empty_graph) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api_call("cudaStreamIsCapturing", [&] {
    const Stream* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *status = stream->capture;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count_of_dependencies) {
  return api_call("cudaStreamGetCaptureInfo", [&] {
    const Stream* const stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *status = stream->capture;
    if (id) *id = stream->id;
    if (graph) *graph = reinterpret_cast<cudaGraph_t>(&empty_graph);
    if (dependencies) *dependencies = nullptr;
    if (edges) *edges = nullptr;
    if (count_of_dependencies) *count_of_dependencies = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_capture_mode());
  return cudaSuccess;
}
