#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <carbo/study.hpp>

#include "program/process.hpp"

namespace carbo::program::testing {

/// A study whose program is a script, and a runner of it.
class Running : public CarboFolder {
 public:
  explicit Running(const std::string& study, const std::string& evaluate) {
    write("study.toml", study);
    write("evaluate", evaluate);
    std::filesystem::permissions(*this / "evaluate", std::filesystem::perms::owner_all);
  }

  /// In the background; what it writes is in the folder, in out.txt.
  void start(const std::string& arguments = "") {
    process_ = ::fork();
    if (process_ != 0) return;
    const std::string line = "exec '" CARBO_EXECUTABLE "' run " + arguments + " study.toml >>out.txt 2>&1";
    if (::chdir((*this / "").c_str()) == 0) ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  void signal(int number) const { ::kill(process_, number); }
  bool ended() {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) != process_) return false;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }
  int wait() {
    while (!ended()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return code_;
  }
  int code() const { return code_; }
  bool waited_for(const std::string& file) const {
    for (int i = 0; i < 2000 && !std::filesystem::exists(*this / file); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return std::filesystem::exists(*this / file);
  }

  /// Waits for what the runner does; false where it does not happen.
  template <class Condition>
  bool comes_true(const Condition& condition) const {
    for (int i = 0; i < 6000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(5)))
      if (condition()) return true;
    return false;
  }
  bool said(const std::string& words) const { return read("out.txt").find(words) != std::string::npos; }

  Study study() const { return Study::open(*this / "study.db", "study"); }
  using Row = std::tuple<std::uint64_t, std::string, std::string, double, double>;
  std::vector<Row> rows() const {
    std::vector<Row> rows;
    for (const Trial& trial : study().trials())
      rows.emplace_back(trial.id.value_or(0), trial.configuration.to_string(), to_string(trial.state),
                        trial.objective.value_or(-1), trial.cost.value_or(-1));
    std::ranges::sort(rows);
    return rows;
  }

 private:
  pid_t process_ = 0;
  int code_ = -1;
};

}  // namespace carbo::program::testing
