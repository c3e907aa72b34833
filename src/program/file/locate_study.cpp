#include "program/file/locate_study.hpp"

#include <fstream>

#include "program/support/files.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

bool is_database(const std::filesystem::path& path) {
  constexpr std::string_view mark = "SQLite format 3";
  std::ifstream in(path, std::ios::binary);
  std::string begin(mark.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in.gcount() == static_cast<std::streamsize>(mark.size()) && begin == mark;
}

/// Where somebody forgot the option of what is no file.
std::string hint_for(const std::string& argument) {
  if (argument.find('=') != std::string::npos) return text(" (a value is given as --at ", argument, ")");
  if (argument.find_first_not_of("0123456789") == std::string::npos)
    return text(" (an id is given as --id ", argument, ")");
  return {};
}

}  // namespace

std::filesystem::path study_path(const std::string& argument) {
  std::error_code ignored;
  if (!argument.empty()) {
    if (!std::filesystem::exists(argument, ignored))
      throw UnknownStudy(text("there is no file ", argument,
                              "; give a study file, which carbo init writes, or a database", hint_for(argument)));
    return argument;
  }
  if (!std::filesystem::exists("study.toml", ignored))
    throw UnknownStudy(
        "no study was named, and there is no study.toml here; name its file, or write one: carbo init");
  return "study.toml";
}

bool is_study_file(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return !is_database(path) && extension != ".db" && extension != ".sqlite" && extension != ".sqlite3";
}

std::optional<StudyFile> kept_file(const StudyLocation& location, std::span<const Setting> settings) {
  for (const Setting& setting : settings)
    if (setting.key == "storage")
      throw InvalidOptions(text("the study is in ", location.storage.string(), ", and storage is ", setting.value,
                                "; leave storage out, or name the study file"));
  const Study study = Study::open(location.storage, location.name);
  const auto kept = study.attribute(kept_text_key);
  if (!kept) return std::nullopt;
  StudyFile file = parse_study_file(text("the study file kept in ", location.storage.string()), *kept,
                                    study.attribute(kept_folder_key).value_or("."), settings);
  file.storage = location.storage;
  file.name = study.name();
  return file;
}

StudyLocation locate_study(const std::string& argument, const std::string& name) {
  const std::filesystem::path path = study_path(argument);
  if (!is_study_file(path)) return {path, name};
  const Document document = parse_toml(path.string(), read_whole_file(path));
  const auto word = [&](const char* key) {
    const Node* const node = document.root.find(key);
    const auto* const words = node == nullptr ? nullptr : node->get<std::string>();
    return words == nullptr ? std::string() : *words;
  };
  StudyLocation location;
  location.name = word("name").empty() ? path.stem().string() : word("name");
  const std::string storage = word("storage").empty() ? location.name + ".db" : word("storage");
  location.storage = path.parent_path() / storage;
  return location;
}

StudyFile study_file_of(const std::string& argument, const std::string& name, std::span<const Setting> settings) {
  const std::filesystem::path path = study_path(argument);
  if (is_study_file(path)) return read_study_file(path, settings);
  std::optional<StudyFile> file = kept_file({path, name}, settings);
  if (!file)
    throw UnknownStudy(
        text("the study in ", path.string(), " was made by a program, and keeps no study file; name a study file"));
  return std::move(*file);
}

}  // namespace carbo::program
