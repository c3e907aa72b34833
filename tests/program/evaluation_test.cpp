#include "program/evaluation/evaluator.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <carbo/error.hpp>

#include "program/scripts.hpp"

namespace carbo::program {
namespace {

using testing::content;
using testing::Folder;
using Source = Reading::Source;
using Status = EvaluationRecord::Status;

const Space& space() {
  static const Space made{
      real("rate", 0, 1), integer("layers", 1, 8),
      categorical("word", {"plain", "it's", "a b", ";", "$(touch owned)", "-x", "two\nlines", "{x}"})};
  return made;
}

Configuration at(const std::string& word = "plain", double rate = 0.25, std::int64_t layers = 3) {
  return space().configuration({{"rate", rate}, {"layers", layers}, {"word", word}});
}

Spawner& spawner() {
  static Spawner made;
  return made;
}

/// Evaluations of scripts in a folder.
struct Evaluation_ : ::testing::Test {
  Evaluation_() {
    objective.key = "objective";
    cost.source = Source::wall_clock;
    settings.grace = 0.3;
  }

  EvaluationRecord run(const std::string& lines, const EvaluationWatch& watch = {}) {
    command.arguments = {folder.script("program", lines)};
    return run_command(watch);
  }
  EvaluationRecord run_command(const EvaluationWatch& watch = {}) {
    Evaluator evaluator(spawner(), command, objective, cost, settings, folder / "runs", space());
    return evaluator.evaluate(configuration, {7, 1, 42}, watch);
  }

