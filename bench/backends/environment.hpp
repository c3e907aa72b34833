#pragma once

#include <string>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// What a program knows of itself.
struct BuildFacts {
  std::string flags;          ///< compiler and options
  std::string version;        ///< of Carbo
  std::string source_folder;  ///< whose commit is named
};

/// What can be learned of the machine and the build; "unknown" where it cannot. Of cards: what nvidia-smi lists, one
/// after the other; which of them is used is the backend's to say.
Environment describe_environment(const BuildFacts& build);

}  // namespace carbo::bench
