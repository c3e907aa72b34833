#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "program/slurm/client.hpp"
#include "program/slurm_stand_ins.hpp"

// What `carbo run` makes of Slurm's answers, with programs that stand for its commands; tests/program/slurm_test.sh
// has Slurm itself.
namespace carbo::program {
namespace {

using testing::CarboFolder;
using testing::Outcome;
using testing::StoodIn;

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
  const std::string ended = "scancel: error: Kill job error on job id 7_0: Invalid job id specified\n";
  EXPECT_TRUE(had_ended_before(ended + ended));
  EXPECT_FALSE(had_ended_before(ended + "scancel: error: Unable to contact slurm controller\n"));
  EXPECT_FALSE(had_ended_before(""));
}

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

TEST(ProgramSlurm, HowManyLossesAreAFailureIsSaid) {
  for (const std::size_t most : {1, 5}) {
    StoodIn run;
    run.write("slurm/hold", "");
    run.start("--plain --set budget='1 evaluations' --set workers=1 --set slurm.losses=" + std::to_string(most));
    for (std::size_t tasks = 1; tasks <= most; ++tasks) {
      ASSERT_TRUE(run.queued(tasks)) << run.read("out.txt");
      run.set_states("PREEMPTED");
    }
    EXPECT_EQ(run.wait(), 8) << run.read("out.txt");
    EXPECT_EQ(run.read("slurm/job"), std::to_string(100 + most) + "\n");
  }
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
  const std::vector<std::string> given_out_again{"7_0", "8_2"};  // by a new controller, to others' jobs, too
  EXPECT_EQ(client.cancel("ours", given_out_again, {}), "");
  EXPECT_EQ(states(), "CRRR");
  EXPECT_EQ(client.cancel("ours", {}, {}), "");
  EXPECT_EQ(states(), "CCRR");
  scene.write("slurm/deaf", "");
  EXPECT_EQ(client.cancel("other", {}, {}), "scancel: error: Unable to contact slurm controller");
}

TEST(ProgramSlurm, ATaskTooManyIsCancelledOnceScancelAnswers) {
  StoodIn run("", "while [ ! -e go-$CARBO_ID ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  run.start("--plain --set workers=1 --set budget='2 evaluations'");
  ASSERT_TRUE(run.comes_true([&] { return run.begun().contains("0"); })) << run.read("out.txt");
  run.write("slurm/hold", "");  // so that the first result is that of the first task
  run.set_states("NODE_FAIL");
  ASSERT_TRUE(run.waited_for("study.runs/study/slurm/b000002/job")) << run.read("out.txt");
  std::filesystem::remove(run / "slurm/hold");
  run.write("slurm/deaf", "");
  run.write("go-0", "");
  ASSERT_TRUE(run.comes_true([&] { return run.said("b000002 cannot be cancelled yet: scancel: error: Unable"); }))
      << run.read("out.txt");
  std::filesystem::remove(run / "slurm/deaf");
  EXPECT_TRUE(run.comes_true([&] { return run.state_of("b000002") == "CANCELLED\n"; })) << run.read("out.txt");
  run.write("go-1", "");
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_FALSE(run.said("could not be cancelled"));
}

TEST(ProgramSlurm, WhatCannotBeCancelledAtTheEndIsNamed) {
  StoodIn run("", "sleep 1000");
  run.write("slurm/hold", "");
  run.start("--plain --set slurm.stopped=cancel");
  ASSERT_TRUE(run.waited_for("study.runs/study/slurm/b000001/job")) << run.read("out.txt");
  run.write("slurm/deaf", "");
  for (int i = 0; i < 2; ++i) {
    run.signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  EXPECT_EQ(run.wait(), 130) << run.read("out.txt");
  EXPECT_TRUE(run.said("could not be cancelled and go on (scancel: error: Unable to contact slurm controller)"));
  EXPECT_TRUE(run.said("what ends them: scancel --name=carbo-")) << run.read("out.txt");
  for (const char* const task : {" 101_0", " 101_1", " 101_2"}) EXPECT_TRUE(run.said(task)) << run.read("out.txt");
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
  EXPECT_PRED2(has, refused("launcher = \"slurm\"\nslurm.losses = 0\n"),
               "slurm.losses is the number 0; give a whole number from 1 to 1000000");

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
