#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "program/process.hpp"

namespace carbo::program {
namespace {

using nlohmann::json;
using testing::CarboFolder;
using testing::Outcome;

/// A study with six suggestions under way, and a folder for their results.
struct Spool : ::testing::Test {
  Spool() : folder("budget = 100\nseed = 1\n[parameters]\nn = \"1..99\"\n") {
    EXPECT_EQ(folder.carbo({"ask", "-n", "6"}).code, 0);
    std::filesystem::create_directory(folder / "spool");
  }
  void drop(const std::string& name, const std::string& text) const { folder.write("spool/" + name, text); }
  Outcome take_in() const { return folder.carbo({"tell", "--spool", "spool", "--json"}); }
  std::size_t succeeded() const {
    return json::parse(folder.carbo({"status", "--json"}).out)["succeeded"].get<std::size_t>();
  }
  bool there(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(folder / name));
  }

  CarboFolder folder;
};

using ProgramSpool = Spool;

TEST_F(ProgramSpool, TakesEachResultOnce) {
  drop("1.json", R"({"id": 0, "objective": 1.5, "cost": 2, "accuracy": 0.5})");
  drop("2.json", "{\"id\": 1, \"failed\": \"no; $(way)\", \"cost\": 1}");
  drop(".3.json", R"({"id": 2, "objective": 1, "cost": 2})");
  drop("4.json.tmp", R"({"id": 2, "obj)");
  const Outcome first = take_in();
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(json::parse(first.out), (json{{"taken", 2}, {"refused", 0}}));
  EXPECT_TRUE(there("spool/done/1.json"));
  EXPECT_TRUE(there("spool/4.json.tmp"));
  EXPECT_EQ(json::parse(take_in().out)["taken"], 0);
  // As after a crash between the study's transaction and the move.
  drop("1.json", R"({"id": 0, "objective": 1.5, "cost": 2})");
  EXPECT_EQ(json::parse(take_in().out), (json{{"taken", 1}, {"refused", 0}}));
  EXPECT_TRUE(there("spool/done/1.json.2"));
  EXPECT_EQ(succeeded(), 1u);
  // Another result of the same suggestion is none.
  drop("5.json", R"({"id": 0, "objective": 9, "cost": 2})");
  const Outcome again = take_in();
  EXPECT_EQ(again.code, 6);
  EXPECT_NE(again.err.find("spool/5.json"), std::string::npos) << again.err;
  EXPECT_TRUE(there("spool/5.json"));
}

TEST_F(ProgramSpool, RefusesWhatPointsOutsideAndWhatIsHalfWritten) {
  folder.write("outside.json", R"({"id": 2, "objective": 1, "cost": 1})");
  std::filesystem::create_symlink("../outside.json", folder / "spool/link.json");
  std::filesystem::create_hard_link(folder / "outside.json", folder / "spool/hard.json");
  std::filesystem::create_directory(folder / "spool/folder.json");
  ASSERT_EQ(::mkfifo((folder / "spool/pipe.json").c_str(), 0600), 0);
  drop("half.json", R"({"id": 3, "objective": 1.)");
  drop("empty.json", "");
  drop("nan.json", R"({"id": 3, "objective": NaN, "cost": 1})");
  drop("nobody.json", R"({"objective": 1, "cost": 1})");
  drop("unknown.json", R"({"id": 99, "objective": 1, "cost": 1})");
  drop("whole.json", R"({"id": 4, "objective": 1, "cost": 1})");
  const Outcome outcome = take_in();
  EXPECT_EQ(outcome.code, 6);
  EXPECT_EQ(json::parse(outcome.out), (json{{"taken", 1}, {"refused", 9}})) << outcome.err;
  for (const char* const words :
       {"link.json: it is a symbolic link", "hard.json: it has another name", "folder.json: it is no plain file",
        "pipe.json: it is no plain file", "is it half written?", "NaN is not JSON", "nobody.json: it has no 'id'",
        "unknown.json"})
    EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " in " << outcome.err;
  EXPECT_TRUE(there("outside.json"));
  EXPECT_EQ(succeeded(), 1u);
}

TEST_F(ProgramSpool, ItsFolderOfResultsTakenInIsItsOwn) {
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_directory_symlink("../elsewhere", folder / "spool/done");
  drop("1.json", R"({"id": 0, "objective": 1, "cost": 1})");
  const Outcome outcome = take_in();
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("spool/done is no folder of it"), std::string::npos) << outcome.err;
  EXPECT_EQ(succeeded(), 0u);
  EXPECT_EQ(folder.carbo({"tell", "--spool", "nowhere"}).code, 4);
}

}  // namespace
}  // namespace carbo::program
