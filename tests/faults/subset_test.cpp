#include <gtest/gtest.h>

#include <cmath>
#include <new>
#include <string>
#include <vector>

#include "faults/sweep.hpp"
#include "gp/surrogate.hpp"
#include "support/backend_fixture.hpp"

// A model that keeps a subset while allocations fail: an update that failed and was taken back leaves nothing behind,
// so that the next one ends where it would have.
namespace carbo::test {
namespace {

internal::TrainingData rows_of_study(std::size_t rows) {
  oracle::Uniform uniform(4);
  internal::TrainingData data;
  data.columns = 2;
  data.points = oracle::flat(uniform.points(rows, 2));
  for (std::size_t i = 0; i < rows; ++i)
    data.targets.push_back(std::sin(7 * data.points[2 * i]) + data.points[2 * i + 1] - 0.5);
  return data;
}

/// Inside a window, and once more where that fails.
void update(internal::Backend& backend, internal::Surrogate& surrogate, const internal::TrainingData& data) {
  const auto once = [&] {
    const internal::FitProblem* const problem = surrogate.prepare(data);
    surrogate.update(problem != nullptr ? std::optional(internal::fit(backend, {problem, 1}, 7).front())
                                        : std::nullopt);
  };
  internal::Surrogate::Standing before = surrogate.standing();
  try {
    const allocations::Window window;
    once();
  } catch (const std::bad_alloc&) {
    surrogate.stand_as(std::move(before));
    once();
  }
}

TEST(SubsetFaults, AnUpdateThatFailsLeavesNothingBehind) {
  const std::vector<int> groups{0, 1};
  SurrogateOptions options;
  options.max_points = 64;
  options.restarts = 1;
  const auto scenario = [&] {
    const auto backend = fixture::cpu(1);
    internal::Surrogate surrogate(*backend, options, groups);
    // A fit of a subset, a row that is appended to it, and another choice.
    for (const std::size_t rows : {90u, 91u, 100u}) update(*backend, surrogate, rows_of_study(rows));
    const internal::TrainingData at = rows_of_study(5);
    std::vector<double> means(5), variances(5);
    surrogate.factor().predict(at.view(), means, variances);
    Transcript found;
    for (std::size_t i = 0; i < 5; ++i) found += std::to_string(means[i]) + " " + std::to_string(variances[i]) + "\n";
    return found;
  };
  const SweepFigures figures = sweep(
      "a subset's model", scenario,
      [](const Transcript& undisturbed, const Transcript& disturbed) { EXPECT_EQ(disturbed, undisturbed); },
      cases(100));
  EXPECT_EQ(figures.struck, figures.runs);
  EXPECT_GT(figures.runs, 0u);
}

}  // namespace
}  // namespace carbo::test