  Folder folder;
  Command command;
  Reading objective, cost;
  RunSettings settings;
  Configuration configuration = at();
};

using ProgramEvaluation = Evaluation_;

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

pid_t written_pid(const std::filesystem::path& file) { return static_cast<pid_t>(std::stol(content(file))); }

TEST_F(ProgramEvaluation, AJsonLineIsTheResultAndFurtherNumbersAreMetrics) {
  const auto record = run(R"(echo hello; echo '{"objective": 0.5, "accuracy": 0.9, "ok": true, "name": "x"}')");
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_EQ(record.objective, 0.5);
  EXPECT_EQ(record.metrics, (std::map<std::string, double>{{"accuracy", 0.9}, {"ok", 1}}));
  EXPECT_GT(record.wall_seconds, 0);
  EXPECT_EQ(*record.cost, std::max(record.wall_seconds, 1e-4));
  EXPECT_EQ(content(folder / "runs/7/stdout").substr(0, 6), "hello\n");
}

TEST_F(ProgramEvaluation, LinesWithAStepAreReports) {
  std::vector<StepLine> steps;
  EvaluationWatch watch;
  watch.step = [&](const StepLine& step) { steps.push_back(step); };
  const auto record =
      run(R"(for i in 1 2 3; do echo "{\"step\": $i, \"loss\": 0.$i}"; done; echo '{"objective": 2}')", watch);
  EXPECT_EQ(record.objective, 2);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].step, 2);
  EXPECT_EQ(steps[1].values, (std::map<std::string, double>{{"loss", 0.2}}));
  const auto only_steps = run(R"(echo '{"step": 1, "objective": 2}')");
  EXPECT_EQ(only_steps.status, Status::failed);
  EXPECT_NE(only_steps.reason.find("1 lines with a step"), std::string::npos) << only_steps.reason;
}

TEST_F(ProgramEvaluation, SetsIdWorkerSeedAndFolder) {
  command.parameters_in_environment = true;
  command.environment = {{"RATE_OF", "{rate}/{layers}"}};
  settings.gpus = {4, 6};
  run(R"(echo "$CARBO_ID $CARBO_WORKER $CARBO_SEED $CARBO_PARAM_rate $RATE_OF $CUDA_VISIBLE_DEVICES"; echo "$CARBO_DIR")");
  EXPECT_EQ(content(folder / "runs/7/stdout"),
            "7 1 " + std::to_string(seed_of(42, 7)) + " 0.25 0.25/3 6\n" + (folder / "runs/7").string() + "\n");
}

TEST_F(ProgramEvaluation, ValuesAreWordsWhateverIsInThem) {
  const std::string program = folder.script("program", R"(for a in "$@"; do printf '<%s>' "$a"; done)");
  for (const std::string& word : space().parameters()[2].labels()) {
    configuration = at(word);
    command = {};
    command.arguments = {program, "{word}", "--x={word}", "{{}}"};
    run_command();
    EXPECT_EQ(content(folder / "runs/7/stdout"), "<" + word + "><--x=" + word + "><{}>");
    command.arguments = {program + " {word} --x={word}; printf done"};
    command.shell = true;
    run_command();
    EXPECT_EQ(content(folder / "runs/7/stdout"), "<" + word + "><--x=" + word + ">done");
  }
  EXPECT_FALSE(std::filesystem::exists("owned"));
}

TEST_F(ProgramEvaluation, TheConfigurationComesAsJsonWhereAsked) {
  command.json_input = true;
  configuration = at("two\nlines");
  run("cat");
  EXPECT_EQ(content(folder / "runs/7/stdout"), "{\"layers\":3,\"rate\":0.25,\"word\":\"two\\nlines\"}\n");
  command.json_input = false;
  run("cat; echo empty");
  EXPECT_EQ(content(folder / "runs/7/stdout"), "empty\n");
}

TEST_F(ProgramEvaluation, SaysWhyAProgramCouldNotBeStarted) {
  command.arguments = {"no-such-program-here"};
  EXPECT_EQ(run_command().reason, "command not found: no-such-program-here is in no folder of PATH");
  command.arguments = {(folder / "nothing").string()};
  EXPECT_NE(run_command().reason.find("command not found: there is no file"), std::string::npos);
  command.arguments = {folder.script("plain", "exit 0")};
  ::chmod(command.arguments[0].c_str(), 0644);
  EXPECT_EQ(run_command().reason, "not executable: " + command.arguments[0] + " (chmod +x, if it is a program)");
  command.arguments = {"true"};
  command.directory = (folder / "absent").string();
  EXPECT_NE(run_command().reason.find("cannot run in the folder"), std::string::npos);
}

TEST_F(ProgramEvaluation, SaysWhyThereIsNoResult) {
  const auto reason = [&](const std::string& lines) {
    const auto record = run(lines);
    EXPECT_EQ(record.status, Status::failed) << lines;
    return record.reason;
  };
  EXPECT_NE(reason("true").find("it printed nothing"), std::string::npos);
  EXPECT_NE(reason("echo hello").find("none of the 1 lines"), std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": 1}'; echo; echo '{"objective": 2}')").find("2 results (in lines 1 and 2)"),
            std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": NaN}')").find("it has NaN, which Python writes"), std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": -Infinity}')").find("it has -Infinity, which Python"), std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": "NaN"}')").find("\"objective\" is a text"), std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": null}')").find("\"objective\" is null"), std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": 1')").find("is not taken: parse error"), std::string::npos);
  EXPECT_NE(reason(R"(echo '{"objective": 1e999}')").find("is not taken"), std::string::npos);
  EXPECT_NE(reason(R"(printf '{\n "objective": 1\n}\n')").find("a result stands on one line"), std::string::npos);
  EXPECT_NE(reason(R"(echo "{'objective': 1}")").find("as Python prints it, not JSON"), std::string::npos);
  EXPECT_NE(reason("echo sad >&2; exit 3").find("exit code 3: sad"), std::string::npos);
  EXPECT_EQ(reason("kill -SEGV $$"), "killed by SIGSEGV (Segmentation fault)");
  EXPECT_NE(reason("kill -9 $$").find("killed by SIGKILL"), std::string::npos);
}

