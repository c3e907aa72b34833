#pragma once

#include <filesystem>

#include "program/file/study_file.hpp"

namespace carbo::program {

/// What `carbo run` was asked for beside the study file.
struct RunArguments {
  bool accept_changes = false;          ///< the study may have been begun with a file that evaluates in another way
  bool join = false;                    ///< beside another runner of the same study, instead of being refused
  bool quiet = false;                   ///< nothing but errors and failures
  bool verbose = false;                 ///< plain lines with every evaluation's configuration, too
  bool plain = false;                   ///< plain lines even in a terminal
  std::filesystem::path evaluations{};  ///< folder of their folders; empty: `evaluations_folder`
};

/// What `carbo run` ends with, beside what every command may (Exit). One that was interrupted and has saved: 128 and
/// the signal (130, 143, 129).
enum RunExit : int {
  run_over = 0,       ///< the study is over: budget, number, target, nothing left
  run_error = 1,      ///< storage, disk, a mistake in the command; said on standard error
  run_busy = 5,       ///< another process runs this study
  run_failures = 8,   ///< too many evaluations failed in a row, or none succeeded
  run_elsewhere = 9,  ///< the study is not over: what is left is with others
};

/// STORAGE without its ending, `.runs`, and in it a folder of the study's name.
std::filesystem::path evaluations_folder(const StudyFile& file);

/// Runs the study to its end or until it is interrupted. The caller has no threads yet; the file has a command.
/// Returns what the program ends with. Throws what `open_study` throws, StudyBusy where another runs the study, and
/// InvalidOptions where the command does not fit the space: the study is then as it was.
int run_study(StudyFile file, const RunArguments& arguments);

}  // namespace carbo::program
