#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/choice/split.hpp"
#include "bench/choice/variants.hpp"

namespace carbo::choice {

struct CommandLine {
  Half half = Half::choosing;
  bool look = false;  ///< at the end
  std::vector<Variant> variants{};
  std::vector<std::string> problems{};            ///< empty: all of the half
  std::vector<std::size_t> budgets{25, 50, 100};  ///< in mean costs
  std::vector<std::size_t> batches{1};
  std::size_t seeds = 51;
  std::size_t jobs = 0;  ///< threads; 0: one a core
  std::string detail{};  ///< variant of the table by problem; empty: the last of `variants`
  std::filesystem::path data{};
  std::filesystem::path out = "choice";
  bool list = false;
  bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument naming the argument at fault, or where the end is asked for without saying that it is
/// to be looked at.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace carbo::choice
