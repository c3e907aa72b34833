#include "program/evaluation/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

namespace carbo::program {
namespace {

struct Entry {
  pid_t pid = 0;
  pid_t parent = 0;
  bool alive = false;
};

/// /proc/PID/stat is "pid (name) state parent …", and the name may hold anything.
bool read_entry(const char* name, Entry& entry) {
  const auto [end, error] = std::from_chars(name, name + std::strlen(name), entry.pid);
  if (error != std::errc{} || *end != '\0') return false;
  char path[288];
  std::snprintf(path, sizeof path, "/proc/%s/stat", name);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[512];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (size <= 0) return false;
  text[size] = '\0';
  const char* const after = std::strrchr(text, ')');
  char state = 'Z';
  if (after == nullptr || std::sscanf(after + 1, " %c %d", &state, &entry.parent) != 2) return false;
  entry.alive = state != 'Z' && state != 'X';
  return true;
}

}  // namespace

std::vector<pid_t> descendants(pid_t ancestor) {
  std::multimap<pid_t, Entry> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder) return {};
  while (const dirent* const item = ::readdir(folder.get())) {
    Entry entry;
    if (read_entry(item->d_name, entry)) children.emplace(entry.parent, entry);
  }
  std::vector<pid_t> found;
  std::vector<pid_t> open{ancestor};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      open.push_back(child->second.pid);
      if (child->second.alive) found.push_back(child->second.pid);
    }
  }
  return found;
}

}  // namespace carbo::program
