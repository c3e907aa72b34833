#include "program/file/open_study.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "program/support/files.hpp"
#include "replay/csv.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

constexpr const char* text_key = "study_file";
constexpr const char* folder_key = "study_file_folder";
constexpr const char* prior_key = "study_file_prior";
constexpr const char* tries_key = "study_file_tries";

/// What decides what a result means. Of `cost` only how it is read: the store compares the rest.
constexpr const char* meaning[] = {"command",   "shell",    "input", "environment", "parameters_in_environment",
                                   "directory", "objective"};
constexpr const char* cost_meaning[] = {"read", "json", "stdout", "stderr", "file", "key", "measure", "factor"};

std::string shown(const Node* node) { return node == nullptr ? "absent" : to_toml(*node); }

void compare(const Node* before, const Node* now, const std::string& name, std::string& differences) {
  const std::string old_text = shown(before), new_text = shown(now);
  if (old_text != new_text) differences += text("\n  ", name, "\n    was ", old_text, "\n    is  ", new_text);
}

/// What differs between two study files in what a result means, a few lines each.
std::string differences_in_meaning(const Node& before, const Node& now) {
  std::string differences;
  for (const char* const key : meaning) compare(before.find(key), now.find(key), key, differences);
  const Node* const old_cost = before.find("cost");
  const Node* const new_cost = now.find("cost");
  const auto table = [](const Node* node) { return node != nullptr && node->get<Node::Table>() != nullptr; };
  if (!table(old_cost) && !table(new_cost)) {
    compare(old_cost, new_cost, "cost", differences);
    return differences;
  }
  for (const char* const key : cost_meaning) {
    const auto part = [&](const Node* cost) -> const Node* {
      if (table(cost)) return cost->find(key);
      return cost != nullptr && std::string_view(key) == "read" ? cost : nullptr;
    };
    compare(part(old_cost), part(new_cost), text("cost.", key), differences);
  }
  return differences;
}

void check_meaning(const StudyFile& file, const std::string& stored) {
  const Document before = parse_toml("the study's file", stored);
  const Document now = parse_toml(file.document.name, file.text);
  const std::string differences = differences_in_meaning(before.root, now.root);
  if (differences.empty()) return;
  throw IncompatibleStudy(text("study '", file.name, "' in ", file.storage.string(),
                               " was begun with a file that evaluates in another way; what it learned may not hold:",
                               differences, "\ngive the study another name, or say --accept-changes"));
}

std::string key_of(const Configuration& configuration, double objective, double cost) {
  return text(configuration.to_string(), "\n", replay::exact(objective), "\n", replay::exact(cost));
}

/// Of texts in their order; the same on every machine.
class Fingerprint {
 public:
  void add(std::string_view words) {
    for (const char c : words) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 1099511628211ull;  // FNV-1a
    }
    hash_ *= 1099511628211ull;
  }
  std::string text() const { return std::to_string(hash_); }

 private:
  std::uint64_t hash_ = 14695981039346656037ull;
};

/// Those of the file that the study does not have yet.
void tell_prior(Study& study, const StudyFile& file) {
  Fingerprint fingerprint;
  for (const Observation& seen : file.prior) fingerprint.add(key_of(seen.configuration, seen.objective, seen.cost));
  if (study.attribute(prior_key).value_or(Fingerprint().text()) == fingerprint.text()) return;
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, std::size_t> there;
  for (const Trial& trial : study.trials())
    if (trial.origin == Origin::prior)
      ++there[key_of(trial.configuration, trial.objective.value_or(not_known), trial.cost.value_or(not_known))];
  for (const Observation& seen : file.prior) {
    auto found = there.find(key_of(seen.configuration, seen.objective, seen.cost));
    if (found != there.end() && found->second > 0) {
      --found->second;
    } else if (std::isnan(seen.cost)) {
      study.tell_prior(seen.configuration, seen.objective);
    } else {
      study.tell(seen);
    }
  }
  study.set_attribute(prior_key, fingerprint.text());
}

