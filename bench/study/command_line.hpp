#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/study/problem.hpp"
#include "replay/methods.hpp"

namespace carbo::study {

/// What all runs of a study share.
struct Settings {
  std::size_t batch = 1;
  std::size_t candidates = 2048;
};

struct CommandLine {
  std::size_t seeds = 51;
  std::size_t jobs = 0;  ///< threads; 0: one a core
  Settings settings;
  std::filesystem::path out = "study";
  std::vector<Problem> problems;
  std::vector<replay::Method> methods;
  bool verbose = false;
  bool list = false;
  bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument naming the argument at fault.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace carbo::study
