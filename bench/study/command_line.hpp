#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/study/method.hpp"
#include "bench/study/problem.hpp"
#include "bench/study/run.hpp"

namespace carbo::study {

struct CommandLine {
  std::size_t seeds = 51;
  std::size_t jobs = 0;  ///< threads; 0: one a core
  Settings settings;
  std::filesystem::path out = "study";
  std::vector<Problem> problems;
  std::vector<Method> methods;
  bool verbose = false;
  bool list = false;
  bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument naming the argument at fault.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace carbo::study
