#pragma once

#include <string>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// What a program knows of itself.
struct BuildFacts {
  std::string flags;    ///< compiler and options
  std::string version;  ///< of Carbo
  std::string commit;   ///< that was built
};

/// What can be learned of the machine and the build; "unknown" where it cannot. Of cards: what nvidia-smi lists, one
/// after the other; which of them is used is the backend's to say.
Environment describe_environment(const BuildFacts& build);

/// Clocks, state and power limit of the cards at this moment, as nvidia-smi tells them. An idle card clocks down, so
/// that they mean something right after work alone.
std::string device_clocks();

/// The device in what a backend says of its choice: "cuda: NVIDIA L4 (device 0, compute capability 8.9), asked for"
/// without the first and the last part, which is the same however it was chosen.
std::string device_in(const std::string& reason);

}  // namespace carbo::bench
