#include <gtest/gtest.h>

#include <set>

#include "program/process.hpp"

// What the program says of itself: helps, manuals, completions, and what the machine can do.
namespace carbo::program {
namespace {

using testing::answered;
using testing::CarboFolder;
using testing::lines_of;
using testing::Outcome;

TEST(ProgramHelp, FitsAScreenAndShowsAnExample) {
  const CarboFolder folder;
  std::vector<std::string> commands;
  const Outcome overview = folder.carbo({"--help"});
  for (const std::string& line : lines_of(overview.out))
    if (line.starts_with("  ") && line.size() > 14 && line[2] >= 'a' && line[2] <= 'z' && line[14] >= 'A' &&
        line[14] <= 'Z')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  EXPECT_GE(commands.size(), 20u);
  EXPECT_LE(lines_of(overview.out).size(), 40u);
  for (const std::string& command : commands) {
    const Outcome help = folder.carbo({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.out, folder.carbo({"help", command}).out);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << command;
    EXPECT_LE(lines_of(help.out).size(), 40u) << command;
    for (const std::string& line : lines_of(help.out)) EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST(ProgramHelp, ManualPagesAreRoff) {
  const CarboFolder folder;
  const Outcome page = folder.carbo({"manual", "ask"});
  EXPECT_TRUE(page.out.starts_with(".TH CARBO\\-ASK 1\n"));
  for (const char* const part :
       {".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXAMPLES", ".SH EXIT STATUS", "\\-\\-count"})
    EXPECT_NE(page.out.find(part), std::string::npos) << part;
  if (folder.shell("command -v groff").code != 0) GTEST_SKIP() << "groff is not installed";
  const Outcome set = folder.shell("carbo manual | groff -man -ww -z && carbo manual run | groff -man -ww -z");
  EXPECT_EQ(set.code, 0);
  EXPECT_EQ(set.err, "");
}

TEST(ProgramHelp, BashCompletes) {
  const CarboFolder folder("budget = 100\n[parameters]\nn = \"1..9\"\n");
  const auto completed = [&](const std::string& words) {
    const Outcome outcome =
        folder.shell("source <(carbo completion bash)\nCOMP_WORDS=(" + words +
                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_carbo\nprintf '%s\\n' \"${COMPREPLY[@]}\"");
    EXPECT_EQ(outcome.err, "");
    const auto lines = lines_of(outcome.out);
    return std::set<std::string>(lines.begin(), lines.end());
  };
  EXPECT_EQ(completed("carbo st"), (std::set<std::string>{"status"}));
  EXPECT_TRUE(completed("carbo ''").contains("run"));
  EXPECT_EQ(completed("carbo tell --sp"), (std::set<std::string>{"--spool"}));
  EXPECT_EQ(completed("carbo trials --state f"), (std::set<std::string>{"failed"}));
  EXPECT_EQ(completed("carbo ask stu"), (std::set<std::string>{"study.toml"}));
  EXPECT_EQ(completed("carbo completion z"), (std::set<std::string>{"zsh"}));
  if (folder.shell("command -v zsh").code == 0) {
    EXPECT_EQ(folder.shell("carbo completion zsh > _carbo && zsh -n _carbo").code, 0);
  }
}

TEST(ProgramDoctor, SaysWhatIsThere) {
  const CarboFolder folder;
  const nlohmann::json found = answered(folder.carbo({"doctor", "--json"}));
  EXPECT_EQ(found["good"], true);
  for (const char* const title :
       {"carbo", "build", "levels", "cuda", "backend", "device", "memory", "threads", "storage"})
    EXPECT_TRUE(found.contains(title)) << title;
  EXPECT_EQ(folder.carbo({"doctor", "/proc"}).code, 1);
}

}  // namespace
}  // namespace carbo::program
