#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <carbo/study.hpp>

#include "program/file/locate_study.hpp"
#include "program/file/study_file.hpp"

namespace carbo::program {

/// What becomes of a study whose file has changed.
enum class Changes {
  refuse,  ///< the study goes on with it, but IncompatibleStudy with the difference where results mean something else
  accept,  ///< it goes on with it even then
  leave,   ///< nobody evaluates here: the study stays as it is, with the file that it has
};

/// A study, and what is to be said about it.
struct OpenedStudy {
  std::optional<StudyFile> file;  ///< absent where a program made the study
  Study study;
  std::string note;  ///< of a file that has changed, and what became of it; empty: nothing
};

/// The study of a file as it is stored, or one that is made where it has not begun: what is there is not changed.
/// Throws IncompatibleStudy as `open_study`.
Study open_unchanged(const StudyFile& file, Changes changes);

/// Creates the study of a file, or goes on with it: tells prior data and enqueues starting points that it does not
/// have yet, and keeps the text. Limits that were set since (Study::change_limits) hold until the file has others.
OpenedStudy open_study(StudyFile file, Changes changes);

/// For reading what is stored; makes no optimizer.
Study open_to_read(const std::string& argument, const std::string& name);

/// For asking, telling and questions to the models. A database knows the text of its study's file.
OpenedStudy open_to_change(const std::string& argument, const std::string& name, const std::string& owner = {},
                           std::optional<std::chrono::milliseconds> lease = std::nullopt,
                           Changes changes = Changes::leave);

/// For questions to the models that are not to change anything: what is stored, with the code that only its file can
/// give again. Prior data and starting points that the file has by now are not told.
OpenedStudy open_to_question(const std::string& argument, const std::string& name);

}  // namespace carbo::program
