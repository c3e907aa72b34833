#include <gtest/gtest.h>

#include <thread>

#include <carbo/study.hpp>

#include "program/running.hpp"

// A study that is steered while it runs, and a study file that has changed since.
namespace carbo::program {
namespace {

using testing::answered;
using testing::CarboFolder;
using testing::Outcome;
using testing::Running;

constexpr const char* slow = "#!/bin/sh\nsleep 0.05; echo '{\"objective\": '$1', \"cost\": 1}'";
constexpr const char* study_of_slow = R"(budget = "30 units"
workers = 2
command = ["./evaluate", "{x}"]
cost = "json:cost"
durability = "normal"
acquisition = "random"
[parameters]
x = "0.0..1.0"
)";

std::size_t evaluated(const StudySummary& summary) { return summary.succeeded + summary.failed + summary.timed_out; }

TEST(ProgramControl, APauseEndsWhatRunsOutlivesTheRunnerAndIsResumed) {
  Running run(study_of_slow, slow);
  run.start("--plain");
  ASSERT_TRUE(run.comes_true([&] { return run.said("best"); }));
  const nlohmann::json paused = answered(run.carbo({"pause", "--json"}));
  EXPECT_TRUE(paused["paused"].is_number());
  ASSERT_TRUE(run.comes_true([&] { return run.said("paused since"); }));
  ASSERT_TRUE(run.comes_true([&] {
    const StudySummary now = run.study().summary();
    return now.running + now.waiting == 0;
  }));
  const std::size_t before = run.study().trials().size();
  EXPECT_LT(evaluated(run.study().summary()), 30u);
  EXPECT_NE(run.carbo({"status"}).out.find("paused since"), std::string::npos);
  EXPECT_NE(run.carbo({"list"}).out.find("paused"), std::string::npos);
  const Outcome refused = run.carbo({"ask"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_NE(refused.err.find("carbo resume"), std::string::npos) << refused.err;
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  run.write("out.txt", "");
  run.start("--plain");
  ASSERT_TRUE(run.comes_true([&] { return run.said("paused since"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // nothing is to happen
  EXPECT_EQ(run.study().trials().size(), before);
  EXPECT_EQ(run.carbo({"resume"}).code, 0);
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_TRUE(run.said("resumed"));
  EXPECT_GE(run.study().spent(), 15);  // the longer of each two
  EXPECT_TRUE(run.study().done());
}

TEST(ProgramControl, ABudgetThatIsChangedIsTakenUpAndKept) {
  Running run(study_of_slow, slow);
  run.start("--plain");
  ASSERT_TRUE(run.comes_true([&] { return run.said("best"); }));
  EXPECT_NE(run.carbo({"budget", "study.toml", "5 units"}).out.find("5 units"), std::string::npos);
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_TRUE(run.said("the budget is 5 units now, it was 30 units"));
  EXPECT_LT(run.study().spent(), 15);
  // Another run with the same file keeps it, one with another file takes that.
  run.write("out.txt", "");
  run.start("--plain");
  EXPECT_EQ(run.wait(), 0);
  EXPECT_TRUE(run.said("the limits of the study are not those of study.toml")) << run.read("out.txt");
  EXPECT_EQ(run.study().summary().budget, 5);
  std::string longer = study_of_slow;
  run.write("study.toml", longer.replace(longer.find("30 units"), 8, "16 units"));
  run.start("--plain");
  EXPECT_EQ(run.wait(), 0);
  EXPECT_TRUE(run.said("study.toml has changed (budget): the study goes on with it")) << run.read("out.txt");
  EXPECT_EQ(run.study().summary().budget, 16);
  EXPECT_GE(run.study().spent(), 16);
  // What stands on the command line is meant.
  EXPECT_EQ(run.carbo({"budget", "study.toml", "20"}).code, 0);
  EXPECT_EQ(run.carbo({"run", "-q", "--budget", "17 units", "study.toml"}).code, 0);
  EXPECT_EQ(run.study().summary().budget, 17);
  for (const char* const wrong : {"0", "-3", "2 h", "much", "1.5 evaluations"})
    EXPECT_EQ(run.carbo({"budget", "study.toml", wrong}).code, 6) << wrong;
  EXPECT_EQ(run.study().summary().budget, 17);
}

TEST(ProgramControl, ABudgetIsReadInTheUnitOfTheStudyOrInEvaluations) {
  const CarboFolder folder("budget = \"2h\"\n[parameters]\nn = \"1..9\"\n");
  folder.carbo({"ask"});
  EXPECT_EQ(answered(folder.carbo({"budget", "study.toml", "90 min", "--json"}))["budget"], 5400);
  EXPECT_EQ(answered(folder.carbo({"budget", "study.db", "100", "--json"}))["budget"], 100);
  EXPECT_EQ(answered(folder.carbo({"budget", "study.toml", "7 evaluations", "--json"}))["max_evaluations"], 7);
  EXPECT_EQ(folder.carbo({"budget", "study.toml", "$3"}).code, 6);
  const CarboFolder counted("budget = \"20 evaluations\"\n[parameters]\nn = \"1..9\"\n");
  counted.carbo({"ask"});
  EXPECT_EQ(answered(counted.carbo({"budget", "study.toml", "30", "--json"}))["max_evaluations"], 30);
  const Outcome asked = counted.carbo({"ask"});
  EXPECT_NE(asked.err.find("limits of the study"), std::string::npos) << asked.err;
  const Outcome served = counted.carbo({"serve", "--stdio"}, R"({"op": "pause"}
{"op": "ask"}
{"op": "budget", "budget": "40 evaluations"}
{"op": "budget"}
{"op": "resume"}
)");
  EXPECT_NE(served.out.find("\"StudyPaused\""), std::string::npos) << served.out;
  EXPECT_NE(served.out.find("\"max_evaluations\":40"), std::string::npos);
  EXPECT_NE(served.out.find("'budget' is missing"), std::string::npos);
}

TEST(ProgramControl, AFileThatHasChangedChangesTheStudyWhereItIsRunAlone) {
  const CarboFolder folder("budget = 100\n[parameters]\nn = \"1..9\"\n");
  folder.carbo({"ask", "-n", "3"});
  const auto budget = [&] { return answered(folder.carbo({"status", "--json"}))["budget"].get<double>(); };
  const auto said = [&](const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(budget(), 100);
    return outcome.err.find("study.toml has changed (budget, parameters): the study is left as it is") !=
           std::string::npos;
  };
  folder.write("study.toml", "# longer\nbudget = 300\n[parameters]\nn = \"1..12\"\n");
  EXPECT_TRUE(said(folder.carbo({"tell", "--id", "0", "--objective", "1", "--cost", "2"})));
  EXPECT_TRUE(said(folder.carbo({"fail", "--id", "1", "--cost", "2"})));
  EXPECT_TRUE(said(folder.carbo({"withdraw", "--id", "2"})));
  EXPECT_TRUE(said(folder.carbo({"adopt", "--at", "n=3"})));
  EXPECT_TRUE(said(folder.carbo({"enqueue", "--at", "n=4"})));
  EXPECT_TRUE(said(folder.carbo({"serve", "--stdio"}, "{\"op\": \"status\"}\n")));
  EXPECT_EQ(folder.carbo({"enqueue", "--at", "n=12"}).code, 6);  // the study has no such value yet
  EXPECT_FALSE(said(folder.carbo({"enqueue", "-q", "--at", "n=5"})));
  const Outcome asked = folder.carbo({"ask"});
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_NE(asked.err.find("study.toml has changed (budget, parameters): the study goes on with it"),
            std::string::npos)
      << asked.err;
  EXPECT_EQ(budget(), 300);
  folder.write("study.toml", "# other words\nbudget = 300\n[parameters]\nn = \"1..12\"\n");
  EXPECT_EQ(folder.carbo({"tell", "--at", "n=1", "--objective", "1", "--cost", "2"}).err, "");
}

}  // namespace
}  // namespace carbo::program
