// Registration by nvcc's host code, kernel attributes and launches of the runtime API.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "api.hpp"
#include "counters.hpp"
#include "device_model.hpp"
#include "modules.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "settings.hpp"
#include "streams.hpp"

using namespace emulator;

namespace {

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
// nvcc's host code pushes the shape in kernel<<<...>>> and pops it in the stub of the kernel.
thread_local std::vector<LaunchShape> pushed_shapes;

DeviceModel model() { return device_model(compute_capability()); }

std::size_t dynamic_shared_limit(const Kernel& kernel) {
  if (kernel.dynamic_shared_limit >= 0) return static_cast<std::size_t>(kernel.dynamic_shared_limit);
  return shared_without_opt_in - std::min<std::size_t>(shared_without_opt_in, kernel.record->dynamic_shared_offset);
}

// PTX is made for its target and everything after it.
bool has_image(const Kernel& kernel) { return kernel.module->record->target <= compute_capability(); }

// Null where the shape can be launched; otherwise what is wrong with it, and the error.
const char* complaint(const Kernel& kernel, const LaunchShape& s, cudaError_t& error) {
  const auto outside = [](const dim3& d, unsigned x, unsigned y, unsigned z) {
    return d.x == 0 || d.y == 0 || d.z == 0 || d.x > x || d.y > y || d.z > z;
  };
  const std::uint64_t threads = std::uint64_t(s.block.x) * s.block.y * s.block.z;
  const KernelRecord& record = *kernel.record;
  error = cudaErrorInvalidConfiguration;
  if (outside(s.grid, 2147483647, 65535, 65535)) return "the grid is empty or too large";
  if (outside(s.block, 1024, 1024, 64) || threads > max_threads_per_block) return "the block is empty or too large";
  const std::uint32_t* required = record.required_block;
  if (required[0] && (s.block.x != required[0] || s.block.y != required[1] || s.block.z != required[2]))
    return "the block is not the one that the kernel requires";
  error = cudaErrorLaunchOutOfResources;
  if (record.max_threads && threads > record.max_threads) return "the block exceeds the kernel's launch bounds";
  error = cudaErrorInvalidValue;
  if (s.shared > dynamic_shared_limit(kernel)) return "more dynamic shared memory than the kernel may have";
  return nullptr;
}

cudaError_t bad_launch(const Kernel& kernel, const LaunchShape& s, const char* complaint_text, cudaError_t error) {
  const char* const format =
      "bad launch configuration for %s: %s: grid (%u, %u, %u), block (%u, %u, %u), %zu bytes of "
      "dynamic shared memory";
  const std::string name = readable_name(kernel.name.c_str());
  if (settings().abort_on_bad_launch)
    defect(format, name.c_str(), complaint_text, s.grid.x, s.grid.y, s.grid.z, s.block.x, s.block.y, s.block.z,
           s.shared);
  note(format, name.c_str(), complaint_text, s.grid.x, s.grid.y, s.grid.z, s.block.x, s.block.y, s.block.z, s.shared);
  return error;
}

// The arguments belong to the caller: they are copied at the call, by the sizes of the PTX parameters.
struct ArgumentCopy {
  std::vector<std::unique_ptr<std::uint64_t[]>> storage;
  std::vector<std::uint8_t*> pointers;

