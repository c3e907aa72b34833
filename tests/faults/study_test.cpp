#ifdef CARBO_STUDY_BUILT

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/json.hpp>
#include <carbo/study.hpp>

#include "faults/faulted_study.hpp"
#include "faults/sweep.hpp"
#include "support/temporary_folder.hpp"

// A study in a file while allocations fail: a call that threw has stored nothing and is made again, and the rows at
// the end are those of a study that was not disturbed.
namespace carbo::test {
namespace {

/// `action` inside a window; once more where it fails, which must be for want of memory.
template <class Action>
auto tried(const Action& action) {
  try {
    const allocations::Window window;
    return action();
  } catch (const OutOfMemory&) {
    EXPECT_TRUE(allocations::struck());
  }
  return action();
}

Transcript short_run() {
  const TemporaryFolder folder;
  const Space space{real("x", 0.0, 1.0), categorical("c", {"a", "b", "d"})};
  Options options{.budget = 1000.0, .batch_size = 2, .seed = 5};
  options.design.warm_start = 2;
  options.candidates.count = 24;
  options = quick(std::move(options));
  StudyOptions how;
  how.durability = Durability::normal;
  how.owner = "tester";
  how.clock = [] { return 1000.0; };
  // What callers bring is made outside the windows.
  const std::filesystem::path file = folder / "a.db";
  const std::string name = "s";
  const TrialNotes notes{{{"metric", 1.5}}, {}, {}};
  const Configuration adopted = space.decode(std::vector<double>(4, 0.25));
  Study study = tried([&] { return Study::open(file, name, space, options, how); });
  for (int round = 0; round < 3; ++round) {
    const auto batch = tried([&] { return study.ask(2); });
    EXPECT_EQ(batch.size(), 2u);
    const Evaluation result = evaluate(batch.at(0).configuration);
    tried([&] {
      study.tell(batch.at(0).id, result, notes);
      return 0;
    });
    std::vector<std::string> reasons(2, "a reason that is too long to be kept without an allocation");
    auto reason = reasons.begin();
    tried([&] {
      study.fail(batch.at(1).id, 1.5, std::move(*reason++));
      return 0;
    });
  }
  tried([&] { return study.adopt(adopted); });
  Study other = tried([&] { return Study::open(file, name, space, options, how); });
  EXPECT_EQ(tried([&] { return other.ask(1); }).size(), 1u);
  Transcript rows;
  for (const Trial& trial : tried([&] { return other.trials(); }))
    rows += std::to_string(trial.number) + " " + to_string(trial.state) + " " + to_json(trial.configuration) + " " +
            std::to_string(trial.objective.value_or(-1)) + " " + trial.reason + "\n";
  return rows + std::to_string(tried([&] { return other.summary(); }).spent);
}

TEST(StudyFaults, AStudyInAFileLosesNothingWhereAllocationsFail) {
  const SweepFigures figures = sweep(
      "a study in a file", short_run,
      [](const Transcript& undisturbed, const Transcript& disturbed) { EXPECT_EQ(disturbed, undisturbed); },
      cases(80));
  EXPECT_EQ(figures.struck, figures.runs);
}

}  // namespace
}  // namespace carbo::test

#endif
