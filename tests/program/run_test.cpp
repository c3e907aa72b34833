#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>
#include <tuple>

#include <carbo/study.hpp>

#include "program/running.hpp"

namespace carbo::program {
namespace {

using testing::content;
using testing::Running;

constexpr const char* quadratic = R"sh(#!/bin/sh
sleep "0.0$(($2 + 1))"
awk -v x="$1" -v n="$2" 'BEGIN {printf "{\"objective\": %.17g, \"cost\": %d}\n", (x - 0.3) ^ 2 + n / 100, n + 1}'
)sh";

constexpr const char* study_of_quadratic = R"(budget = "60 units"
workers = 3
command = ["./evaluate", "{x}", "{n}"]
cost = "json:cost"
durability = "normal"
candidates.count = 512
[parameters]
x = "0.0..1.0"
n = "0..5"
)";

std::string single(const std::string& more = "") {
  return "budget = \"3 evaluations\"\ncommand = [\"./evaluate\"]\n" + more + "[parameters]\nx = \"0.0..1.0\"\n";
}

bool alive(const std::filesystem::path& file) { return ::kill(static_cast<pid_t>(std::stol(content(file))), 0) == 0; }

TEST(ProgramRun, KilledAtAnyMomentItEndsWithTheRowsOfAnUndisturbedStudy) {
  Running undisturbed(study_of_quadratic, quadratic);
  undisturbed.start("--plain");
  ASSERT_EQ(undisturbed.wait(), 0) << undisturbed.read("out.txt");
  const auto expected = undisturbed.rows();
  ASSERT_GT(expected.size(), 15u);

  const char* const wanted = std::getenv("CARBO_KILLS");
  const std::size_t kills = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 4;
  std::mt19937 draw(1);
  std::uniform_int_distribution<int> milliseconds(1, 500);
  std::size_t killed = 0;
  while (killed < kills) {
    Running disturbed(study_of_quadratic, quadratic);
    for (bool over = false; !over;) {
      disturbed.start("--plain");
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds(draw));
      while (!over && (std::chrono::steady_clock::now() < until || killed >= kills)) {
        over = disturbed.ended();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (over) break;
      disturbed.signal(SIGKILL);
      disturbed.wait();
      ++killed;
    }
    ASSERT_EQ(disturbed.code(), 0) << disturbed.read("out.txt");
    ASSERT_EQ(disturbed.rows(), expected) << "after " << killed << " kills";
  }
}

TEST(ProgramRun, TheFirstCtrlCFinishesWhatRunsAndSaves) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Running run(single(), "#!/bin/sh\ntouch begun; sleep 0.5; echo '{\"objective\": 1}'");
    run.start();
    ASSERT_TRUE(run.waited_for("begun"));
    run.signal(number);
    EXPECT_EQ(run.wait(), 128 + number) << run.read("out.txt");
    const StudySummary summary = run.study().summary();
    EXPECT_EQ(summary.succeeded, 1u);
    EXPECT_EQ(summary.running + summary.waiting, 0u);
    EXPECT_NE(run.read("out.txt").find("saved in study.db, carbo run goes on"), std::string::npos);
  }
}

TEST(ProgramRun, TheSecondEndsTheChildrenAndTheNextRunMakesThemAgain) {
  Running run(single(), "#!/bin/sh\necho $$ >begun; [ -e again ] || sleep 60; echo '{\"objective\": 1}'");
  run.start();
  ASSERT_TRUE(run.waited_for("begun"));
  run.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130) << run.read("out.txt");
  EXPECT_FALSE(alive(run / "begun"));
  EXPECT_EQ(run.study().spent(), 0) << "uncharged";
  const std::vector<Suggestion> pending = run.study().pending_suggestions();
  ASSERT_EQ(pending.size(), 1u);
  run.write("again", "");
  EXPECT_EQ(run.carbo({"run", "study.toml"}).code, 0);
  EXPECT_EQ(run.study().trial(pending[0].id)->state, TrialState::succeeded);
  EXPECT_EQ(run.study().summary().succeeded, 3u);
}

TEST(ProgramRun, WhatADeadRunnerLeftIsChargedWhereAsked) {
  Running run(single("charge_interrupted = true\n"),
              "#!/bin/sh\necho $$ >begun; [ -e again ] || sleep 60; echo '{\"objective\": 1}'");
  run.start();
  ASSERT_TRUE(run.waited_for("begun"));
  run.signal(SIGKILL);
  run.wait();
  run.write("again", "");
  EXPECT_EQ(run.carbo({"run", "study.toml"}).code, 0);
  const StudySummary summary = run.study().summary();
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_EQ(summary.succeeded, 2u);
}