TEST_F(ProgramEvaluation, TheTailOfOutputComesWithAFailure) {
  const auto record =
      run(R"(i=0; while [ $i -lt 30 ]; do echo "line $i" >&2; i=$((i+1)); done; printf '\033[31mred' >&2; exit 1)");
  EXPECT_EQ(record.tail.substr(0, 8), "line 21\n");
  EXPECT_EQ(record.tail.substr(record.tail.size() - 8), " [31mred");
}

TEST_F(ProgramEvaluation, AHundredMegabytesAreReadAndTheFirstKept) {
  settings.output_limit = 1000;
  const auto record = run(R"(head -c 100000000 /dev/zero | tr '\0' 'x'; echo; echo '{"objective": 4}')");
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_EQ(record.objective, 4);
  EXPECT_EQ(std::filesystem::file_size(folder / "runs/7/stdout"), 1000u);
  EXPECT_EQ(record.remark, "of 100000018 bytes of its standard output the first 1000 are kept");
}

TEST_F(ProgramEvaluation, WhatNeverEndsIsEndedAtItsTimeout) {
  settings.timeout = 0.3;
  auto record = run("trap 'echo asked; exit 0' TERM; while :; do sleep 0.05; done");
  EXPECT_EQ(record.status, Status::timed_out);
  EXPECT_EQ(record.reason, "ended after 0.3 s, its timeout");
  EXPECT_EQ(content(folder / "runs/7/stdout"), "asked\n");
  EXPECT_GE(*record.cost, 0.2) << "it starts a little after its time does";
  record = run("trap '' TERM; while :; do sleep 0.05; done");
  EXPECT_EQ(record.status, Status::timed_out);
  EXPECT_GE(record.wall_seconds, 0.5) << "the grace";
}

TEST_F(ProgramEvaluation, ItsTimeoutEndsAllOfItsProcesses) {
  settings.timeout = 0.4;
  run("setsid sh -c 'echo $$ >far; exec sleep 60' & sleep 60 & echo $! >near; cd .; wait");
  command.directory = folder.path().string();
  const auto record = run("setsid sh -c 'echo $$ >far; exec sleep 60' & sleep 60 & echo $! >near; wait");
  EXPECT_EQ(record.status, Status::timed_out);
  EXPECT_FALSE(alive(written_pid(folder / "near")));
  EXPECT_FALSE(alive(written_pid(folder / "far")));
  std::filesystem::remove("near");
  std::filesystem::remove("far");
}

TEST_F(ProgramEvaluation, AChildThatOutlivesItIsFoundCountedAndEnded) {
  command.directory = folder.path().string();
  // It leaves the group and the session, and its parent is gone before it begins to count.
  const std::string daemon = folder.script(
      "daemon", "echo $$ >daemon.pid; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; touch worked; exec sleep 60");
  const auto record = run("(setsid " + daemon +
                          " </dev/null >/dev/null 2>&1 &); while [ ! -e worked ]; do sleep 0.02; done; "
                          "echo '{\"objective\": 1}'");
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_EQ(record.remark, "1 process outlived it and was ended");
  EXPECT_FALSE(alive(written_pid(folder / "daemon.pid")));
  EXPECT_GT(record.cpu_seconds, 0.02) << "the daemon's";
}

TEST_F(ProgramEvaluation, WhatHoldsItsOutputAfterItIsNotWaitedFor) {
  const auto record = run("sleep 60 & echo '{\"objective\": 1}'");
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_LT(record.wall_seconds, 30);
}

TEST_F(ProgramEvaluation, ClosedOutputIsNotItsEnd) {
  const auto record = run("echo '{\"objective\": 1}'; exec >&- 2>&-; sleep 0.3");
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_GE(record.wall_seconds, 0.3);
}

TEST_F(ProgramEvaluation, WhatWritesItsLastOutputMayEndByItself) {
  const auto record = run("(sleep 0.01; echo '{\"objective\": 3}') & exit 0");
  EXPECT_EQ(record.objective, 3) << record.reason;
  EXPECT_EQ(record.remark, "");
}

