#include <gtest/gtest.h>

#include <sstream>

#include "program/file/study_file.hpp"
#include "program/process.hpp"
#include "program/support/exit_codes.hpp"

namespace carbo::program {
namespace {

using testing::CarboFolder;
using testing::content;
using testing::Outcome;

struct Block {
  std::string language, text;
  std::size_t line = 0;
};

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  std::istringstream in(content(std::filesystem::path(CARBO_TREE) / page));
  bool inside = false;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), "", number});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

void expect_checks(const CarboFolder& folder, const std::string& page, const Block& study) {
  folder.write("study.toml", study.text);
  const Outcome checked = folder.carbo({"check"});
  EXPECT_EQ(checked.code, 0) << page << ":" << study.line << "\n" << checked.err;
}

TEST(ProgramPages, ShowStudyFilesThatAreRight) {
  const CarboFolder folder;
  for (const char* const page : {"README.md", "docs/clusters.md"}) {
    std::size_t studies = 0;
    for (const Block& block : blocks_of(page))
      if (block.language == "toml") {
        expect_checks(folder, page, block);
        ++studies;
      }
    EXPECT_EQ(studies, 1u) << page;
  }
}

TEST(ProgramPages, ExamplesOfTheProgramRunOneAfterTheOther) {
  const CarboFolder folder;
  std::size_t studies = 0, scripts = 0;
  for (const Block& block : blocks_of("docs/program.md")) {
    if (block.language == "toml") {
      expect_checks(folder, "docs/program.md", block);
      ++studies;
    } else if (block.language == "sh") {
      const Outcome ran = folder.shell("set -e -o pipefail\n" + block.text);
      EXPECT_EQ(ran.code, 0) << "docs/program.md:" << block.line << "\n" << ran.out << ran.err;
      ++scripts;
    }
  }
  EXPECT_GE(studies, 3u);
  EXPECT_GE(scripts, 3u);
}

TEST(ProgramPages, StudyFilesOfTheExamplesAreRight) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(CARBO_TREE) / "examples")) {
    const std::filesystem::path file = entry.path() / "study.toml";
    if (!std::filesystem::exists(file)) continue;
    EXPECT_NO_THROW(read_study_file(file)) << file;
    ++files;
  }
  EXPECT_GE(files, 4u);
}

TEST(ProgramPages, NameEveryExitCode) {
  const std::string page = content(std::filesystem::path(CARBO_TREE) / "docs/program.md");
  for (const ExitCode& each : exit_codes) {
    std::string plain;
    for (const char c : page) plain += c == '`' ? std::string() : std::string(1, c);
    const std::string row = "| " + std::to_string(each.code) + " | " + each.meaning + " |";
    EXPECT_NE(plain.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace carbo::program
