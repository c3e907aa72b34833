#pragma once

#include <optional>
#include <string>

#include <cuda_runtime_api.h>

namespace carbo::internal {

struct DeviceChoice {
  int device = -1;   ///< −1 where none can be used
  std::string text;  ///< its name and compute capability, or why there is none
};

/// `wanted`: −1 for the calling thread's current device where it is usable, or else the first that is; where work
/// goes to a stream of an application's, for the stream's own device and no other. Launches nothing, makes no context
/// and leaves no error behind. Throws InvalidOptions where the stream is none of the wanted device's.
DeviceChoice choose_device(int wanted, std::optional<cudaStream_t> stream);

}  // namespace carbo::internal
