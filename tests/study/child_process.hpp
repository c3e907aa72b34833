#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace carbo::test {

/// This program once more, in a process of its own, running one test that is disabled otherwise. What it needs to
/// know is in its environment.
class ChildProcess {
 public:
  ChildProcess(const std::string& test, const std::map<std::string, std::string>& environment) {
    const std::string filter = "--gtest_filter=" + test;
    std::fflush(nullptr);  // what is not written yet is the parent's alone
    process_ = ::fork();
    if (process_ != 0) return;
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execl("/proc/self/exe", "carbo_study_tests", filter.c_str(), "--gtest_also_run_disabled_tests", nullptr);
    ::_exit(127);
  }
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Nothing of it is left when this returns.
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    wait();
  }
  /// Whether it has ended, without waiting; `succeeded` then says how.
  bool ended() {
    int status = 0;
    if (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == process_) end(status);
    return process_ <= 0;
  }
  /// Waits for it; true where all that it did was right.
  bool wait() {
    int status = 0;
    if (process_ > 0 && ::waitpid(process_, &status, 0) == process_) end(status);
    return succeeded_;
  }
  bool succeeded() const { return succeeded_; }

 private:
  void end(int status) {
    process_ = 0;
    succeeded_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  pid_t process_ = 0;
  bool succeeded_ = false;
};

inline std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// How often something is done: so many times, or as many as the environment says.
inline std::size_t times(const char* variable, std::size_t usually) {
  const std::string value = from_environment(variable);
  return value.empty() ? usually : std::stoul(value);
}

}  // namespace carbo::test
