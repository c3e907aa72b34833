#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/hpo/line_process.hpp"
#include "bench/hpo/live.hpp"
#include "bench/hpo/live_report.hpp"
#include "bench/support/words.hpp"
#include "replay/methods.hpp"
#include "replay/replay_support.hpp"
#include "support/emulated_processor.hpp"
#include "support/expect_error.hpp"

namespace carbo::hpo {
namespace {

std::vector<std::string> shell(const std::string& script) { return {"sh", "-c", script}; }

TEST(HpoLineProcess, AnswersLineByLine) {
  LineProcess child(shell("while read line; do echo \"<$line>\"; done"));
  for (const std::string line : {"one", "", "two words"}) {
    child.write_line(line);
    EXPECT_EQ(child.read_line(), "<" + line + ">");
  }
}

TEST(HpoLineProcess, LinesAreWholeHoweverTheyCome) {
  LineProcess child(shell("printf 'a\\nb'; sleep 0.05; printf 'c\\n'; head -c 100000 /dev/zero | tr '\\0' x; echo"));
  EXPECT_EQ(child.read_line(), "a");
  EXPECT_EQ(child.read_line(), "bc");
  EXPECT_EQ(child.read_line(), std::string(100000, 'x'));
}

TEST(HpoLineProcess, SaysHowAChildEnded) {
  LineProcess gone(shell("exit 3"));
  expect_error<std::runtime_error>([&] { gone.read_line(); }, {"sh: no answer came; it ended with status 3"});
  LineProcess killed(shell("kill -9 $$"));
  expect_error<std::runtime_error>([&] { killed.read_line(); }, {"it was ended by signal 9"});
  if (!test::emulated_processor)  // qemu-user's vfork hides what became of exec
    expect_error<std::runtime_error>([] { LineProcess none({"/no/such/program"}); },
                                     {"/no/such/program cannot be started: No such file or directory"});
  LineProcess deaf(shell("exec 0<&-; echo ready; sleep 0.2"));
  EXPECT_EQ(deaf.read_line(), "ready");
  expect_error<std::runtime_error>([&] { deaf.write_line("x"); }, {"it takes no more questions"});
}

TEST(HpoLive, AConfigurationIsOneLine) {
  const Space space{integer("depth", 1, 9), real("share", 0, 1), categorical("kind", {"flat", "round"})};
  EXPECT_EQ(json_line(space.configuration(std::vector<double>{3, 0.25, 1})),
            R"({"depth":3,"share":0.25,"kind":"round"})");
}

TEST(HpoLive, AnAnswerIsAnOutcomeOrAnError) {
  const replay::Outcome outcome = outcome_of(R"({"status":"warned","error":0.25,"seconds":1.5,"note":"so so"})");
  EXPECT_EQ(outcome.objective, 0.25);
  EXPECT_EQ(outcome.value, 0.25);
  EXPECT_EQ(outcome.cost, 1.5);
  const replay::Outcome failed = outcome_of(R"({"status":"failed","error":null,"seconds":2})");
  EXPECT_FALSE(std::isfinite(failed.objective));
  EXPECT_EQ(failed.cost, 2);
  expect_error<std::runtime_error>([] { outcome_of(R"({"status":"refused","reason":"depth: 99"})"); },
                                   {"the evaluation was refused: depth: 99"});
  for (const char* nonsense : {"", "Traceback", "[1]", "{}", R"({"status":"ok","seconds":1})",
                               R"({"status":"ok","error":0.1})", R"({"status":"ok","error":"x","seconds":1})"})
    expect_error<std::runtime_error>([&] { outcome_of(nonsense); }, {"this is no answer", nonsense});
}

MeasuredProblem small_problem() {
  const Space space{real("x", 0, 1)};
  const auto table = std::make_shared<const replay::Table>(
      replay::Table{.space = space, .numbers = {0.25, 0.5, 0.75}, .objective = {3, 1, 2}, .cost = {1, 1, 1}});
  return {.learner = {"small", "Small", space},
          .data = {"set", "set"},
          .table = table,
          .problem = replay::table_problem("small_set", "Small set", table)};
}

using HpoLiveRun = replay::ReplayFolder;

TEST_F(HpoLiveRun, GoesThroughTheSameLoopAsAReplay) {
  const MeasuredProblem measured = small_problem();
  // Says ready, then answers every question and counts them in the error; the fourth fails.
  const std::string script =
      "echo '{\"ready\":true}'; n=0; while read line; do n=$((n+1)); if [ $n = 4 ]; then echo "
      "'{\"status\":\"failed\",\"error\":null,\"seconds\":1}'; else echo "
      "\"{\\\"status\\\":\\\"ok\\\",\\\"error\\\":0.$n,\\\"seconds\\\":1}\"; fi; done";
  const replay::Problem live = live_problem(measured, shell(script));
  EXPECT_FALSE(live.pool);
  EXPECT_EQ(live.candidates(), CandidateOptions{}.count);
  EXPECT_EQ(live.optimum, 1);
  const replay::Method method = bench::named(replay::paper_methods(), {"random"}).front();
  const replay::RunRecord run = run_once(live, method, replay::key_of(live, method, 1, 6, 1));
  ASSERT_EQ(run.steps.size(), 6u);
  EXPECT_EQ(run.spent, 6);
  EXPECT_DOUBLE_EQ(run.steps[0].objective, 0.1);
  EXPECT_FALSE(std::isfinite(run.steps[3].objective));
  EXPECT_DOUBLE_EQ(run.steps[5].objective, 0.6);
}

TEST_F(HpoLiveRun, AServerThatCannotStartIsSaid) {
  const MeasuredProblem measured = small_problem();
  const replay::Problem live = live_problem(measured, shell("echo 'no data'; cat > /dev/null"));
  const replay::Method method = bench::named(replay::paper_methods(), {"random"}).front();
  expect_error<std::runtime_error>([&] { run_once(live, method, replay::key_of(live, method, 1, 6, 1)); },
                                   {"sh did not say that it is ready"});
}

/// A cell in which every seed of a method reaches `after` at the middle of the budget and has 9 before.
replay::Summary hand_made(const replay::Problem& problem, double ei_after, double carbo_after) {
  replay::Summary summary{.cell = {.problem = &problem, .batch = 1, .budget = 10, .seeds = 3}};
  for (const auto& [name, after] : {std::pair{"ei", ei_after}, std::pair{"carbo", carbo_after}}) {
    replay::MethodSummary method{.name = name, .title = name};
    method.traces = replay::Traces(3, {9, after, after});
    method.middle = {9, after, after};
    method.evaluations = 7;
    summary.methods.push_back(std::move(method));
  }
  return summary;
}

TEST(HpoLiveReport, SaysWhetherLiveAndReplayAgree) {
  const MeasuredProblem measured = small_problem();
  const replay::Problem& problem = measured.problem;
  const std::string both = live_text({{hand_made(problem, 5, 1), hand_made(problem, 6, 2)}});
  EXPECT_NE(both.find(" yes |"), std::string::npos) << both;
  EXPECT_NE(both.find("6.0000 (7)"), std::string::npos) << both;  // EI's 5 above the optimum of 1
  EXPECT_NE(both.find("+50 % (+50 % to +50 %)"), std::string::npos) << both;
  const std::string against = live_text({{hand_made(problem, 5, 1), hand_made(problem, 1, 5)}});
  EXPECT_NE(against.find(" no |"), std::string::npos) << against;
  EXPECT_NE(against.find("-50 %"), std::string::npos) << against;
}

}  // namespace
}  // namespace carbo::hpo