TEST_F(ProgramEvaluation, TheRunnerMayEndIt) {
  EvaluationWatch watch;
  const auto began = std::chrono::steady_clock::now();
  watch.wish = [&] {
    return std::chrono::steady_clock::now() - began > std::chrono::milliseconds(200) ? Wish::end_now : Wish::go_on;
  };
  const auto record = run("trap '' TERM; while :; do sleep 1; done", watch);
  EXPECT_EQ(record.status, Status::interrupted);
  EXPECT_LT(record.wall_seconds, 10);
}

TEST_F(ProgramEvaluation, MeasuresTimeAndMemory) {
  cost.source = Source::cpu;
  objective.source = Source::memory;
  objective.factor = 1e-6;
  const auto record =
      run("head -c 40000000 /dev/zero | sort -S 100M >/dev/null & wait; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); "
          "done");
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_EQ(*record.cost, record.cpu_seconds);
  EXPECT_GT(record.cpu_seconds, 0.01);
  EXPECT_GT(record.objective, 40);
  EXPECT_LT(record.objective, 400);
  EXPECT_NEAR(record.objective, record.peak_bytes * 1e-6, 1e-9);
}

TEST_F(ProgramEvaluation, PatternsFindTheLastMatchOfEitherOutput) {
  objective.source = Source::pattern;
  objective.pattern = R"(loss: (-?\d+\.\d+))";
  cost.source = Source::pattern;
  cost.standard_error = true;
  cost.pattern = "([0-9.]+)%";
  cost.factor = 10;
  const auto record = run(R"(echo 'loss: 3.5 loss: -2.25'; printf '10%%\r20%%\r31.5%%' >&2)");
  EXPECT_EQ(record.objective, -2.25) << record.reason;
  EXPECT_EQ(*record.cost, 315);
  EXPECT_EQ(run("echo loss; echo 1% >&2").reason,
            R"(no line of its standard output matches 'loss: (-?\d+\.\d+)', which the objective is read by)");
}

TEST_F(ProgramEvaluation, FilesAreReadWhereTheyWereWritten) {
  objective.source = Source::file;
  objective.path = "{dir}/score";
  cost.source = Source::file;
  cost.path = "{dir}/cost.json";
  cost.key = "seconds";
  const auto both = run(R"(echo ' 1.5' >$CARBO_DIR/score; echo '{"seconds": 3}' >$CARBO_DIR/cost.json)");
  EXPECT_EQ(both.objective, 1.5) << both.reason;
  EXPECT_NE(run("true").reason.find("it wrote no file"), std::string::npos) << "what was there is gone";
  objective.path = (folder / "shared").string();
  std::ofstream(folder / "shared") << "2";
  EXPECT_NE(run("true").reason.find("was there before"), std::string::npos);
  const std::string reason = run("echo two >" + objective.path).reason;
  EXPECT_NE(reason.find("is no number, and not JSON"), std::string::npos) << reason;
}

TEST_F(ProgramEvaluation, CostsAreAboveZero) {
  cost.source = Source::json_line;
  cost.key = "cost";
  const auto record = run(R"(echo '{"objective": 1, "cost": 0}')");
  EXPECT_EQ(record.reason, "the cost is 0; it has to be above 0");
  EXPECT_EQ(run(R"(echo '{"objective": 1}')").reason, "the result has no \"cost\"");
}

TEST_F(ProgramEvaluation, ListedExitCodesAreTriedAgain) {
  command.directory = folder.path().string();
  settings.retry_codes = {75};
  settings.retries = 2;
  const std::string lines = "echo x >>tries; [ $(wc -l <tries) -ge 3 ] || exit 75; echo '{\"objective\": 1}'";
  const auto record = run(lines);
  EXPECT_EQ(record.status, Status::succeeded) << record.reason;
  EXPECT_EQ(record.attempts, 3u);
  EXPECT_TRUE(std::filesystem::exists(folder / "runs/7.2/stdout"));
  std::filesystem::remove(folder / "tries");
  settings.retries = 1;
  const auto failed = run(lines);
  EXPECT_EQ(failed.reason, "exit code 75 (attempt 2)");
  EXPECT_NEAR(*failed.cost, failed.wall_seconds, 1e-9);
  // All attempts have one timeout.
  settings.retries = 9;
  settings.timeout = 0.5;
  EXPECT_LE(run("sleep 0.3; exit 75").attempts, 2u);
}

