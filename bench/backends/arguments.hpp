#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/backends/compare.hpp"
#include "bench/backends/job.hpp"
#include "bench/backends/model.hpp"

namespace carbo::bench {

/// Every job runs at every combination of these.
struct Grid {
  std::vector<std::size_t> n{};
  std::vector<std::size_t> m{};
  std::vector<std::size_t> d{};
  std::vector<std::size_t> b{};
  std::vector<std::size_t> fantasies{};
};

/// small: seconds, also where a device is emulated and limit_size is 64; default: two minutes on two cores; large:
/// for a card. Throws std::invalid_argument for another name.
Grid grid_by_name(const std::string& name);

struct Arguments {
  Grid grid = grid_by_name("default");
  std::vector<Job> jobs{all_jobs.begin(), all_jobs.end()};
  bool batched = false;  ///< batches with hyperparameters of their own for each fantasy too
  bool cpu = true;
  bool cuda = true;
  bool cuda_required = false;  ///< named alone: no device is an error
  std::size_t repeats = 5;
  std::size_t limit_size = 4096;  ///< rows of the matrices that a device's limit is measured with
  std::vector<Card> cards{};      ///< of the model; empty: all that are known
  std::optional<std::filesystem::path> out{};
  std::optional<std::pair<std::filesystem::path, std::filesystem::path>> compare{};  ///< earlier, later
  double threshold = least_change;
  bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument naming the argument at fault.
Arguments parse_arguments(const std::vector<std::string>& arguments);

/// Why no backend can run the case; empty where one can.
std::string why_impossible(const Case& c);

/// What the arguments ask for, each case once, those that are impossible included.
std::vector<Case> cases_of(const Arguments& arguments);

}  // namespace carbo::bench
