#pragma once

#include <filesystem>
#include <functional>

#include <carbo/study.hpp>

#include "program/file/study_file.hpp"

namespace carbo::program {

/// What `carbo run` was asked for beside the study file.
struct RunArguments {
  bool join = false;                    ///< beside another runner of the same study, instead of being refused
  bool quiet = false;                   ///< nothing but errors and failures
  bool verbose = false;                 ///< plain lines with every evaluation's configuration, too
  bool plain = false;                   ///< plain lines even in a terminal
  std::filesystem::path evaluations{};  ///< folder of their folders; empty: `evaluations_folder`
};

/// What `carbo run` ends with, beside what every command may (Exit). One that was interrupted and has saved: 128 and
/// the signal (130, 143, 129).
enum RunExit : int {
  run_over = 0,      ///< the study is over: budget, number, target, nothing left
  run_error = 1,     ///< storage, disk, a mistake in the command; said on standard error
  run_busy = 5,      ///< another process runs this study
  run_failures = 8,  ///< too many evaluations failed in a row
};

/// STORAGE without its ending, `.runs`, and in it a folder of the study's name.
std::filesystem::path evaluations_folder(const StudyFile& file);

/// Runs the study to its end or until it is interrupted. `open` makes or continues it (prior data, points to try)
/// with the options that it is given; it is called after the process that starts evaluations was made, and the caller
/// has no threads yet. The file has a command. Returns what the program ends with; throws what `open` throws, and
/// InvalidOptions where the command does not fit the space.
int run_study(const StudyFile& file, const std::function<Study(const StudyOptions&)>& open,
              const RunArguments& arguments);

}  // namespace carbo::program
