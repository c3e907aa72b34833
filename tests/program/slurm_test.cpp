#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "program/running.hpp"
#include "program/slurm/client.hpp"

// What `carbo run` makes of Slurm's answers, with programs that stand for its commands; tests/program/slurm_test.sh
// has Slurm itself.
namespace carbo::program {
namespace {

using testing::CarboFolder;
using testing::Outcome;
using testing::Running;

TEST(SlurmClient, ReadsTheQueue) {
  const auto tasks = queued_tasks(
      "carbo-1-b000001|17|0|RUNNING|1:05|None\n"
      "no task at all\n"
      "carbo-1-b000001|17|N/A|PENDING|0:00|Resources\n"
      "carbo-1-b000002|18|12|NODE_FAIL|1-02:00:03|a | in the reason\n");
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].job, 17u);
  EXPECT_EQ(tasks[0].index, 0u);
  EXPECT_EQ(tasks[0].state, "RUNNING");
  EXPECT_EQ(tasks[0].seconds, 65);
  EXPECT_EQ(tasks[1].job_name, "carbo-1-b000002");
  EXPECT_EQ(tasks[1].index, 12u);
  EXPECT_EQ(tasks[1].seconds, 86400 + 7200 + 3);
  EXPECT_EQ(tasks[1].reason, "a | in the reason");
  EXPECT_TRUE(queued_tasks("").empty());
  EXPECT_EQ(elapsed_seconds("INVALID"), 0);
  EXPECT_EQ(elapsed_seconds(""), 0);
  EXPECT_EQ(elapsed_seconds("10:00:00"), 36000);
}

TEST(SlurmClient, KnowsWhatStatesMean) {
  for (const char* const state : {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED"})
    EXPECT_EQ(fate_of(state), TaskFate::lives) << state;
  for (const char* const state : {"FAILED", "OUT_OF_MEMORY", "COMPLETED"})
    EXPECT_EQ(fate_of(state), TaskFate::failed) << state;
  for (const char* const state : {"CANCELLED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL"})
    EXPECT_EQ(fate_of(state), TaskFate::lost) << state;
  EXPECT_EQ(fate_of("TIMEOUT"), TaskFate::timed_out);
  EXPECT_TRUE(slurm_is_away("sbatch: error: Batch job submission failed: Unable to contact slurm controller"));
  EXPECT_FALSE(slurm_is_away("sbatch: error: invalid partition specified: nowhere"));
}

/// sbatch leaves the tasks of an array to `node`, unless there is a file `hold`; a task's state is a file of `queue`.
constexpr const char* sbatch = R"sh(#!/bin/sh
here=$(dirname "$0")
[ ! -e "$here/refuse" ] || { cat "$here/refuse" >&2; exit 1; }
for word; do
  case $word in
    --job-name=*) name=${word#*=} ;;
    --array=0-*) last=${word#--array=0-} ;;
  esac
  script=$word
done
job=$(($(cat "$here/job" 2>/dev/null || echo 100) + 1))
echo $job > "$here/job"
for index in $(seq 0 "$last"); do
  echo RUNNING > "$here/queue/$name.$job.$index"
  echo "$script" > "$here/new"
  [ -e "$here/hold" ] || mv "$here/new" "$here/todo/$name.$job.$index"
done
echo $job
)sh";
constexpr const char* node = R"sh(#!/bin/sh
cd "$(dirname "$0")"
while sleep 0.02; do
  for file in todo/*; do
    [ -e "$file" ] || continue
    script=$(cat "$file")
    rm "$file"
    task=${file#todo/}
    (
      cd ..
      if SLURM_ARRAY_TASK_ID=${task##*.} sh "$script"; then state=COMPLETED; else state=FAILED; fi
      echo $state > "slurm/queue/$task"
    ) > "${script%/*}/slurm-${task##*.}.out" 2>&1 &
  done
done
)sh";
constexpr const char* squeue = R"sh(#!/bin/sh
here=$(dirname "$0")
[ ! -e "$here/away" ] || { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
for file in "$here"/queue/*; do
  [ -e "$file" ] || continue
  base=${file##*/}
  rest=${base#*.}
  echo "${base%%.*}|${rest%.*}|${rest#*.}|$(cat "$file")|0:07|None"
done
)sh";
constexpr const char* scancel = R"sh(#!/bin/sh
here=$(dirname "$0")
name='*' tasks=
for word; do
  case $word in
    --name=*) name=${word#*=} ;;
    *) tasks="$tasks ${word%_*}.${word#*_}" ;;
  esac
