#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include <carbo/carbo.hpp>

#include "faults/faulted_study.hpp"
#include "faults/sweep.hpp"

// The closed loop while allocations fail: what was evaluated is in the result, at the configuration that it was
// evaluated at, and the run ends with an error unless it could do without the memory.
namespace carbo::test {
namespace {

/// What the objective was asked for, kept without an allocation.
struct Evaluated {
  std::uint64_t id = 0;
  std::array<double, 2> numbers{};
  bool failed = false;
};

class Journal {
 public:
  void add(const Evaluated& one) {
    const std::lock_guard lock(mutex_);
    if (count_ < all_.size()) all_[count_] = one;
    ++count_;
  }
  std::span<const Evaluated> all() const { return {all_.data(), std::min(count_, all_.size())}; }

 private:
  std::mutex mutex_;
  std::array<Evaluated, 64> all_{};
  std::size_t count_ = 0;
};

/// Thrown as they are: copies of them allocate nothing.
const EvaluationFailed failure_with_a_price(0.75, "the third of every five evaluations fails, and says so at length");
const std::runtime_error failure_without_one("the fifth of every five evaluations fails, and says so at length");

Space square() { return Space{real("x", 0.0, 1.0), real("y", 0.0, 1.0)}; }

Options options_for(std::size_t workers, Execution execution) {
  Options options{.budget = 1000.0, .batch_size = workers, .seed = 9, .execution = execution};
  options.max_evaluations = 10;
  options.design.warm_start = 4;
  options.candidates.count = 32;
  return quick(std::move(options));
}

void check_result(const Result& result, std::span<const Evaluated> evaluated) {
  std::size_t found = 0;
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (const Observation& seen : result.observations) {
    if (seen.status == ObservationStatus::succeeded) best = std::min(best, seen.objective);
    if (!seen.id) continue;
    spent += seen.cost;
    const auto own = std::ranges::find(evaluated, *seen.id, &Evaluated::id);
    ASSERT_NE(own, evaluated.end()) << "evaluation " << *seen.id << " never took place";
    ++found;
    EXPECT_TRUE(std::ranges::equal(seen.configuration.numbers(), own->numbers)) << "evaluation " << *seen.id;
    EXPECT_EQ(seen.status == ObservationStatus::succeeded, !own->failed);
    if (own->failed) continue;
    const Evaluation expected = evaluate(seen.configuration);
    EXPECT_EQ(seen.objective, expected.objective);
    EXPECT_EQ(seen.cost, expected.cost);
  }
  EXPECT_EQ(found, evaluated.size()) << "evaluations were lost";
  EXPECT_NEAR(result.spent, spent, 1e-12);  // ten costs, each below 10, in another order
  EXPECT_EQ(result.best.has_value(), std::isfinite(best));
  EXPECT_EQ(result.best ? result.best->objective : best, best);
  EXPECT_EQ(result.cost_unit, "credits");
}

/// Empty where the run threw.
Transcript run(std::size_t workers, Execution execution) {
  const Space space = square();
  const Options options = options_for(workers, execution);
  Journal journal;
  const CancellableObjective objective = [&](const Configuration& x, const EvaluationContext& context) {
    Evaluated one{context.suggestion_id(), {x.numbers()[0], x.numbers()[1]}};
    one.failed = one.id % 5 == 2 || one.id % 5 == 4;
    journal.add(one);
    if (one.id % 5 == 2) throw failure_with_a_price;
    if (one.id % 5 == 4) throw failure_without_one;
    return evaluate(x);
  };
  Hooks hooks;
  std::size_t reports = 0;
  hooks.progress = [&](const Progress& progress) { reports += progress.running <= 4 ? 1 : 0; };
  const Configuration centre = space.configuration(std::vector<double>{0.5, 0.5});
  hooks.prior.push_back({{}, centre, ObservationStatus::succeeded, Origin::prior, 3.0, 2.0, ""});
  std::optional<Result> result;
  try {
    const allocations::Window window;
    result.emplace(minimize(space, options, objective, hooks));
  } catch (const OutOfMemory&) {
    EXPECT_TRUE(allocations::struck());
    EXPECT_TRUE(journal.all().empty()) << "evaluations were made and lost";
    return "";
  } catch (const std::exception& error) {
    ADD_FAILURE() << typeid(error).name() << ": " << error.what();
    return "";
  }
  check_result(*result, journal.all());
  EXPECT_EQ(result->stop_reason == StopReason::error, !result->error.empty());
  if (result->stop_reason == StopReason::error) {
    EXPECT_TRUE(allocations::struck()) << result->error;
    EXPECT_NE(result->error.find("memory"), std::string::npos) << result->error;
    return "";
  }
  EXPECT_EQ(result->stop_reason, StopReason::evaluations);
  EXPECT_GE(reports, journal.all().size());
  Transcript transcript;
  for (const Observation& seen : result->observations) {
    for (const double number : seen.configuration.numbers()) transcript += std::to_string(number) + " ";
    transcript += std::to_string(seen.objective) + " " + std::to_string(seen.cost) + "\n";
  }
  return transcript;
}

void sweep_runs(const std::string& name, std::size_t workers, Execution execution) {
  std::size_t unharmed = 0;
  const auto check = [&](const Transcript& undisturbed, const Transcript& disturbed) {
    if (disturbed.empty()) return;
    ++unharmed;
    // With several workers results come in any order.
    EXPECT_TRUE(workers > 1 || disturbed == undisturbed) << disturbed << "\ninstead of\n" << undisturbed;
  };
  const SweepFigures figures = sweep(
      name, [&] { return run(workers, execution); }, check);
  EXPECT_GT(figures.runs, 0u);
  EXPECT_GT(figures.struck, figures.runs / 2);
  EXPECT_LT(unharmed, figures.runs);
}

TEST(MinimizeFaults, OneWorker) { sweep_runs("minimize, one worker", 1, Execution::synchronous); }
TEST(MinimizeFaults, FourWorkers) { sweep_runs("minimize, four workers", 4, Execution::synchronous); }
TEST(MinimizeFaults, FourWorkersOnTheirOwn) {
  sweep_runs("minimize, four workers on their own", 4, Execution::asynchronous);
}

}  // namespace
}  // namespace carbo::test
