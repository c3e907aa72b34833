#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/observation.hpp>
#include <carbo/study.hpp>

#include "program/evaluation/command.hpp"
#include "program/file/node.hpp"

namespace carbo::program {

/// What a study file says, or the arguments that stand for one.
struct StudyFile {
  std::filesystem::path path;    ///< empty where there is none
  std::filesystem::path folder;  ///< that relative paths in it start from
  std::string text;              ///< TOML that reads as this again
  std::string name;
  std::filesystem::path storage;
  Space space;
  Options options;
  StudyOptions how;                 ///< `how.given`: constraints, the pool and its columns
  bool counts_evaluations = false;  ///< the budget is `options.max_evaluations` alone
  bool limits_given = false;        ///< on the command line, in place of the file's
  std::optional<Command> command;   ///< absent where others evaluate: ask and tell
  Reading objective, cost;
  RunSettings run;
  std::vector<Observation> prior;  ///< Origin::prior; a cost that is not known is NaN
  std::vector<Configuration> tries;
  Document document;  ///< where everything stands, for messages
};

/// A `key = value` of a command line, in place of the file's or beside it. `value`: as TOML, or a text where it is
/// none.
struct Setting {
  std::string key;  ///< dotted: `cost.unit`, `parameters.level`
  std::string value;
};

/// Throws StudyFileError with file, line, column, what was wrong and what would be right. `settings` replace or add.
StudyFile read_study_file(const std::filesystem::path& path, std::span<const Setting> settings = {});
/// The same of a text; relative paths start from `folder`. `name`: in messages.
StudyFile parse_study_file(const std::string& name, std::string_view text, const std::filesystem::path& folder,
                           std::span<const Setting> settings = {});

/// Without a file; `name`: of the study, unless a setting says another.
StudyFile study_of_settings(const std::string& name, std::span<const Setting> settings);

/// A message of the library, whose enumerators are named as in C++, in the words of a study file: Accounting::sum is
/// accounting = "sum".
std::string in_words_of_the_file(std::string message);

/// Throws again what is being handled, with its place in the file where the message begins with the name of a setting
/// or a parameter.
[[noreturn]] void rethrow_with_place(const Document& document, const Error& error);

}  // namespace carbo::program
