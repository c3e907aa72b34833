#include "program/file/open_study.hpp"

#include "program/file/file_changes.hpp"
#include "program/file/first_points.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

Document kept_document(const std::string& kept) { return parse_toml("the study's file", kept); }

void check_kept(const StudyFile& file, const Study& study, Changes changes) {
  const auto kept = study.attribute(kept_text_key);
  if (!kept || *kept == file.text || changes != Changes::refuse) return;
  const Document now = parse_toml(file.document.name, file.text);
  const std::string differences = differences_in_meaning(kept_document(*kept).root, now.root);
  if (differences.empty()) return;
  throw IncompatibleStudy(text("study '", file.name, "' in ", file.storage.string(),
                               " was begun with a file that evaluates in another way; what it learned may not hold:",
                               differences, "\ngive the study another name, or say --accept-changes"));
}

/// The study as it is stored; absent where it has not begun, or the file is none: whoever creates it says what is
/// wrong.
std::optional<Study> stored_study(const StudyFile& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file.storage, ignored)) return std::nullopt;
  try {
    return Study::open(file.storage, file.name, file.how);
  } catch (const UnknownStudy&) {
    return std::nullopt;
  } catch (const StorageError&) {
    return std::nullopt;
  }
}

/// Creates it, or changes of it what may differ.
Study study_as_given(const StudyFile& file) {
  try {
    return Study::open(file.storage, file.name, file.space, file.options, file.how);
  } catch (const InvalidOptions& error) {
    rethrow_with_place(file.document, error);
  } catch (const InvalidSpace& error) {
    rethrow_with_place(file.document, error);
  }
}

/// Limits that were set while the study ran hold until its file has others, or the command line.
bool keeps_limits(const StudyFile& file, const Study& study) {
  const auto kept = study.attribute(kept_text_key);
  return kept && !file.limits_given &&
         same_limits(kept_document(*kept).root, parse_toml(file.document.name, file.text).root);
}

/// What the study goes on with that it did not have, or that its file does not say, in words.
std::string taken_up(const StudyFile& file, const Study& study, const std::optional<std::string>& kept) {
  std::string names;
  if (kept && *kept != file.text)
    names = changed_settings(kept_document(*kept).root, parse_toml(file.document.name, file.text).root);
  if (!names.empty()) return text(file.document.name, " has changed (", names, "): the study goes on with it");
  const Options& options = study.options();
  if (options.budget == file.options.budget && options.max_evaluations == file.options.max_evaluations) return {};
  return text("the limits of the study are not those of ", file.document.name,
              ": they were changed while it ran, and stay until the file has others");
}

}  // namespace

Study open_unchanged(const StudyFile& file, Changes changes) {
  std::optional<Study> study = stored_study(file);
  if (!study) return study_as_given(file);
  check_kept(file, *study, changes);
  return std::move(*study);
}

OpenedStudy open_study(StudyFile file, Changes changes) {
  std::optional<std::string> before;
  {
    const Study there = open_unchanged(file, changes);
    before = there.attribute(kept_text_key);
    file.how.keep_limits = keeps_limits(file, there);
  }
  Study study = study_as_given(file);
  // Others may begin with the same file at the same moment: what is compared is what is changed.
  study.at_once([&] {
    check_kept(file, study, changes);
    tell_prior(study, file);
    enqueue_tries(study, file);
    if (study.attribute(kept_text_key) == file.text) return;
    std::error_code ignored;
    const std::filesystem::path folder = file.folder.empty() ? "." : file.folder;
    study.set_attribute(kept_folder_key, std::filesystem::absolute(folder, ignored).lexically_normal().string());
    study.set_attribute(kept_text_key, file.text);
  });
  std::string note = taken_up(file, study, before);
  return {std::move(file), std::move(study), std::move(note)};
}

Study open_to_read(const std::string& argument, const std::string& name) {
  const StudyLocation location = locate_study(argument, name);
  std::error_code ignored;
  if (!std::filesystem::exists(location.storage, ignored))
    throw UnknownStudy(text("study '", location.name, "' has not begun: there is no ", location.storage.string(),
                            " yet; carbo run or carbo ask begins it"));
  return Study::open(location.storage, location.name);
}

OpenedStudy open_to_question(const std::string& argument, const std::string& name) {
  Study study = open_to_read(argument, name);
  const StudyLocation location{study.file(), study.name()};
  std::optional<StudyFile> file = kept_file(location);
  if (!file) return {std::nullopt, std::move(study), {}};
  Study with_code = Study::open(location.storage, location.name, file->how);
  return {std::move(file), std::move(with_code), {}};
}

namespace {

/// A study that is there, as it is: what its file says by now is left for those who run it.
OpenedStudy left_as_it_is(StudyFile file) {
  std::string note;
  const auto kept = Study::open(file.storage, file.name).attribute(kept_text_key);
  if (kept && *kept != file.text) {
    if (const std::string names = changed_settings(kept_document(*kept).root, file.document.root); !names.empty())
      note = text(file.document.name, " has changed (", names,
                  "): the study is left as it is; carbo run or carbo ask takes it up");
    file.how.given = kept_file({file.storage, file.name})->how.given;
  }
  Study study = Study::open(file.storage, file.name, file.how);
  return {std::move(file), std::move(study), std::move(note)};
}

/// Whoever asks from a shell is no process that could renew a lease.
StudyOptions of_a_shell(const StudyFile* file, const std::string& owner,
                        std::optional<std::chrono::milliseconds> lease) {
  constexpr std::chrono::hours a_day{24};
  StudyOptions how = file == nullptr ? StudyOptions{} : file->how;
  how.owner = owner;
  if (lease)
    how.lease = *lease;
  else if (file == nullptr || file->document.root.find("lease") == nullptr)
    how.lease = a_day;
  return how;
}

}  // namespace

OpenedStudy open_to_change(const std::string& argument, const std::string& name, const std::string& owner,
                           std::optional<std::chrono::milliseconds> lease, Changes changes) {
  const std::filesystem::path path = study_path(argument);
  if (is_study_file(path)) {
    StudyFile file = read_study_file(path);
    file.how = of_a_shell(&file, owner, lease);
    if (changes == Changes::leave && stored_study(file)) return left_as_it_is(std::move(file));
    return open_study(std::move(file), changes);
  }
  std::optional<StudyFile> file = kept_file({path, name});
  if (!file) return {std::nullopt, Study::open(path, name, of_a_shell(nullptr, owner, lease)), {}};
  file->how = of_a_shell(&*file, owner, lease);
  // Space and options as the study has them, with the code that only its file can give again.
  Study study = Study::open(path, file->name, file->how);
  return {std::move(file), std::move(study), {}};
}

}  // namespace carbo::program
