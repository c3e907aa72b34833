#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/backends/prediction.hpp"
#include "bench/backends/results.hpp"
#include "reports.hpp"

namespace {

using namespace bench_reports;

const std::vector<Card> two_cards{{"one", 1e12, 2e12, 1e11, 1e10, 2e-6, 3e-6, 10, 5e-8, "made up"},
                                  {"two", 2e12, 4e12, 2e11, 1e10, 1e-6, 3e-6, 10, 5e-8, "made up"}};

Measurement batch_measured(const std::string& backend) {
  Measurement m = measurement(Job::batch, backend, 1000, 0.5);
  m.of.variant = "shared";
  m.of.sizes.b = 16;
  m.shares = PickShares{1, 1, 1};  // of a search that finishes everything
  return m;
}

TEST(BackendBenchPrediction, FollowsTheModelAndNotTheSearchOfTheCpu) {
  const Report report = report_of({batch_measured("cpu")});
  const std::vector<Prediction> predictions = predict(report, two_cards);
  ASSERT_EQ(predictions.size(), 2u);
  const Case& of = report.measurements.front().of;
  const std::vector<StageWork> stages = modelled_work(of.job, of.sizes, usual_shares(of.job, of.sizes));
  double seconds = 0;
  for (const StageWork& stage : stages) seconds += modelled_seconds(stage, two_cards[1]);
  EXPECT_EQ(predictions[1].card, "two");
  EXPECT_EQ(predictions[1].seconds, seconds);
  EXPECT_LT(predictions[1].seconds, predictions[0].seconds);
  ASSERT_EQ(predictions[1].stages.size(), stages.size());
  EXPECT_EQ(sum_of(predictions[1].stages).flops, sum_of(stages).flops);
  EXPECT_LT(sum_of(stages).flops, sum_of(modelled_work(of.job, of.sizes, {1, 1, 1})).flops);
}

TEST(BackendBenchPrediction, KnowsWhatIsModelled) {
  std::vector<Measurement> all = {measurement(Job::fit, "cpu", 0, 1), measurement(Job::fit, "cpu", 0, 1),
                                  measurement(Job::suggest, "cpu", 1000, 1), measurement(Job::pick, "cuda", 1000, 1)};
  all[0].of.variant = "step";
  all[1].of.variant = "whole";
  all[2].of.variant = "with fit";
  all.push_back(measurement(Job::pick, "cpu", 1000, 1));
  const std::vector<Prediction> predictions = predict(report_of(all), two_cards);
  ASSERT_EQ(predictions.size(), 4u);  // the step and the pick, on both cards; the pick once
  EXPECT_EQ(predictions[0].of.variant, "step");
  EXPECT_EQ(predictions[2].of.job, Job::pick);
  EXPECT_TRUE(predict(report_of({}), two_cards).empty());
  EXPECT_EQ(prediction_table(report_of({}), {}, two_cards), "");
}

TEST(BackendBenchPrediction, StagesStandInTheTableAndInTheFile) {
  const Report report = report_of({measurement(Job::pick, "cpu", 5000, 1), batch_measured("cpu")});
  const std::vector<Prediction> predictions = predict(report, two_cards);
  const std::string table = prediction_table(report, predictions, two_cards);
  const std::string file = json_text(report, predictions);
  EXPECT_NE(table.find("Stages of batch, shared, n = 100, m = 1,000, d = 6, b = 16, n_f = 10"), std::string::npos);
  EXPECT_NE(table.find("Assumed: "), std::string::npos);
  EXPECT_NE(table.find(" bytes | bytes asked for |"), std::string::npos) << table;
  for (const StageWork& stage : predictions.back().stages) {
    EXPECT_NE(table.find("\n| " + stage.stage + " "), std::string::npos) << stage.stage << table;
    const std::size_t at = file.find("\"stage\": \"" + stage.stage + "\"");
    ASSERT_NE(at, std::string::npos) << stage.stage;
    const std::size_t key = file.find("\"requested_bytes\": ", at);
    ASSERT_NE(key, std::string::npos) << stage.stage;
  }
  const std::string total = "\"requested_bytes\": ";
  const std::size_t last = file.rfind("\"stage\": \"all\"");
  EXPECT_EQ(std::stod(file.substr(file.find(total, last) + total.size())),
            sum_of(predictions.back().stages).requested_bytes);
}

/// Where a search may look in low precision there are rows of pairs and of float64 beside the usual one; a card with
/// much float64 takes that for pairs.
TEST(BackendBenchPrediction, HasSearchesInEveryPrecision) {
  Measurement large = measurement(Job::pick, "cpu", 100000, 1);
  const Card& little = card_by_name("T4");
  const std::vector<Card> cards{little, card_by_name("H100-SXM")};
  const std::vector<Prediction> found = predict(report_of({large}), cards);
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].of.variant, large.of.variant);
  EXPECT_EQ(found[2].of.variant, "in float pairs");
  EXPECT_EQ(found[4].of.variant, "in float64");
  for (const std::size_t of_card : {0, 1}) EXPECT_EQ(found[4 + of_card].card, cards[of_card].name);
  EXPECT_LT(found[0].seconds, found[2].seconds);
  EXPECT_LT(2 * found[2].seconds, found[4].seconds);
  EXPECT_EQ(found[3].seconds, found[5].seconds);
  EXPECT_EQ(sum_of(found[0].stages).launches, sum_of(found[1].stages).launches + 1);
  EXPECT_TRUE(takes_pairs(little));
  EXPECT_FALSE(takes_pairs(cards[1]));
}

TEST(BackendBenchPrediction, WithoutACpuTheModelIsThereAllTheSame) {
  const Report report = report_of({measurement(Job::pick, "cuda", 5000, 1)});
  const std::string table = prediction_table(report, predict(report, two_cards), two_cards);
  EXPECT_NE(table.find("| pick |"), std::string::npos) << table;
}

/// A search never finishes fewer candidates than its seeds, and a batch no candidate twice.
TEST(BackendBenchPrediction, UsualSharesKeepTheirBounds) {
  for (const double m : {1.0, 300.0, 1e4, 1e6})
    for (const std::size_t n : {1, 1600}) {
      const JobSizes sizes{.n = n, .m = static_cast<std::size_t>(m), .d = 6};
      const double finished = m * usual_shares(Job::pick, sizes).finished;
      EXPECT_GE(finished, std::min(256.0, m / 128));
      EXPECT_LE(finished, m);
    }
  for (const std::size_t b : {1, 4, 16, 64, 1000}) {
    const PickShares shares = usual_shares(Job::batch, {.n = 100, .m = 1000, .d = 6, .b = b});
    EXPECT_LE(shares.finished * static_cast<double>(b), 1) << b;
    EXPECT_TRUE(shares.finished > 0 && shares.refreshed > 0) << b;
  }
}

}  // namespace
