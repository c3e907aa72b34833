#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

extern char** environ;

namespace resumed_tuning {
namespace {

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

/// Closed on exec, so that a child that another thread starts meanwhile does not hold the pipe open.
Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) check(errno, "pipe2");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// A nameless file for stderr: no second pipe to drain while the first is read.
FileDescriptor make_scratch_file() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  if (!file) check(errno, "tmpfile");
  const int fd = ::fcntl(fileno(file.get()), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) check(errno, "fcntl");
  return FileDescriptor(fd);
}

class FileActions {
 public:
  FileActions() { check(::posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init"); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void open_for_reading(int fd, const std::string& path) {
    check(::posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), O_RDONLY, 0), "addopen");
  }
  void duplicate(int from, int to) { check(::posix_spawn_file_actions_adddup2(&actions_, from, to), "adddup2"); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

pid_t spawn(const std::vector<std::string>& argv, const FileActions& actions) {
  std::vector<char*> pointers;
  pointers.reserve(argv.size() + 1);
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  check(::posix_spawnp(&child, pointers[0], actions.get(), nullptr, pointers.data(), environ),
        "cannot start '" + argv[0] + "'");
  return child;
}

/// Bytes read until the end of the stream.
std::size_t drain(int fd, const OutputSink& sink) {
  std::array<char, 65536> buffer;
  std::size_t total = 0;
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) check(errno, "read");
    if (count == 0) return total;
    total += static_cast<std::size_t>(count);
    if (sink) sink({buffer.data(), static_cast<std::size_t>(count)});
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Waits for the child when the scope ends, also where reading its output failed.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    int status = 0;
    rusage usage{};
    if (pid_ > 0) wait(status, usage);
  }

  void wait(int& status, rusage& usage) {
    while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input, const OutputSink& sink) {
  FileDescriptor errors = make_scratch_file();
  Pipe output = make_pipe();
  FileActions actions;
  actions.open_for_reading(STDIN_FILENO, input);
  actions.duplicate(output.write.get(), STDOUT_FILENO);
  actions.duplicate(errors.get(), STDERR_FILENO);

  Child child(spawn(argv, actions));
  output.write.close();
  ProcessResult result;
  {
    const FileDescriptor reading = std::move(output.read);  // closed before the wait, so that the child cannot block
    result.output_bytes = drain(reading.get(), sink);
  }
  int status = 0;
  rusage usage{};
  child.wait(status, usage);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);

  std::array<char, 4096> text;
  const ssize_t length = ::pread(errors.get(), text.data(), text.size(), 0);
  if (length > 0) result.error_output.assign(text.data(), static_cast<std::size_t>(length));
  return result;
}

}  // namespace resumed_tuning