done
for task in ${tasks:-'*'}; do
  for file in "$here"/queue/$name.$task; do [ ! -e "$file" ] || echo CANCELLED > "$file"; done
done
)sh";

/// A study whose evaluations note that they begin, with the stand-ins in the folder `slurm`.
class StoodIn : public Running {
 public:
  explicit StoodIn(const std::string& more = "", const std::string& evaluate = R"sh(echo "{\"objective\": $1}")sh")
      : Running(
            "budget = \"6 evaluations\"\nworkers = 3\nlauncher = \"slurm\"\nacquisition = \"random\"\n"
            "command = [\"./evaluate\", \"{level}\"]\n" +
                more + "[slurm]\npoll = \"0.1s\"\nsettle = \"0.2s\"\n[parameters]\nlevel = \"1..500\"\n",
            "#!/bin/sh\necho $CARBO_ID >> begun\n" + evaluate + "\n") {
    for (const auto& [name, text] : std::map<std::string, const char*>{
             {"sbatch", sbatch}, {"squeue", squeue}, {"scancel", scancel}, {"node", node}}) {
      write("slurm/" + name, text);
      std::filesystem::permissions(*this / ("slurm/" + name), std::filesystem::perms::owner_all);
    }
    for (const char* const folder : {"slurm/queue", "slurm/todo"})
      std::filesystem::create_directories(*this / folder);
    path_ = std::getenv("PATH");
    ::setenv("PATH", ((*this / "slurm").string() + ":" + path_).c_str(), 1);
    node_ = ::fork();
    ::setpgid(node_, node_);  // by both: neither waits for the other
    if (node_ != 0) return;
    ::execl((*this / "slurm/node").c_str(), "node", nullptr);
    ::_exit(127);
  }
  ~StoodIn() {
    ::kill(-node_, SIGKILL);
    ::waitpid(node_, nullptr, 0);
    ::setenv("PATH", path_.c_str(), 1);
  }

  /// How often each evaluation has begun.
  std::map<std::string, int> begun() const {
    std::map<std::string, int> counts;
    for (const std::string& id : testing::lines_of(read("begun"))) ++counts[id];
    return counts;
  }
  std::size_t left_in_spool() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*this / "study.runs/study/slurm/results"))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  void set_states(const std::string& state) const {
    for (const auto& entry : std::filesystem::directory_iterator(*this / "slurm/queue"))
      write("slurm/queue/" + entry.path().filename().string(), state + "\n");
  }
  bool queued(std::size_t tasks) const {
    return comes_true([&] {
      std::error_code error;
      const std::filesystem::directory_iterator found(*this / "slurm/queue", error);
      return !error && static_cast<std::size_t>(std::distance(found, {})) >= tasks;
    });
  }

 private:
  std::string path_;
  pid_t node_ = 0;
};

TEST(ProgramSlurm, TasksAreEvaluationsEachOnceAndMeasured) {
  StoodIn run("", "sleep 0.05; echo '{\"step\": 1, \"loss\": 3}'; echo \"{\\\"objective\\\": $1, \\\"size\\\": 9}\"");
  run.start("--plain");
  ASSERT_EQ(run.wait(), 0) << run.read("out.txt");
  const auto trials = run.study().trials();
  ASSERT_EQ(trials.size(), 6u);
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.state, TrialState::succeeded);
    EXPECT_EQ(trial.objective, trial.configuration.real("level"));
    EXPECT_GT(*trial.cost, 0.05);
    EXPECT_LT(*trial.ended - *trial.started, 2);
    EXPECT_EQ(trial.metrics.at("size"), 9);
    EXPECT_EQ(trial.metrics.at("wall_seconds"), trial.cost);
    const auto reports = run.study().reports(*trial.id);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].values.at("loss"), 3);
    EXPECT_NE(run.read("study.runs/study/" + std::to_string(*trial.id) + "/stdout"), "");
  }
  EXPECT_EQ(run.begun().size(), 6u);
  EXPECT_EQ(run.left_in_spool(), 0u);
  EXPECT_EQ(run.read("slurm/job"), "102\n") << "two rounds of three are two arrays";
}

