#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace xz_tuning {

struct Arguments {
  double budget = 60;      ///< CPU seconds, summed over all runs of xz
  std::uint64_t seed = 7;  ///< of the search; the data are always the same
  std::size_t workers = 2;
  std::size_t size = 2u << 20;  ///< bytes of data, a multiple of 16
  bool verbose = false;
  bool help = false;
};

/// Throws std::invalid_argument naming the option at fault and what it takes.
Arguments parse_arguments(int argc, char** argv);

std::string usage();

}  // namespace xz_tuning
