#include "program/commands/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/commands/intake.hpp"
#include "program/commands/records.hpp"
#include "program/evaluation/descriptor.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t largest_file = 16u << 20;  ///< bytes of a result

[[noreturn]] void refuse_system(const std::string& what) {
  throw StorageError(internal::text(what, ": ", std::strerror(errno)));
}

/// A folder that is open, so that nobody can put another in its place.
class SpoolFolder {
 public:
  explicit SpoolFolder(const std::string& path)
      : path_(path), folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_.get() < 0) refuse_system("the spool folder " + path + " cannot be opened");
    if (::mkdirat(folder_.get(), "done", 0777) != 0 && errno != EEXIST)
      refuse_system("no folder 'done' can be made in " + path);
    done_ = Descriptor(::openat(folder_.get(), "done", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (done_.get() < 0) refuse_system(path + "/done is no folder of it");
  }

  const std::string& path() const { return path_; }

  /// `*.json` by name, hidden files aside.
  std::vector<std::string> names() const {
    const int copy = ::dup(folder_.get());
    DIR* const listing = copy < 0 ? nullptr : ::fdopendir(copy);
    if (listing == nullptr) refuse_system("the spool folder " + path_ + " cannot be read");
    std::vector<std::string> all;
    ::rewinddir(listing);
    while (const dirent* const entry = ::readdir(listing)) {
      const std::string name = entry->d_name;
      if (name.ends_with(".json") && !name.starts_with(".")) all.push_back(name);
    }
    ::closedir(listing);
    std::ranges::sort(all);
    return all;
  }

  /// Throws InvalidObservation where it is no plain file of this folder.
  std::string read(const std::string& name) const {
    const Descriptor file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 && errno == ELOOP)
      throw InvalidObservation("it is a symbolic link; write the result itself into the folder");
    if (file.get() < 0) throw InvalidObservation(internal::text("it cannot be opened: ", std::strerror(errno)));
    struct stat what {};
    if (::fstat(file.get(), &what) != 0 || !S_ISREG(what.st_mode))
      throw InvalidObservation("it is no plain file; write the result as one");
    if (what.st_nlink > 1)
      throw InvalidObservation("it has another name elsewhere (a hard link); move it in, or copy it");
    if (static_cast<std::size_t>(what.st_size) > largest_file)
      throw InvalidObservation(
          internal::text("it has ", what.st_size, " bytes; a result has at most ", largest_file));
    std::string text(static_cast<std::size_t>(what.st_size), '\0');
    std::size_t got = 0;
    while (got < text.size()) {
      const ssize_t count = ::read(file.get(), text.data() + got, text.size() - got);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw InvalidObservation(internal::text("it cannot be read: ", std::strerror(errno)));
      if (count == 0) break;
      got += static_cast<std::size_t>(count);
    }
    text.resize(got);
    return text;
  }

  void set_aside(const std::string& name) const {
    for (std::size_t copy = 1;; ++copy) {
      const std::string kept = copy == 1 ? name : internal::text(name, ".", copy);
      if (::renameat2(folder_.get(), name.c_str(), done_.get(), kept.c_str(), RENAME_NOREPLACE) == 0) return;
      if (errno != EEXIST) refuse_system(path_ + "/" + name + " cannot be moved to 'done'");
    }
  }

 private:
  std::string path_;
  Descriptor folder_, done_;
};

/// Whether the study has this result already: it was taken in, and the file not yet moved.
bool known_already(const Study& study, const ResultRecord& result) {
  const auto trial = study.trial(*result.id);
  if (!trial || trial->state == TrialState::waiting || trial->state == TrialState::running) return false;
  if (result.failed || result.timed_out)
    return (trial->state == TrialState::failed || trial->state == TrialState::timed_out) &&
           trial->cost == result.cost.value_or(0);
  return trial->state == TrialState::succeeded && trial->objective == result.objective && trial->cost == result.cost;
}

void take_in(Study& study, const std::string& text) {
  const Json json = [&] {
    try {
      return parse_json(text, "it");
    } catch (const InvalidObservation& error) {
      const bool cut = text.empty() || text.find_last_not_of(" \t\r\n") == std::string::npos ||
                       text[text.find_last_not_of(" \t\r\n")] != '}';
      if (!cut) throw;
      throw InvalidObservation(std::string(error.what()) +
                               "; is it half written? Write under another name, and rename it when it is whole");
    }
  }();
  const ResultRecord result = result_of(study.space(), json, "it");
  if (!result.id) throw InvalidObservation("it has no 'id'; a result in a spool folder names its suggestion");
  try {
    record(study, result);
  } catch (const UnknownSuggestion&) {
    if (!known_already(study, result)) throw;
  }
}

}  // namespace

Exit take_in_spool(Terminal& terminal, Study& study, const std::string& folder) {
  const SpoolFolder spool(folder);
  Intake intake(terminal);
  for (const std::string& name : spool.names())
    if (intake.take(spool.path() + "/" + name, [&] { take_in(study, spool.read(name)); })) spool.set_aside(name);
  return intake.end();
}

}  // namespace carbo::program
