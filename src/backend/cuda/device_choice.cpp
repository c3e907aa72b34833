#include "backend/cuda/device_choice.hpp"

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// The oldest that the kernels are compiled for.
constexpr int least_major = 7;
constexpr int least_minor = 5;

std::string version_text(int version) { return text(version / 1000, ".", version % 1000 / 10); }

/// Why there is not a single device. The runtime says "driver too old" where there is no driver at all, too.
std::string no_device_text(cudaError_t error) {
  if (error == cudaErrorNoDevice) return "no CUDA device was found";
  if (error != cudaErrorInsufficientDriver) {
    return text("CUDA does not start: ", cudaGetErrorName(error), " (", cudaGetErrorString(error), ")");
  }
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no CUDA driver was found";
  cudaRuntimeGetVersion(&runtime);
  return text("the CUDA driver supports version ", version_text(driver), " and this library needs ",
              version_text(runtime), "; install a newer driver");
}

/// True and the device's name, or false and why it cannot be used.
bool usable(int device, std::string& description) {
  cudaDeviceProp properties{};
  int mode = cudaComputeModeDefault;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device);
  if (error != cudaSuccess) {
    cudaGetLastError();
    description = text("CUDA device ", device, " does not answer: ", cudaGetErrorName(error));
    return false;
  }
  const bool capable =
      properties.major > least_major || (properties.major == least_major && properties.minor >= least_minor);
  description = text(properties.name, " (device ", device, ", compute capability ", properties.major, ".",
                     properties.minor, ")");
  if (!capable) description += text(" is too old: ", least_major, ".", least_minor, " is needed");
  if (capable && mode == cudaComputeModeProhibited) description += " may not be used: its compute mode is prohibited";
  return capable && mode != cudaComputeModeProhibited;
}

int current_device_or_first() {
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) return device;
  cudaGetLastError();
  return 0;
}

/// The default streams are of whichever device is current.
bool of_every_device(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

int device_of(cudaStream_t stream, int wanted) {
  if (of_every_device(stream)) return wanted == -1 ? current_device_or_first() : wanted;
  int device = 0;
  if (const cudaError_t error = cudaStreamGetDevice(stream, &device); error != cudaSuccess) {
    cudaGetLastError();
    throw InvalidOptions(text("the stream that was given cannot be used (", cudaGetErrorName(error),
                              "); give one that lives as long as what uses it"));
  }
  if (wanted != -1 && wanted != device)
    throw InvalidOptions(text("the stream that was given is one of device ", device, ", but device ", wanted,
                              " was asked for; give a stream of that device, or leave the device open (-1)"));
  return device;
}

}  // namespace

DeviceChoice choose_device(int wanted, std::optional<cudaStream_t> stream) {
  int count = 0;
  // What it writes is valid only where it succeeds.
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    cudaGetLastError();
    return {-1, no_device_text(error == cudaSuccess ? cudaErrorNoDevice : error)};
  }
  DeviceChoice choice;
  if (wanted >= count || wanted < -1) {
    choice.text = text("backend.device is ", wanted, ", but there are ", count, " CUDA devices, counted from 0");
    return choice;
  }
  if (stream) wanted = device_of(*stream, wanted);
  const int first = wanted == -1 ? current_device_or_first() : wanted;
  const int tried = wanted == -1 ? count : 1;
  for (int i = 0; i < tried; ++i) {
    // The first, then all others in their order.
    const int device = i == 0 ? first : i - (i <= first ? 1 : 0);
    std::string description;
    if (usable(device, description)) return {device, description};
    choice.text += (choice.text.empty() ? "" : "; ") + description;
  }
  return choice;
}

}  // namespace carbo::internal
