#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <carbo/study.hpp>

#include "program/file/study_file.hpp"

namespace carbo::program {

/// Where a study lies, without what else its file says.
struct StudyLocation {
  std::filesystem::path storage;
  std::string name;  ///< empty: the only one of the file
};

/// What becomes of a study whose file now evaluates, or reads results, in another way.
enum class Changes {
  refuse,  ///< IncompatibleStudy with the difference
  accept,
  leave,  ///< nobody evaluates here: the study stays as it is, with the file that it has
};

/// Creates the study of a file, or goes on with it: tells prior data and enqueues starting points that it does not
/// have yet, and keeps the text.
Study open_study(const StudyFile& file, Changes changes);

/// `argument`: a study file (TOML) or a database of studies; empty: study.toml. `name`: of the study in a database.
StudyLocation locate_study(const std::string& argument, const std::string& name);

/// For reading what is stored; makes no optimizer.
Study open_to_read(const std::string& argument, const std::string& name);

/// For asking, telling and questions to the models. A database knows the text of its study's file.
struct OpenedStudy {
  std::optional<StudyFile> file;  ///< absent where a program made the study
  Study study;
};
OpenedStudy open_to_change(const std::string& argument, const std::string& name, const std::string& owner = {},
                           std::optional<std::chrono::milliseconds> lease = std::nullopt,
                           Changes changes = Changes::leave);

/// For questions to the models that are not to change anything: what is stored, with the code that only its file can
/// give again. Prior data and starting points that the file has by now are not told.
OpenedStudy open_to_question(const std::string& argument, const std::string& name);

}  // namespace carbo::program
