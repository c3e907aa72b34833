#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace carbo::hpo {

/// A child process that answers a line with a line. Its standard error is this process's.
class LineProcess {
 public:
  /// `command`: program and arguments. Throws std::runtime_error where it cannot be started.
  explicit LineProcess(std::vector<std::string> command);
  /// Closes its standard input and waits for it to end.
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  /// The next line that it prints. Throws std::runtime_error saying how it ended where it has ended.
  std::string read_line();
  void write_line(const std::string& line);

 private:
  [[noreturn]] void fail(const std::string& what);
  std::string ending();

  std::string name_;
  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string unread_{};
};

}  // namespace carbo::hpo