TEST_F(ProgramEvaluation, PinnedToItsShareOfProcessors) {
  const std::vector<int> all = processors_of(0, 1);
  ASSERT_FALSE(all.empty());
  const std::vector<int> last = processors_of(all.size() - 1, all.size());
  EXPECT_EQ(last, std::vector<int>{all.back()});
  settings.pin = true;
  settings.workers = 2;
  run("nproc");
  EXPECT_EQ(content(folder / "runs/7/stdout"), std::to_string(std::max<std::size_t>(1, all.size() / 2)) + "\n");
}

TEST_F(ProgramEvaluation, ACommandIsCheckedBeforeAnythingRuns) {
  const auto refused = [&](const std::string& argument) -> std::string {
    command.arguments = {"true", argument};
    try {
      check_command(command, space());
    } catch (const InvalidOptions& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refused("{rate} {id} {{x}}"), "");
  EXPECT_NE(refused("{rat}").find("{rat}, which is no parameter; there are {dir}, {id}, {layers}"),
            std::string::npos);
  EXPECT_NE(refused("{rate").find("without its other half"), std::string::npos);
  EXPECT_NE(refused("rate}").find("without its other half"), std::string::npos);
  EXPECT_THROW(check_command(command, Space{real("id", 0, 1)}), InvalidOptions);
  command.arguments = {};
  EXPECT_THROW(check_command(command, space()), InvalidOptions);
}

TEST(ProgramSpawner, EverythingEndsWithTheRunner) {
  const Folder folder;
  const std::string program =
      folder.script("program", "echo $$ >leader; (setsid sh -c 'echo $$ >far; exec sleep 60' &); exec sleep 60");
  const pid_t runner = ::fork();
  if (runner == 0) {
    Spawner own;
    Command command;
    command.arguments = {program};
    command.directory = folder.path().string();
    Reading objective, cost;
    objective.key = "objective";
    cost.source = Source::wall_clock;
    Evaluator evaluator(own, command, objective, cost, {}, folder / "runs", space());
    evaluator.evaluate(at(), {1, 0, 0});
    ::_exit(0);
  }
  while (content(folder / "far").empty() || content(folder / "leader").empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const pid_t leader = written_pid(folder / "leader"), far = written_pid(folder / "far");
  EXPECT_TRUE(alive(leader) && alive(far));
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  for (int i = 0; i < 500 && (alive(leader) || alive(far)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(alive(leader));
  EXPECT_FALSE(alive(far));
}

TEST(ProgramPattern, IsPosixWithDigits) {
  EXPECT_EQ(Pattern(R"(x=(\d+))").last_match("x=12 x=34"), "34");
  EXPECT_EQ(Pattern(R"([\d.]+)").last_match("a 1.5 b"), "1.5");
  EXPECT_EQ(Pattern("[[:digit:]]+").last_match("a 15 b"), "15");
  EXPECT_EQ(Pattern("[]x]+").last_match("a]x"), "]x");
  EXPECT_EQ(Pattern("^a(.)").last_match("abaa"), "b") << "the beginning is that of the line";
  EXPECT_EQ(Pattern("b*").last_match("aaa"), "");
  EXPECT_FALSE(Pattern("x").last_match(""));
  for (const char* const wrong : {"", "(", "[a", "(?:x)", "x*?", R"((a)\1)"})
    EXPECT_THROW(Pattern{wrong}, InvalidOptions) << wrong;
  EXPECT_FALSE(Pattern("(a+)+b").last_match(std::string(5000, 'a'))) << "no backtracking";
}

}  // namespace
}  // namespace carbo::program
