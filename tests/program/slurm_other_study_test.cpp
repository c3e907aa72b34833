#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "program/slurm_stand_ins.hpp"

// Ids begin anew in a study that is started over in its folder: what tasks of another study, or of another point,
// left or leave there is nobody's result.
namespace carbo::program {
namespace {

using nlohmann::json;
using testing::slurm_folder_name;
using testing::StoodIn;
namespace fs = std::filesystem;

/// Starts the study over, with other points.
void start_over(StoodIn& run, const std::string& seed) {
  for (const char* const end : {"", "-wal", "-shm"}) fs::remove(run / (std::string("study.db") + end));
  run.write("begun", "");
  run.start("--plain --set seed=" + seed);
}

/// The runner dies while its first three tasks are on their way.
void die_early(StoodIn& run, std::size_t begun) {
  run.start("--plain --set seed=1");
  ASSERT_TRUE(run.queued(3) && run.comes_true([&] { return run.begun().size() == begun; })) << run.read("out.txt");
  ASSERT_TRUE(run.waited_for(slurm_folder_name + "b000001/job"));
  run.signal(SIGKILL);
  run.wait();
}

void expect_its_own_points(StoodIn& run) {
  const bool ended = run.comes_true([&] { return run.ended(); });
  if (!ended) run.signal(SIGKILL);
  ASSERT_TRUE(ended && run.code() == 0) << run.read("out.txt");
  const auto trials = run.study().trials();
  EXPECT_EQ(trials.size(), 6u);
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.state, TrialState::succeeded) << trial.reason;
    EXPECT_EQ(trial.objective, trial.configuration.real("level")) << *trial.id;
  }
}

/// Files of JSON in a folder become what `edit` makes of them.
void change(const fs::path& folder, const auto& edit) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    json changed = json::parse(testing::content(entry.path()));
    edit(changed);
    std::ofstream(entry.path()) << changed;
  }
}

TEST(ProgramSlurm, AStudyThatIsStartedOverTakesUpNoTaskOfTheOneBefore) {
  for (const bool listed : {false, true}) {
    StoodIn run;
    run.write("slurm/hold", "");
    die_early(run, 0);
    fs::remove(run / "slurm/hold");
    if (!listed)
      for (const auto& entry : fs::directory_iterator(run / "slurm/queue")) fs::remove(entry);
    start_over(run, "2");
    expect_its_own_points(run);
    EXPECT_TRUE(run.said("belong to another study and are left alone: carbo-")) << run.read("out.txt");
    EXPECT_TRUE(fs::exists(run / (slurm_folder_name + "b000001/tasks.json")));
    for (const auto& [id, times] : run.begun()) EXPECT_EQ(times, 1) << id;
  }
}

TEST(ProgramSlurm, AStudyThatIsStartedOverTakesInNoResultOfTheOneBefore) {
  StoodIn run("", "while [ ! -e go ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  die_early(run, 3);
  run.write("go", "");
  ASSERT_TRUE(run.comes_true([&] { return run.left_in_spool() == 3; }));
  start_over(run, "2");
  expect_its_own_points(run);
  EXPECT_TRUE(run.said("slurm/results belong to another study and are left alone: b000001-0.json"))
      << run.read("out.txt");
  EXPECT_EQ(run.left_in_spool(), 3u);
}

TEST(ProgramSlurm, AResultOfTheStudyBeforeMayComeLate) {
  StoodIn run("", "while [ ! -e go-$1 ] && [ ! -e go ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  die_early(run, 3);
  const auto before = run.study().pending_trials();
  start_over(run, "2");
  ASSERT_TRUE(run.comes_true([&] { return run.begun().size() == 3; })) << run.read("out.txt");
  for (const Trial& trial : before)
    run.write("go-" + std::to_string(static_cast<int>(trial.configuration.real("level"))), "");
  ASSERT_TRUE(run.comes_true([&] { return run.said("belong to another study and are left alone: b000001-"); }));
  run.write("go", "");
  expect_its_own_points(run);
  EXPECT_EQ(run.left_in_spool(), 3u);
}

TEST(ProgramSlurm, ATaskOfAnotherPointIsMadeAnewWhereTheFileWasPutBack) {
  StoodIn run;
  run.write("slurm/hold", "");
  die_early(run, 0);
  change(run / (slurm_folder_name + "b000001"), [](json& batch) {
    for (json& task : batch["tasks"])
      task["configuration"]["level"] = 501 - task["configuration"]["level"].get<int>();
  });
  fs::remove(run / "slurm/hold");
  run.start("--plain --set seed=1");
  expect_its_own_points(run);
  EXPECT_TRUE(run.said("evaluation 0 was another point when carbo-")) << run.read("out.txt");
}

TEST(ProgramSlurm, AResultOfAnotherPointIsLeftAloneWhereTheFileWasPutBack) {
  StoodIn run("", "while [ ! -e go ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  die_early(run, 3);
  run.write("go", "");
  ASSERT_TRUE(run.comes_true([&] { return run.left_in_spool() == 3; }));
  const auto turn = [](json& point) { point["level"] = 501 - point["level"].get<int>(); };
  change(run / (slurm_folder_name + "results"), [&](json& result) {
    turn(result["configuration"]);
    result["result"]["objective"] = -1;
  });
  change(run / (slurm_folder_name + "b000001"), [&](json& batch) {
    if (batch.contains("tasks"))
      for (json& task : batch["tasks"]) turn(task["configuration"]);
  });
  run.start("--plain --set seed=1");
  expect_its_own_points(run);
  EXPECT_TRUE(run.said("it is of another point than evaluation 0 of the study")) << run.read("out.txt");
  EXPECT_EQ(run.left_in_spool(), 3u);
}

TEST(ProgramSlurm, RealNumbersAreTheSamePointWhenTheNextRunnerTakesThemUp) {
  StoodIn run("", "while [ ! -e go ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"");
  const std::string arguments = "--plain --set parameters.rate='1e-5..0.1 log'";
  run.start(arguments);
  ASSERT_TRUE(run.comes_true([&] { return run.begun().size() == 3; })) << run.read("out.txt");
  run.signal(SIGKILL);
  run.wait();
  run.start(arguments);
  ASSERT_TRUE(run.comes_true([&] { return run.study().pending_trials().size() == 3; }));
  run.write("go", "");
  expect_its_own_points(run);
  EXPECT_EQ(run.begun().size(), 6u);
  for (const auto& [id, times] : run.begun()) EXPECT_EQ(times, 1) << id;
}

}  // namespace
}  // namespace carbo::program
