#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <carbo/study.hpp>

#include "program/evaluation/output.hpp"
#include "program/process.hpp"

namespace carbo::program {
namespace {

using nlohmann::json;
using testing::CarboFolder;
using testing::Outcome;

std::string echoing(const std::string& budget, const std::string& more = "") {
  return "budget = \"" + budget + "\"\ndurability = \"normal\"\ncommand = [\"echo\", \"{x}\"]\n" +
         "objective = 'stdout:([0-9]+)'\n" + more + "[parameters]\nx = \"1..99\"\n";
}

void expect_said(const std::string& words, const std::string& text) {
  EXPECT_NE(text.find(words), std::string::npos) << words << " in " << text;
}

json status_of(const CarboFolder& folder, const std::string& study = "study.toml") {
  return json::parse(folder.carbo({"status", study, "--json"}).out, nullptr, false);
}

TEST(ProgramRefusals, ARefusedRunLeavesTheStudyAsItWas) {
  const CarboFolder folder(echoing("2 evaluations"));
  ASSERT_EQ(folder.carbo({"run", "--plain"}).code, 0);
  const std::string before = folder.shell("sqlite3 study.db .dump").out;
  folder.write("prior.csv", "x,objective,cost\n1,5,1\n");
  const std::string more = "prior = \"prior.csv\"\n";
  const std::string grown = echoing("9 evaluations", more) + "[[try]]\nx = 7\n";
  std::string changed = grown;
  changed.replace(changed.find("[0-9]+"), 6, "[0-8]+");
  folder.write("study.toml", changed);
  EXPECT_EQ(folder.carbo({"run", "--plain"}).code, 4);
  EXPECT_EQ(folder.carbo({"ask"}).code, 4);
  EXPECT_EQ(folder.shell("sqlite3 study.db .dump").out, before);
  folder.write("study.toml", grown);
  {
    Study other = Study::open(folder / "study.db", "study");
    ASSERT_TRUE(other.claim());
    EXPECT_EQ(folder.carbo({"run", "--plain"}).code, 5);
    EXPECT_EQ(folder.shell("sqlite3 study.db .dump").out, before);
  }
  EXPECT_EQ(folder.carbo({"run", "--plain"}).code, 0);
  EXPECT_EQ(status_of(folder)["succeeded"], 9);
  EXPECT_EQ(status_of(folder)["prior"], 1);
}

TEST(ProgramRefusals, ACompressorThatFailsHasNoResult) {
  const CarboFolder folder;  // without the data
  std::filesystem::copy_file(CARBO_TREE "/examples/compressor/study.toml", folder / "study.toml");
  const Outcome outcome = folder.carbo({"run", "--plain", "--set", "failures.max_consecutive=3"});
  EXPECT_EQ(outcome.code, 8) << outcome.out << outcome.err;
  expect_said("records.bin", outcome.err);
  EXPECT_EQ(status_of(folder)["succeeded"], 0);
}

TEST(ProgramRefusals, MistypedKeysThatAreNeededAreNamedWhereTheyStand) {
  const CarboFolder folder;
  const auto refused = [&](const std::string& study, const std::string& words) {
    folder.write("study.toml", study);
    const Outcome outcome = folder.carbo({"check"});
    EXPECT_EQ(outcome.code, 3);
    expect_said(words, outcome.err);
  };
  const std::string parameters = "[parameters]\nx = \"1..9\"\n";
  refused("seed = 1\nbudgte = \"10s\"\n" + parameters,
          "study.toml:2:1: there is no setting 'budgte'; did you mean 'bud");
  refused("max_evaluation = 3\n" + parameters, "study.toml:1:1: there is no setting 'max_evaluation'; did you mean");
  refused("budget = 3\n[paramters]\nx = \"1..9\"\n", "study.toml:2:");
  refused("budget = 3\n[paramters]\nx = \"1..9\"\n", "there is no setting 'paramters'; did you mean 'parameters'?");
  refused("seed = 3\n" + parameters, "budget is missing");
}

TEST(ProgramSpoolFolder, IsTakenInBySeveralProcessesAtOnce) {
  const CarboFolder folder("budget = 1000\ndurability = \"normal\"\n[parameters]\nn = \"1..999\"\n");
  constexpr int results = 60;
  ASSERT_EQ(folder.carbo({"ask", "-n", std::to_string(results)}).code, 0);
  for (int i = 0; i < results; ++i)
    folder.write("spool/" + std::to_string(100 + i) + ".json", json{{"id", i}, {"objective", i}, {"cost", 1}}.dump());
  const Outcome both = folder.shell(
      "for i in 1 2 3; do (carbo tell --spool spool --json >$i.out || echo $? >>failed) & done; wait; cat failed");
  EXPECT_EQ(both.out, "") << both.err;
  int taken = 0;
  for (const char* const file : {"1.out", "2.out", "3.out"})
    taken += json::parse(folder.read(file))["taken"].get<int>();
  EXPECT_EQ(taken, results);
  EXPECT_EQ(status_of(folder)["succeeded"], results);
}

TEST(ProgramRunEnds, WithOthersHoldingTheRestItSaysSo) {
  const CarboFolder folder(echoing("3 evaluations"));
  ASSERT_EQ(folder.carbo({"ask", "-n", "1", "--owner", "somebody else"}).code, 0);
  const Outcome run = folder.carbo({"run", "--plain"});
  EXPECT_EQ(run.code, 9) << run.err;
  expect_said("2 evaluations; not over: the rest is with somebody else until ", run.out);
  ASSERT_EQ(folder.carbo({"tell", "--id", "0", "--objective", "1", "--cost", "1"}).code, 0);
  EXPECT_EQ(folder.carbo({"run", "--plain"}).code, 0);
}

TEST(ProgramRunEnds, WithoutASuccessItIsNone) {
  const CarboFolder folder("budget = \"2 evaluations\"\ncommand = [\"false\"]\n[parameters]\nx = \"1..9\"\n");
  const Outcome run = folder.carbo({"run", "--plain"});
  EXPECT_EQ(run.code, 8) << run.err;
  expect_said("2 evaluations (2 failed); none succeeded", run.out);
}

TEST(ProgramRunEnds, WhatAKilledRunnerLeftIsInterruptedAndWhatItPreparedIsTakenBack) {
  const CarboFolder folder(
      "budget = \"2 evaluations\"\nshell = \"echo $PPID >begun; [ -e again ] || sleep 60; echo 1\"\n"
      "objective = \"stdout:([0-9]+)\"\n[parameters]\nx = \"1..99\"\n");
  folder.shell("carbo run --plain & until [ -e begun ]; do sleep 0.01; done; kill -9 $!; wait");
  expect_said("1 interrupted", folder.carbo({"status"}).out);
  EXPECT_EQ(status_of(folder)["interrupted"], 1);
  expect_said("interrupted", folder.carbo({"trials", "--state", "interrupted"}).out);
  EXPECT_EQ(folder.carbo({"trials", "--state", "running"}).out.find("interrupted"), std::string::npos);
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      Study::open(folder / "study.db", "study").prepare(1);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(status_of(folder)["waiting"], 1);
  folder.write("again", "");
  EXPECT_EQ(folder.carbo({"run", "--plain"}).code, 0);
  EXPECT_EQ(status_of(folder)["withdrawn"], 1);
  EXPECT_EQ(status_of(folder)["succeeded"], 2);
  EXPECT_EQ(status_of(folder)["interrupted"], 0);
}

TEST(ProgramWithoutAFile, TheDatabaseRunsOn) {
  const CarboFolder folder;
  const std::vector<std::string> begin{"run",     "--plain", "--budget",    "2 evaluations",
                                       "--param", "x=1..9",  "--objective", "stdout:([0-9])",
                                       "--",      "echo",    "value={x}"};
  ASSERT_EQ(folder.carbo(begin).code, 0);
  EXPECT_EQ(folder.carbo({"check", "echo.db"}).code, 0);
  const Outcome more = folder.carbo({"run", "--plain", "echo.db", "--budget", "3 evaluations"});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_EQ(status_of(folder, "echo.db")["succeeded"], 3);
  EXPECT_EQ(folder.carbo({"run", "--plain", "echo.db"}).code, 0);
  const Outcome elsewhere = folder.carbo({"run", "echo.db", "--storage", "other.db"});
  EXPECT_EQ(elsewhere.code, 6);
  expect_said("the study is in echo.db", elsewhere.err);
  for (const char* const missing : {"none.db", "none.toml"}) {
    EXPECT_EQ(folder.carbo({"run", missing}).code, 4);
    EXPECT_EQ(folder.carbo({"check", missing}).code, 4);
  }
}

TEST(ProgramWithoutAFile, MistakesAreOfTheCommandLine) {
  const CarboFolder folder;
  expect_said("carbo: command line: budget is missing", folder.carbo({"run", "--param", "x=1..9", "--", "true"}).err);
  expect_said("carbo: command line: there is no command",
              folder.carbo({"run", "--param", "x=1..9", "--budget", "3"}).err);
}

/// Whoever goes on from another folder evaluates the same.
TEST(ProgramFromElsewhere, ACommandRunsInTheFolderOfItsStudyFile) {
  const CarboFolder folder;
  const std::string study =
      "budget = \"2 evaluations\"\ncommand = [\"./evaluate\", \"{x}\"]\nobjective = \"file:result\"\n";
  const std::string parameters = "[parameters]\nx = \"1..9\"\n";
  folder.write("a study/study.toml", study + parameters);
  folder.write("a study/below.toml", study + "directory = \"below\"\n" + parameters);
  for (const char* const place : {"a study/evaluate", "a study/below/evaluate"}) {
    folder.write(place, "#!/bin/sh\necho \"$1\" >result; pwd >where; [ -e \"$CARBO_DIR/stdout\" ]\n");
    std::filesystem::permissions(folder / place, std::filesystem::perms::owner_all);
  }
  std::filesystem::create_directory(folder / "elsewhere");
  const auto from_elsewhere = [&](const std::string& words) {
    const Outcome outcome = folder.shell("cd elsewhere && carbo " + words);
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.out << outcome.err;
    return outcome.out + outcome.err;
  };
  EXPECT_EQ(from_elsewhere("check '../a study/study.toml'").find("is no program"), std::string::npos);
  from_elsewhere("run --plain '../a study/study.toml'");
  from_elsewhere("run --plain '../a study/study.db' --budget '3 evaluations'");
  EXPECT_EQ(status_of(folder, "a study/study.db")["succeeded"], 3);
  EXPECT_EQ(folder.read("a study/where"), (folder / "a study").string() + "\n");
  from_elsewhere("run --plain '../a study/below.toml'");
  EXPECT_EQ(folder.read("a study/below/where"), (folder / "a study/below").string() + "\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "elsewhere"));
}

TEST(ProgramFromElsewhere, TheCommandOnAPageDoesTheSameAsTheBestEvaluation) {
  const std::string loud = "echo {x} $WORD >>{dir}/log && cat {dir}/log && cat && echo value={x}";
  for (const std::string& more :
       {std::string("shell = '" + loud + "'\ninput = \"json\"\n"),
        std::string("shell = '" + loud + "'\ninput = \"json\"\nenvironment = {WORD = \"it's {x}\"}\n"),
        std::string("shell = 'cat word; echo value={x}'\ndirectory = \"be low\"\n"),
        std::string("command = [\"sh\", \"-c\", \"env | grep ^CARBO_PARAM; echo value=$CARBO_PARAM_x\"]\n"
                    "parameters_in_environment = true\n")}) {
    const CarboFolder folder("budget = \"1 evaluations\"\nobjective = 'stdout:value=([0-9]+)'\n" + more +
                             "[parameters]\nx = \"1..99\"\n");
    folder.write("be low/word", "found\n");
    ASSERT_EQ(folder.carbo({"run", "-q"}).code, 0);
    ASSERT_EQ(folder.carbo({"report", "--no-models", "-o", "page.html"}).code, 0);
    const std::string page = folder.read("page.html");
    const std::size_t begin = page.find("\"command\":") + 10;
    const std::string line =
        json::parse(page.substr(begin, page.find("\",\"", begin) - begin + 1)).get<std::string>();
    folder.write("line", line);
    const Outcome again = folder.shell("sh ./line");
    EXPECT_EQ(again.code, 0) << line << again.err;
    EXPECT_EQ(again.out, folder.read("study.runs/study/0/stdout")) << line;
  }
}

TEST(ProgramMessages, AParameterThatReachesNobodyIsSaid) {
  const CarboFolder folder(
      "budget = \"1 evaluations\"\ncommand = [\"echo\", \"{x}\"]\nobjective = \"stdout:([0-9]+)\"\n"
      "environment = {Y = \"{y}\"}\n[parameters]\nx = \"1..9\"\ny = \"1..9\"\nz = \"1..9\"\n");
  expect_said("the command is not given 'z'; write {z} where its value belongs", folder.carbo({"check"}).out);
  const Outcome run = folder.carbo({"run", "--plain"});
  EXPECT_EQ(run.code, 0);
  expect_said("warning: the command is not given 'z'", run.err);
  EXPECT_EQ(run.err.find("'y'"), std::string::npos) << run.err;
  folder.write("study.toml", folder.read("study.toml") + "\n");
  const json checked = json::parse(folder.shell("sed -i '1i input = \"json\"' study.toml; carbo check --json").out);
  for (const json& warning : checked["warnings"])
    EXPECT_EQ(warning.get<std::string>().find("is not given"), std::string::npos) << warning;
}

TEST(ProgramMessages, SayWhatWasMeant) {
  const CarboFolder folder("budget = 2h\n[parameters]\nx = \"1..9\"\n");
  expect_said("study.toml:1:11: no TOML", folder.carbo({"check"}).err);
  expect_said("a text stands in quotes: budget = \"2h\"", folder.carbo({"check"}).err);
  folder.write("study.toml", "budget = 3\n[parameters]\nx = 1..9 # whole\n");
  expect_said("a text stands in quotes: x = \"1..9\"", folder.carbo({"check"}).err);
  folder.write("study.toml", "budget = 3\nworkers = 5000\ncommand = [\"true\"]\n[parameters]\nx = \"1..9\"\n");
  expect_said("study.toml:2:1: workers is 5000; give 1 to 4096", folder.carbo({"check"}).err);
  expect_said("study.toml is there already", folder.carbo({"init"}).err);
  const Outcome neither = folder.carbo({"serve"});
  EXPECT_EQ(neither.code, 2);
  expect_said("either --stdio or --port", neither.err);
  const Outcome port = folder.carbo({"serve", "--port", "99999"});
  EXPECT_EQ(port.code, 2);
  expect_said("not in range 0 to 65535", port.err);
  ASSERT_EQ(folder.shell("printf 'budget = 9\n[parameters]\nx = \"1..9\"\n' >study.toml; carbo ask -n 1").code, 0);
  expect_said("no/page.html cannot be written: there is no folder no",
              folder.carbo({"report", "-o", "no/page.html"}).err);
}

TEST(ProgramMessages, WarningsSpeakOfSettings) {
  const CarboFolder folder(echoing("1 ms", "workers = 2\n"));
  const Outcome run = folder.carbo({"run", "--plain"});
  EXPECT_EQ(run.code, 0);
  expect_said("say accounting = \"sum\" to count all", run.err);
}

TEST(ProgramMessages, NameTheOptionThatWasForgotten) {
  const CarboFolder folder("budget = 9\n[parameters]\nx = \"0.0..1.0\"\nk = [\"a\", \"b\"]\n");
  ASSERT_EQ(folder.carbo({"ask", "-n", "1"}).code, 0);
  expect_said("--id 0", folder.carbo({"tell", "0", "--objective", "1"}).err);
  expect_said("--at k=a", folder.carbo({"adopt", "x=0.5", "k=a"}).err);
  expect_said("'x' has no value; give a number in [0, 1]", folder.carbo({"adopt", "--at", "k=a"}).err);
  const Outcome failed = folder.carbo({"fail", "--id", "0"});
  EXPECT_EQ(failed.code, 6);
  expect_said("the cost is missing", failed.err);
  const std::string replies =
      folder
          .carbo({"serve", "--stdio"}, R"({"op": "predict", "configuration": {"x": 0, "k": "a"}, "coverage": "x"}
{"op": "report", "id": 0, "step": 1, "values": [1, 2]}
)")
          .out;
  expect_said("'coverage' is \\\"x\\\"; give a number between 0 and 1", replies);
  expect_said("'values' is [1,2]; give an object of numbers", replies);
}

TEST(ProgramOutput, LongLinesAreCutInTheTail) {
  const testing::Folder folder;
  Output output(folder / "out", 1u << 20, [](std::string_view) {});
  std::string umlauts = "x";  // so that a character lies across the cut
  for (int i = 0; i < 150; ++i) umlauts += "ü";
  output.take("short\n" + std::string(201, 'a') + "\n" + std::string(200, 'b') + "\n" + umlauts + "\n");
  EXPECT_EQ(output.tail(4), "short\n" + std::string(200, 'a') + "...\n" + std::string(200, 'b') + "\n" +
                                umlauts.substr(0, 199) + "...");
  EXPECT_EQ(Output(folder / "none", 1, [](std::string_view) {}).tail(3), "");
}

}  // namespace
}  // namespace carbo::program
