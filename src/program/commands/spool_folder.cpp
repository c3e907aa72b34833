#include "program/commands/spool_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t largest_file = 16u << 20;  ///< bytes of a result

[[noreturn]] void refuse_folder(const std::string& what) {
  throw StorageError(internal::text(what, ": ", std::strerror(errno)));
}

/// Moves a file to a name that nobody has. Network file systems cannot promise that in one step; they are looked at
/// first, and whoever else takes in this folder moves the same file.
bool move_new(int from, const std::string& name, int into, const std::string& kept) {
  if (::renameat2(from, name.c_str(), into, kept.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::faccessat(into, kept.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::renameat(from, name.c_str(), into, kept.c_str()) == 0;
}

}  // namespace

SpoolFolder::SpoolFolder(const std::string& path)
    : path_(path), folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.get() < 0) refuse_folder("the spool folder " + path + " cannot be opened");
  if (::mkdirat(folder_.get(), "done", 0777) != 0 && errno != EEXIST)
    refuse_folder("no folder 'done' can be made in " + path);
  done_ = Descriptor(::openat(folder_.get(), "done", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (done_.get() < 0) refuse_folder(path + "/done is no folder of it");
}

std::vector<std::string> SpoolFolder::names() const {
  const int copy = ::dup(folder_.get());
  DIR* const listing = copy < 0 ? nullptr : ::fdopendir(copy);
  if (listing == nullptr) refuse_folder("the spool folder " + path_ + " cannot be read");
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

std::optional<std::string> SpoolFolder::read(const std::string& name) const {
  const Descriptor file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT) return std::nullopt;
  if (file.get() < 0 && errno == ELOOP)
    throw InvalidObservation("it is a symbolic link; write the result itself into the folder");
  if (file.get() < 0) throw InvalidObservation(internal::text("it cannot be opened: ", std::strerror(errno)));
  struct stat what {};
  if (::fstat(file.get(), &what) != 0 || !S_ISREG(what.st_mode))
    throw InvalidObservation("it is no plain file; write the result as one");
  if (what.st_nlink > 1)
    throw InvalidObservation("it has another name elsewhere (a hard link); move it in, or copy it");
  if (static_cast<std::size_t>(what.st_size) > largest_file)
    throw InvalidObservation(internal::text("it has ", what.st_size, " bytes; a result has at most ", largest_file));
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

bool SpoolFolder::set_aside(const std::string& name) const {
  for (std::size_t copy = 1;; ++copy) {
    const std::string kept = copy == 1 ? name : internal::text(name, ".", copy);
    if (move_new(folder_.get(), name, done_.get(), kept)) return true;
    if (errno == ENOENT) return false;
    if (errno != EEXIST) refuse_folder(path_ + "/" + name + " cannot be moved to 'done'");
  }
}

}  // namespace carbo::program