TEST(ProgramSlurm, FailuresAreRecordedWithTheirReason) {
  StoodIn run("", "echo 'not today' >&2; exit 3");
  run.start("--plain");
  EXPECT_EQ(run.wait(), 8) << run.read("out.txt");
  for (const Trial& trial : run.study().trials()) {
    EXPECT_EQ(trial.state, TrialState::failed);
    EXPECT_EQ(trial.reason, "exit code 3: not today");
    EXPECT_LT(*trial.cost, 2) << "the time in the queue is not charged";
  }
}

TEST(ProgramSlurm, ALostTaskIsMadeAgainOrCharged) {
  for (const bool charged : {false, true}) {
    StoodIn run(charged ? "charge_interrupted = true\n" : "");
    run.write("slurm/hold", "");
    run.start("--plain");
    ASSERT_TRUE(run.waited_for("study.runs/study/slurm/b000001/job")) << run.read("out.txt");
    std::filesystem::remove(run / "slurm/hold");
    run.set_states("NODE_FAIL");
    EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
    std::size_t failed = 0;
    for (const Trial& trial : run.study().trials()) {
      if (trial.state != TrialState::failed) continue;
      ++failed;
      EXPECT_NE(trial.reason.find("NODE_FAIL"), std::string::npos) << trial.reason;
      EXPECT_EQ(trial.cost, 7) << "the seconds that squeue says";
    }
    EXPECT_EQ(failed, charged ? 3u : 0u);
    EXPECT_EQ(run.study().trials().size(), 6u);
    for (const auto& [id, times] : run.begun()) EXPECT_EQ(times, 1) << id;
  }
}

TEST(ProgramSlurm, ATaskThatIsAlwaysLostIsAFailureInTheEnd) {
  StoodIn run("max_evaluations = 1\n");
  run.write("slurm/hold", "");
  run.start("--plain --set budget='1 evaluations' --set workers=1");
  for (std::size_t tasks = 1; tasks <= 3; ++tasks) {
    ASSERT_TRUE(run.queued(tasks)) << run.read("out.txt");
    run.set_states("CANCELLED");
  }
  EXPECT_EQ(run.wait(), 8) << run.read("out.txt");
  ASSERT_EQ(run.study().trials().size(), 1u);
  EXPECT_NE(run.study().trials()[0].reason.find("lost 3 times"), std::string::npos) << run.study().trials()[0].reason;
}

