#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "program/file/study_file.hpp"

namespace carbo::program {

/// Attributes of a study: the text of its file, and the folder that relative paths in it start from.
inline constexpr const char* kept_text_key = "study_file";
inline constexpr const char* kept_folder_key = "study_file_folder";

/// Where a study lies, without what else its file says.
struct StudyLocation {
  std::filesystem::path storage;
  std::string name;  ///< empty: the only one of the file
};

/// `argument`, or study.toml where it is empty. Throws UnknownStudy where there is no such file.
std::filesystem::path study_path(const std::string& argument);
/// Or a database: one that is empty, or has another mark, is one all the same, and its errors say what is wrong.
bool is_study_file(const std::filesystem::path& path);

/// `argument`: a study file (TOML) or a database of studies; empty: study.toml. `name`: of the study in a database.
StudyLocation locate_study(const std::string& argument, const std::string& name);

/// The file that a study was begun or last run with; absent where a program made it.
std::optional<StudyFile> kept_file(const StudyLocation& location, std::span<const Setting> settings = {});

/// The study file itself, or the one that a database keeps, with `settings` in place of its own or beside them.
/// Throws UnknownStudy where there is neither.
StudyFile study_file_of(const std::string& argument, const std::string& name, std::span<const Setting> settings = {});

}  // namespace carbo::program