TEST(ProgramRun, ASecondRunnerIsRefusedOrJoins) {
  Running run(
      "budget = \"6 evaluations\"\ncommand = [\"./evaluate\"]\nexecution = \"asynchronous\"\n[parameters]\nx = "
      "\"0.0..1.0\"\n",
      "#!/bin/sh\ntouch begun; sleep 0.3; echo '{\"objective\": 1}'");
  run.start();
  ASSERT_TRUE(run.waited_for("begun"));
  const auto refused = run.carbo({"run", "study.toml"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_NE(refused.err.find("another process runs 'study' of study.db; --join runs beside it"), std::string::npos);
  const int joined = run.carbo({"run", "--join", "study.toml"}).code;
  const int first = run.wait();
  // Whoever ends first leaves the rest to the other, and says so.
  EXPECT_EQ(std::min(joined, first), 0) << run.read("out.txt");
  EXPECT_TRUE(std::max(joined, first) == 0 || std::max(joined, first) == 9) << joined << " " << first;
  EXPECT_EQ(run.study().summary().succeeded, 6u);
  std::vector<std::string> owners;
  for (const Trial& trial : run.study().trials()) owners.push_back(trial.owner);
  std::ranges::sort(owners);
  EXPECT_NE(owners.front(), owners.back()) << "both evaluated";
}

TEST(ProgramRun, ACommandThatIsNotThereEndsTheRunAndCostsNothing) {
  Running run("budget = \"5 evaluations\"\ncommand = [\"./no-such-program\"]\n[parameters]\nx = \"0.0..1.0\"\n",
              quadratic);
  const auto outcome = run.carbo({"run", "study.toml"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("command not found: there is no file ./no-such-program"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(run.study().spent(), 0);
}

TEST(ProgramRun, FailuresAreShownWithTheirTailAndEndTheRunInTheEnd) {
  Running run(single("failures.max_consecutive = 2\n"), "#!/bin/sh\necho 'no such column: age' >&2; exit 3");
  const auto outcome = run.carbo({"run", "study.toml"});
  EXPECT_EQ(outcome.code, 8);
  EXPECT_NE(outcome.err.find("evaluation 0 failed: exit code 3: no such column: age"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("\n    no such column: age\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("too many failures in a row"), std::string::npos) << outcome.err;
}

TEST(ProgramRun, StepsAndMetricsAreStored) {
  Running run(single(),
              "#!/bin/sh\necho '{\"step\": 1, \"loss\": 3}'; echo '{\"step\": 2, \"loss\": 2}'; echo "
              "'{\"objective\": 1, \"size\": 7}'");
  EXPECT_EQ(run.carbo({"run", "study.toml"}).code, 0);
  const auto trials = run.study().trials();
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].metrics.at("size"), 7);
  EXPECT_GT(trials[0].metrics.at("peak_bytes"), 0);
  EXPECT_EQ(trials[0].worker, "0");
  const auto reports = run.study().reports(*trials[0].id);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].step, 2);
  EXPECT_EQ(reports[1].values, (std::map<std::string, double>{{"loss", 2}}));
}

TEST(ProgramRun, ADatabaseThatVanishesIsSaidAndTheChildrenAreEnded) {
  Running run(single(), "#!/bin/sh\necho $$ >begun; rm study.db; exec sleep 60");
  run.start();
  ASSERT_TRUE(run.waited_for("begun"));
  EXPECT_EQ(run.wait(), 1);
  EXPECT_NE(run.read("out.txt").find("study.db was removed or replaced while the study ran"), std::string::npos)
      << run.read("out.txt");
  EXPECT_FALSE(alive(run / "begun"));
}

TEST(ProgramRun, AFullDiskIsSaidAndTheChildrenAreEnded) {
  Running run(
      single(),
      "#!/bin/sh\necho $$ >begun; while :; do echo 'a line that is kept in the file of this evaluation'; done");
  const auto outcome = run.shell("ulimit -f 400; carbo run --plain study.toml");
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("stdout: File too large"), std::string::npos) << outcome.err;
  EXPECT_FALSE(alive(run / "begun"));
  EXPECT_EQ(run.study().spent(), 0) << "it is made again";
}

TEST(ProgramRun, AsynchronousWorkersPrepareWhatComesNextAndLeaveNothingBehind) {
  Running run(
      "budget = \"60 units\"\nworkers = 4\nexecution = \"asynchronous\"\ncommand = [\"./evaluate\", \"{x}\", "
      "\"{n}\"]\n"
      "cost = \"json:cost\"\ncandidates.count = 512\n[parameters]\nx = \"0.0..1.0\"\nn = \"0..5\"\n",
      quadratic);
  run.start("--plain");
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  const StudySummary summary = run.study().summary();
  EXPECT_EQ(summary.running + summary.waiting, 0u);
  EXPECT_GE(summary.spent, 60);
  EXPECT_GT(summary.succeeded, 10u);
}

}  // namespace
}  // namespace carbo::program