TEST(ProgramSlurm, TheNextRunnerTakesUpWhatIsOnItsWay) {
  StoodIn run("", "while [ ! -e go ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  run.start("--plain");
  ASSERT_TRUE(run.comes_true([&] { return run.begun().size() == 3; })) << run.read("out.txt");
  run.signal(SIGKILL);
  run.wait();
  run.start("--plain");
  ASSERT_TRUE(run.comes_true([&] { return run.study().pending_trials().size() == 3; }));
  run.write("go", "");
  ASSERT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_EQ(run.begun().size(), 6u);
  for (const auto& [id, times] : run.begun()) EXPECT_EQ(times, 1) << id;
  EXPECT_EQ(run.study().trials().size(), 6u);
  EXPECT_EQ(run.left_in_spool(), 0u);
}

TEST(ProgramSlurm, WhatCameWhileNobodyRanIsTakenIn) {
  StoodIn run("", "while [ ! -e go ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  run.start("--plain");
  ASSERT_TRUE(run.comes_true([&] { return run.begun().size() == 3; })) << run.read("out.txt");
  for (int i = 0; i < 2; ++i) {
    run.signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  EXPECT_EQ(run.wait(), 130) << run.read("out.txt");
  run.write("go", "");
  ASSERT_TRUE(run.comes_true([&] { return run.left_in_spool() == 3; }));
  run.start("--plain");
  ASSERT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_TRUE(run.said("3 results were dropped by tasks while nobody ran the study"));
  EXPECT_EQ(run.study().trials().size(), 6u);
  for (const auto& [id, times] : run.begun()) EXPECT_EQ(times, 1) << id;
}

TEST(ProgramSlurm, TheExampleRunsToItsEnd) {
  const StoodIn run;
  const std::filesystem::path example = std::filesystem::path(CARBO_TREE) / "examples/slurm";
  for (const char* const name : {"study.toml", "train.sh"})
    std::filesystem::copy_file(example / name, run / name, std::filesystem::copy_options::overwrite_existing);
  const Outcome outcome = run.carbo({"run", "--plain"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(run.study().trials().size(), 12u);
  EXPECT_EQ(run.study().summary().succeeded, 12u);
}

TEST(ProgramSlurm, WhatIsCancelledHasTheNumberAndTheName) {
  StoodIn scene;
  for (const char* const task : {"ours.7.0", "ours.7.1", "other.7.0", "other.8.2"})
    scene.write(std::string("slurm/queue/") + task, "RUNNING\n");
  const auto states = [&] {
    std::string all;
    for (const char* const task : {"ours.7.0", "ours.7.1", "other.7.0", "other.8.2"})
      all += scene.read(std::string("slurm/queue/") + task)[0];
    return all;
  };
  Spawner spawner;
  SlurmClient client(spawner, scene / "slurm");
  client.cancel("ours", {"7_0", "8_2"});  // numbers that a new controller has given to another's jobs
  EXPECT_EQ(states(), "CRRR");
  client.cancel("ours", {});
  EXPECT_EQ(states(), "CCRR");
}

TEST(ProgramSlurm, RefusalsEndTheRunAndChargeNothing) {
  StoodIn run;
  run.write("slurm/refuse", "sbatch: error: invalid partition specified: nowhere\n");
  run.start("--plain");
  EXPECT_EQ(run.wait(), 1);
  EXPECT_TRUE(run.said("sbatch refuses the tasks: sbatch: error: invalid partition specified: nowhere"));
  EXPECT_EQ(run.study().spent(), 0);
  std::filesystem::remove(run / "slurm/refuse");
  run.start("--plain");
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_EQ(run.begun().size(), 6u);
}

TEST(ProgramSlurm, ACommandThatIsMissingOnTheNodeEndsTheRunUntilItIsThere) {
  StoodIn run;
  std::filesystem::rename(run / "evaluate", run / "elsewhere");
  run.start("--plain");
  EXPECT_EQ(run.wait(), 1);
  EXPECT_TRUE(run.said("command not found: there is no file ./evaluate")) << run.read("out.txt");
  EXPECT_EQ(run.study().spent(), 0);
  std::filesystem::rename(run / "elsewhere", run / "evaluate");
  run.start("--plain");
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_EQ(run.begun().size(), 6u);
}

TEST(ProgramSlurm, MistakesAreNamed) {
  const auto refused = [](const std::string& lines) {
    const CarboFolder folder("budget = 3\ncommand = \"true\"\n" + lines + "[parameters]\nx = \"1..9\"\n");
    const Outcome outcome = folder.carbo({"check"});
    EXPECT_EQ(outcome.code, 3) << lines;
    return outcome.err;
  };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_PRED2(has, refused("launcher = \"slum\"\n"), "launcher is 'slum'; give local or slurm");
  EXPECT_PRED2(has, refused("[slurm]\npoll = 3\n"), "launcher is not \"slurm\"");
  EXPECT_PRED2(has, refused("launcher = \"slurm\"\ngpus = [0]\n"), "--gres=gpu:1");
  EXPECT_PRED2(has, refused("launcher = \"slurm\"\nslurm.options = [\"--array=3\"]\n"), "slurm.options has --array");
  EXPECT_PRED2(has, refused("launcher = \"slurm\"\nslurm.stopped = \"no\"\n"), "give leave or cancel");
  EXPECT_PRED2(has, refused("launcher = \"slurm\"\nslurm.pol = 3\n"), "poll");

  const CarboFolder folder("budget = 3\ncommand = \"true\"\nlauncher = \"slurm\"\n[parameters]\nx = \"1..9\"\n");
  const Outcome missing = folder.shell("carbo=$(command -v carbo); PATH=/nowhere \"$carbo\" run");
  EXPECT_EQ(missing.code, 6);
  EXPECT_PRED2(has, missing.err, "sbatch is in no folder of PATH");
  const StoodIn joining;
  const Outcome joined = joining.carbo({"run", "--join"});
  EXPECT_EQ(joined.code, 6);
  EXPECT_PRED2(has, joined.err, "give it more workers");
  EXPECT_EQ(folder.carbo({"task", "nowhere", "--index", "0"}).code, 1);
}

}  // namespace
}  // namespace carbo::program
