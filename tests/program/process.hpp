#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/scripts.hpp"

namespace carbo::program::testing {

struct Outcome {
  int code = -1;
  std::string out, err;
};

/// Runs a program in a folder, with `input` on its standard input.
inline Outcome run_in(const std::filesystem::path& folder, const std::vector<std::string>& words,
                      const std::string& input = "") {
  const Folder scratch;
  std::ofstream(scratch / "in", std::ios::binary) << input;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto redirect = [&](const char* name, int flags, int descriptor) {
      ::dup2(::open((scratch / name).c_str(), flags, 0600), descriptor);
    };
    redirect("in", O_RDONLY, 0);
    redirect("out", O_WRONLY | O_CREAT, 1);
    redirect("err", O_WRONLY | O_CREAT, 2);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(scratch / "out"),
          content(scratch / "err")};
}

/// What was printed as JSON.
inline nlohmann::json answered(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json parsed = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << outcome.out;
  return parsed;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The program itself, in a folder of the test's own.
class CarboFolder {
 public:
  explicit CarboFolder(const std::string& study = "") {
    if (!study.empty()) write("study.toml", study);
  }

  Outcome carbo(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), CARBO_EXECUTABLE);
    return run_in(folder_.path(), words, input);
  }
  /// A line for bash, where `carbo` is the program.
  Outcome shell(const std::string& line, const std::string& input = "") const {
    const std::string path = std::filesystem::path(CARBO_EXECUTABLE).parent_path().string();
    return run_in(folder_.path(), {"bash", "-c", "export PATH='" + path + "':$PATH\n" + line}, input);
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return content(folder_ / name); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  Folder folder_;
};

}  // namespace carbo::program::testing
