#include "bench/hpo/line_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace carbo::hpo {

namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
};

/// Closed in children: an end that another child holds would keep a pipe open.
Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe could be made: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

}  // namespace

LineProcess::LineProcess(std::vector<std::string> command) : name_(command.at(0)) {
  signal(SIGPIPE, SIG_IGN);  // a child that is gone is an error of write
  const Pipe input = make_pipe(), output = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const int status = posix_spawnp(&child_, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(input.read_end);
  close(output.write_end);
  to_child_ = input.write_end;
  from_child_ = output.read_end;
  if (status == 0) return;
  close(to_child_);
  close(from_child_);
  throw std::runtime_error(name_ + " cannot be started: " + std::strerror(status));
}

LineProcess::~LineProcess() {
  close(to_child_);
  close(from_child_);
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

std::string LineProcess::ending() {
  int status = 0;
  waitpid(std::exchange(child_, -1), &status, 0);
  if (WIFEXITED(status)) return "it ended with status " + std::to_string(WEXITSTATUS(status));
  return "it was ended by signal " + std::to_string(WTERMSIG(status));
}

void LineProcess::fail(const std::string& what) {
  throw std::runtime_error(name_ + ": " + what + (child_ > 0 ? "; " + ending() : ""));
}

std::string LineProcess::read_line() {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> chunk{};
    const ssize_t count = read(from_child_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("no answer came");
    unread_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

void LineProcess::write_line(const std::string& line) {
  const std::string text = line + '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(to_child_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("it takes no more questions");
    written += static_cast<std::size_t>(count);
  }
}

}  // namespace carbo::hpo
