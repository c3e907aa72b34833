#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/hpo/readings.hpp"
#include "bench/hpo_support.hpp"

namespace carbo::hpo {
namespace {

using Curve = std::vector<double>;

TEST(HpoReadings, LenientSavingsAreThoseOfComingCloseEnough) {
  const Curve ours{9, 5, 5, 5, 5}, rival{9, 9, 9, 9, 4};
  EXPECT_DOUBLE_EQ(lenient_savings(ours, rival, 0), -0.0);  // the rival needs all of the budget to pass ours
  EXPECT_DOUBLE_EQ(lenient_savings(ours, rival, 0.9), -0.0);
  EXPECT_DOUBLE_EQ(lenient_savings(ours, rival, 1), 0.75);
  EXPECT_DOUBLE_EQ(lenient_savings(rival, ours, 0), 0.0);
  EXPECT_DOUBLE_EQ(lenient_savings(Curve{9, 8, 7, 6, 6}, Curve{9, 3, 2, 2, 2}, 1), -0.75);
  EXPECT_DOUBLE_EQ(lenient_savings(Curve{9, 8, 7, 6, 2}, Curve{9, 7, 7, 7, 5}, 1), 0.25);
  EXPECT_THROW(lenient_savings(Curve{1}, Curve{1}, 0), std::invalid_argument);
  EXPECT_THROW(lenient_savings(Curve{1, 1}, Curve{1, 1, 1}, 0), std::invalid_argument);
}

using HpoReadingsTable = HandMadeResults;

TEST_F(HpoReadingsTable, TellsMediansMeansAndRunsApart) {
  const auto add = [&](const std::string& method, std::uint64_t seed, const Evaluations& evaluations) {
    add_run(replay::key_of(problems[0].problem, {.name = method, .title = method, .configure = {}}, 1, 10, seed),
            evaluations);
  };
  add("carbo", 1, {{1, 0.2}, {9, 0.6}});
  add("carbo", 2, {{1, 0.2}, {9, 0.6}});
  add("carbo", 3, {{1, 0.9}, {9, 0.9}});
  add("ei", 1, {{5, 0.15}, {5, 0.6}});
  add("ei", 2, {{5, 0.5}, {5, 0.6}});
  add("ei", 3, {{5, 0.3}, {5, 0.6}});
  const Experiment experiment{.name = "tables"};
  const ExperimentResults tables =
      results_of(experiment, summaries(four_methods, {"random", "ei", "eipu", "carbo"}, 1, 10));
  const std::string text = readings_section(tables);
  const auto cell = [&](const std::string& row) { return cells_of_row(text, row).at(1); };
  // The second problem loses half by every reading. On the first CArBO's median passes EI's end, 0.3, after 1 of 10.
  EXPECT_EQ(cell("Medians over the seeds (Table 2)"), "+20 % (1 of 2)");
  // Its mean ends at 0.433, which EI's passes after 5.
  EXPECT_EQ(cell("Means over the seeds"), "-50 % (0 of 2)");
  // Its runs lose half, save 9/10 and lose half.
  EXPECT_EQ(cell("Run by run, the median"), "-50 % (0 of 2)");
  EXPECT_EQ(cell("Within 1 % of the error"), "+20 % (1 of 2)");
  EXPECT_EQ(cell("The next best against CArBO, within 1 %"), "-20 % (1 of 2)");
}

}  // namespace
}  // namespace carbo::hpo
