#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

#include "program/slurm/slurm_launcher.hpp"
#include "program/slurm_stand_ins.hpp"
#include "program/study_files.hpp"

// Results that come while their evaluations wait to be submitted, or while sbatch has not answered, and those of
// evaluations that the study does not know.
namespace carbo::program {
namespace {

using testing::slurm_folder_name;
using testing::StoodIn;
namespace fs = std::filesystem;

const std::string until_it_may_end =
    "while [ ! -e go-$CARBO_ID ]; do sleep 0.02; done; echo \"{\\\"objective\\\": $1}\"";

Configuration level(const StudyFile& study, int value) {
  return configuration_of(study.space, Json{{"level", value}});
}

TEST(ProgramSlurm, WhatIsToldWhileItIsQueuedHoldsUpNoOther) {
  const StoodIn scene;
  scene.write("slurm/hold", "");
  const StudyFile study = testing::parsed(scene.read("study.toml"), scene / "");
  const Json result{{"study_mark", "ours"},
                    {"configuration", {{"level", 7}}},
                    {"result", {{"id", 0}, {"objective", 7}, {"cost", 1}}}};
  scene.write(slurm_folder_name + "results/b000000-0.json", result.dump());
  Spawner spawner;
  std::mutex mutex;
  std::string said;
  SlurmLauncher launcher(spawner, study, "ours", scene / "study.runs/study", [&](const std::string& words) {
    const std::lock_guard lock(mutex);
    said += words + "\n";
  });
  std::this_thread::sleep_for(std::chrono::seconds(1));  // the result is seen
  std::promise<void> queued;
  std::atomic<int> looks = 0;
  EvaluationWatch other;
  other.wish = [&] {
    if (looks++ == 0) queued.set_value();
    return looks < 30 ? Wish::go_on : Wish::end_now;
  };
  const auto end = std::async(std::launch::async, [&] { launcher.evaluate(level(study, 8), {1, 1, 1}, other); });
  queued.get_future().wait();
  EXPECT_EQ(launcher.evaluate(level(study, 7), {0, 0, 0}, {}).objective, 7);
  launcher.told(0);
  end.wait();
  EXPECT_TRUE(fs::exists(scene / (slurm_folder_name + "b000001/job")));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(said, "");
}

TEST(ProgramSlurm, ATaskTooManyIsCancelledOnceSbatchAnswers) {
  StoodIn run("", until_it_may_end);
  run.start("--plain --set workers=1 --set budget='2 evaluations'");
  ASSERT_TRUE(run.comes_true([&] { return run.begun().contains("0"); })) << run.read("out.txt");
  run.write("slurm/refuse", "sbatch: error: Unable to contact slurm controller\n");
  run.set_states("NODE_FAIL");
  ASSERT_TRUE(run.comes_true([&] { return run.said("waiting for Slurm: sbatch: error"); })) << run.read("out.txt");
  run.write("go-0", "");
  ASSERT_TRUE(run.comes_true([&] { return run.said("    0  "); })) << run.read("out.txt");
  fs::remove(run / "go-0");  // so that the other task goes on
  fs::remove(run / "slurm/refuse");
  EXPECT_TRUE(run.comes_true([&] { return run.state_of("b000002") == "CANCELLED\n"; })) << run.read("out.txt");
  for (const char* const go : {"go-0", "go-1"}) run.write(go, "");
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
}

TEST(ProgramSlurm, ATaskTooManyIsCancelledAtTheEndWhereSbatchHasNotAnswered) {
  StoodIn run("", until_it_may_end);
  run.start("--plain --set workers=1 --set budget='1 evaluations'");
  ASSERT_TRUE(run.comes_true([&] { return run.begun().contains("0"); })) << run.read("out.txt");
  run.write("slurm/hold", "");
  run.write("slurm/mute", "");
  run.set_states("NODE_FAIL");
  ASSERT_TRUE(run.comes_true([&] { return run.said("it is submitted again"); })) << run.read("out.txt");
  run.write("slurm/away", "");
  ASSERT_TRUE(run.comes_true([&] { return run.said("waiting for Slurm: sbatch: error"); })) << run.read("out.txt");
  run.write("go-0", "");
  EXPECT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_EQ(run.state_of("b000002"), "CANCELLED\n");
}

TEST(ProgramSlurm, AResultThatTheStudyDoesNotKnowIsLeftAndNamed) {
  StoodIn run;
  run.start("--plain --set budget='1 evaluations' --set workers=1");
  ASSERT_EQ(run.wait(), 0) << run.read("out.txt");
  const fs::path results = run / (slurm_folder_name + "results");
  auto result = nlohmann::json::parse(testing::content(results / "done/b000001-0.json"));
  result["result"]["id"] = 900;
  run.write(slurm_folder_name + "results/b000009-900.json", result.dump());
  run.start("--plain --set budget='2 evaluations' --set workers=1 --accept-changes");
  ASSERT_EQ(run.wait(), 0) << run.read("out.txt");
  EXPECT_TRUE(run.said("b000009-900.json is not taken in: the study has no evaluation 900")) << run.read("out.txt");
  EXPECT_TRUE(fs::exists(results / "b000009-900.json"));
}

}  // namespace
}  // namespace carbo::program
