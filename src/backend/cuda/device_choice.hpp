#pragma once

#include <string>

namespace carbo::internal {

struct DeviceChoice {
  int device = -1;   ///< −1 where none can be used
  std::string text;  ///< its name and compute capability, or why there is none
};

/// `wanted`: −1 for the calling thread's current device where it is usable, or else the first that is. Launches
/// nothing, creates no context and leaves no error behind.
DeviceChoice choose_device(int wanted);

}  // namespace carbo::internal