  ArgumentCopy(const KernelRecord& record, void** arguments) {
    for (std::uint32_t i = 0; i < record.parameter_count; ++i) {
      const std::uint32_t bytes = record.parameter_sizes[i];
      storage.push_back(std::make_unique<std::uint64_t[]>((bytes + 15) / 16 * 2));
      std::memcpy(storage.back().get(), arguments[i], bytes);
      pointers.push_back(reinterpret_cast<std::uint8_t*>(storage.back().get()));
    }
  }
};

cudaError_t launch(const void* function, const LaunchShape& shape, void** arguments) {
  Kernel* const kernel = find_kernel(function);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_work(shape.stream, stream)) return error;
  if (stream->device != current_device()) return cudaErrorInvalidResourceHandle;
  if (!has_image(*kernel)) return cudaErrorNoKernelImageForDevice;
  cudaError_t error = cudaSuccess;
  if (const char* text = complaint(*kernel, shape, error)) return bad_launch(*kernel, shape, text, error);
  count("launches");
  const KernelRecord* const record = kernel->record;
  Module* const module = kernel->module;
  const int device = stream->device;
  const auto copied = std::make_shared<ArgumentCopy>(*record, arguments);
  submit(*stream, record->name, [=] {
    GridRequest request{};
    request.kernel = record;
    const unsigned grid[3] = {shape.grid.x, shape.grid.y, shape.grid.z};
    const unsigned block[3] = {shape.block.x, shape.block.y, shape.block.z};
    std::memcpy(request.grid, grid, sizeof grid);
    std::memcpy(request.block, block, sizeof block);
    request.dynamic_shared = static_cast<std::uint32_t>(shape.shared);
    request.globals = prepare_module(*module, device);
    request.parameters = copied->pointers.data();
    run_grid(request);
    take_work(*module->record->work);
  });
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, const void* function, int block_size, std::size_t dynamic_shared) {
  Kernel* const kernel = find_kernel(function);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  if (block_size <= 0) return cudaErrorInvalidValue;
  const DeviceModel m = model();
  const int largest =
      kernel->record->max_threads ? static_cast<int>(kernel->record->max_threads) : max_threads_per_block;
  *blocks = 0;
  if (block_size > largest || dynamic_shared > dynamic_shared_limit(*kernel)) return cudaSuccess;
  const int threads = (block_size + 31) / 32 * 32;
  const std::size_t shared = kernel->record->dynamic_shared_offset + dynamic_shared + m.reserved_shared;
  *blocks = std::min(m.blocks_per_multiprocessor, m.threads_per_multiprocessor / threads);
  *blocks = std::min(*blocks, registers_per_block / (threads * registers_per_thread));
  if (shared) *blocks = static_cast<int>(std::min<std::size_t>(*blocks, m.shared_per_multiprocessor / shared));
  return cudaSuccess;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Locked locked(runtime_lock());
  return reinterpret_cast<void**>(register_module(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaUnregisterFatBinary(void** module) {
  Locked locked(runtime_lock());
  unregister_module(reinterpret_cast<Module*>(module));
}

void __cudaRegisterFunction(void** module, const char* host_function, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  Locked locked(runtime_lock());
  register_kernel(reinterpret_cast<Module*>(module), host_function, name);
}

void __cudaRegisterVar(void** module, char* host_variable, char*, const char* name, int, size_t, int, int) {
  Locked locked(runtime_lock());
  register_variable(reinterpret_cast<Module*>(module), host_variable, name);
}

// __managed__ variables live on the host as well as on the device; the emulator keeps the two apart.
void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, size_t, int, int) {
  note("the __managed__ variable %s is not supported", name);
  std::exit(2);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  pushed_shapes.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (pushed_shapes.empty()) return remember(cudaErrorInvalidConfiguration);
  const LaunchShape shape = pushed_shapes.back();
  pushed_shapes.pop_back();
  *grid = shape.grid;
  *block = shape.block;
  *shared = shape.shared;
  *static_cast<cudaStream_t*>(stream) = shape.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}

}  // extern "C"

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return api_call("cudaLaunchKernel", [&] { return launch(function, {grid, block, shared, stream}, arguments); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return api_call("cudaLaunchKernelExC", [&] {
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      // Without them the kernel would mean something else; the other attributes are hints.
      const auto id = config->attrs[i].id;
      if (id == cudaLaunchAttributeCooperative && config->attrs[i].val.cooperative) return cudaErrorNotSupported;
      if (id == cudaLaunchAttributeClusterDimension) return cudaErrorNotSupported;
    }
    return launch(function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream}, arguments);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return api_call("cudaLaunchCooperativeKernel", [] { return cudaErrorNotSupported; });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api_call("cudaFuncGetAttributes", [&] {
    Kernel* const kernel = find_kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!has_image(*kernel)) return cudaErrorNoKernelImageForDevice;
    std::memset(attributes, 0, sizeof *attributes);
    const KernelRecord& record = *kernel->record;
    attributes->sharedSizeBytes = record.static_shared;
    attributes->localSizeBytes = record.local_bytes;
    attributes->maxThreadsPerBlock =
        record.max_threads ? static_cast<int>(record.max_threads) : max_threads_per_block;
    attributes->numRegs = registers_per_thread;
    attributes->ptxVersion = attributes->binaryVersion = kernel->module->record->target;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(*kernel));
    attributes->preferredShmemCarveout = -1;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api_call("cudaFuncSetAttribute", [&] {
    Kernel* const kernel = find_kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorNotSupported;
    const std::size_t available = model().shared_opt_in - kernel->record->dynamic_shared_offset;
    if (value < 0 || static_cast<std::size_t>(value) > available) return cudaErrorInvalidValue;
    kernel->dynamic_shared_limit = value;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api_call("cudaFuncSetCacheConfig",
                  [&] { return find_kernel(function) ? cudaSuccess : cudaErrorInvalidDeviceFunction; });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int size,
                                                          size_t shared) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                  [&] { return occupancy(blocks, function, size, shared); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int size,
                                                                   size_t shared, unsigned) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                  [&] { return occupancy(blocks, function, size, shared); });
}
