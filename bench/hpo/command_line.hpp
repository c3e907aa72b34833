#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/hpo/experiments.hpp"

namespace carbo::hpo {

struct CommandLine {
  Seeds seeds{};
  std::size_t jobs = 0;                    ///< threads; 0: one a core
  std::filesystem::path data{};            ///< folder of the tables
  std::filesystem::path out = "hpo";       ///< of runs, report and figures
  std::vector<std::string> experiments{};  ///< empty: all
  std::vector<std::string> problems{};     ///< empty: all
  std::vector<std::string> server{};       ///< command of the live check's child; empty: no live check
  bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument naming the argument at fault.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace carbo::hpo
