#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/choice/experiments.hpp"
#include "bench/choice/split.hpp"
#include "bench/choice/variants.hpp"

namespace carbo::choice {

struct CommandLine {
  ProblemSet set = ProblemSet::choosing;
  std::vector<Variant> variants{};
  std::vector<std::string> problems{};               ///< empty: all of the set
  std::vector<std::pair<Variant, Variant>> pairs{};  ///< each is measured against the second
  std::vector<Variant> totals{};                     ///< to be run in batches of 16 at equal total cost
  std::vector<Variant> optuna{};                     ///< samplers to be compared with, all proposing freely
  Plan plan{};
  std::size_t jobs = 0;  ///< threads; 0: one a core
  std::string detail{};  ///< variant of the table by problem; empty: the last of `variants`
  std::filesystem::path data{};
  std::filesystem::path out = "choice";
  bool list = false;
  bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument naming the argument at fault, or where a set other than that for choosing is asked
/// for without saying that it is to be looked at.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace carbo::choice