/// Each once, however often the study is opened.
void enqueue_tries(Study& study, const StudyFile& file) {
  std::string done = study.attribute(tries_key).value_or("");
  std::map<std::string, std::size_t> there;
  for (std::size_t begin = 0; begin < done.size();) {
    const std::size_t end = std::min(done.find('\n', begin), done.size());
    ++there[done.substr(begin, end - begin)];
    begin = end + 1;
  }
  const std::string before = done;
  for (const Configuration& configuration : file.tries) {
    std::string key;
    for (const char c : configuration.to_string()) key += c == '\n' ? std::string("\\n") : std::string(1, c);
    if (std::size_t& count = there[key]; count > 0) {
      --count;
      continue;
    }
    study.enqueue(configuration);
    done += key + '\n';
  }
  if (done != before) study.set_attribute(tries_key, done);
}

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

/// A database file that is empty, or has another mark, is one all the same: its errors say what is wrong.
bool is_study_file(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return !is_database(path) && extension != ".db" && extension != ".sqlite" && extension != ".sqlite3";
}

/// The file that a study was begun with; absent where a program made it.
std::optional<StudyFile> kept_file(const StudyLocation& location, std::span<const Setting> settings = {}) {
  for (const Setting& setting : settings)
    if (setting.key == "storage")
      throw InvalidOptions(text("the study is in ", location.storage.string(), ", and storage is ", setting.value,
                                "; leave storage out, or name the study file"));
  const Study study = Study::open(location.storage, location.name);
  const auto kept = study.attribute(text_key);
  if (!kept) return std::nullopt;
  StudyFile file = parse_study_file(text("the study file kept in ", location.storage.string()), *kept,
                                    study.attribute(folder_key).value_or("."), settings);
  file.storage = location.storage;
  file.name = study.name();
  return file;
}

void check_kept(const StudyFile& file, const Study& study, Changes changes) {
  const auto kept = study.attribute(text_key);
  if (kept && *kept != file.text && changes == Changes::refuse) check_meaning(file, *kept);
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

}  // namespace

Study open_unchanged(const StudyFile& file, Changes changes) {
  std::optional<Study> study = stored_study(file);
  if (!study) return study_as_given(file);
  check_kept(file, *study, changes);
  return std::move(*study);
}

Study open_study(const StudyFile& file, Changes changes) {
  open_unchanged(file, changes);
  Study study = study_as_given(file);
  if (changes == Changes::leave && study.attribute(text_key)) return study;
  // Others may begin with the same file at the same moment: what is compared is what is changed.
  study.at_once([&] {
    const auto kept = study.attribute(text_key);
    if (kept && changes == Changes::leave) return;
    check_kept(file, study, changes);
    tell_prior(study, file);
    enqueue_tries(study, file);
    if (kept == file.text) return;
    std::error_code ignored;
    const std::filesystem::path folder = file.folder.empty() ? "." : file.folder;
    study.set_attribute(folder_key, std::filesystem::absolute(folder, ignored).lexically_normal().string());
    study.set_attribute(text_key, file.text);
  });
  return study;
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
  if (!file) return {std::nullopt, std::move(study)};
  Study with_code = Study::open(location.storage, location.name, file->how);
  return {std::move(file), std::move(with_code)};
}

OpenedStudy open_to_change(const std::string& argument, const std::string& name, const std::string& owner,
                           std::optional<std::chrono::milliseconds> lease, Changes changes) {
  const std::filesystem::path path = study_path(argument);
  const auto settled = [&](StudyOptions how, bool lease_given) {
    // Whoever asks from a shell is no process that could renew a lease.
    constexpr std::chrono::hours a_day{24};
    how.owner = owner;
    if (lease)
      how.lease = *lease;
    else if (!lease_given)
      how.lease = a_day;
    return how;
  };
  if (is_study_file(path)) {
    StudyFile file = read_study_file(path);
    file.how = settled(file.how, file.document.root.find("lease") != nullptr);
    Study study = open_study(file, changes);
    return {std::move(file), std::move(study)};
  }
  const StudyLocation location{path, name};
  std::optional<StudyFile> file = kept_file(location);
  if (!file) return {std::nullopt, Study::open(path, name, settled({}, false))};
  file->how = settled(file->how, file->document.root.find("lease") != nullptr);
  // Space and options as the study has them, with the code that only its file can give again.
  return {file, Study::open(path, file->name, file->how)};
}

}  // namespace carbo::program
