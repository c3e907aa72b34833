#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <carbo/error.hpp>

#include "cost/cost_model.hpp"
#include "cost/truncated_normal.hpp"
#include "support/expect_error.hpp"
#include "support/reference_backend.hpp"

namespace carbo::internal {
namespace {

/// Costs at points of one or two real parameters in [0, 1], and the spans that observations refer to.
class CostData {
 public:
  explicit CostData(std::size_t columns) : columns_(columns) {}
  void add(std::vector<double> point, double cost, bool censored = false) {
    points_.push_back(std::move(point));
    costs_.push_back(cost);
    censored_.push_back(censored);
  }
  std::vector<CostObservation> observations() const {
    std::vector<CostObservation> result;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      result.push_back({{points_[i], points_[i]}, costs_[i], censored_[i]});
    }
    return result;
  }
  std::size_t columns() const { return columns_; }

 private:
  std::size_t columns_;
  std::vector<std::vector<double>> points_;
  std::vector<double> costs_;
  std::vector<bool> censored_;
};

class CostModelTest : public ::testing::Test {
 protected:
  static void update(Backend& backend, CostModel& model, const CostData& data) {
    const auto observations = data.observations();
    const std::vector<FitProblem> wanted = model.prepare(observations);
    model.update(fit(backend, wanted, 1));
  }
  LogCost at(const CostModel& model, double x) { return model.predict({{&x, 1}, {&x, 1}}); }
  CandidateTable table(std::vector<double> numbers) {
    CandidateTable result;
    result.rows = numbers.size();
    result.parameters = result.columns = 1;
    result.numbers = result.encoded = std::move(numbers);
    return result;
  }

  static CostOptions of_kind(CostModelKind kind) {
    CostOptions options;
    options.model = kind;
    return options;
  }

  const CostOptions log_gp_ = of_kind(CostModelKind::log_gp);
  Space line_{real("x", 0.0, 1.0)};
  std::unique_ptr<Backend> backend_ = make_backend({.kind = BackendKind::cpu, .threads = 1});
};

CostData exponential_costs(std::size_t count, double scale = 1.0) {
  CostData data(1);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    data.add({x}, scale * std::exp(3.0 * x));
  }
  return data;
}

TEST_F(CostModelTest, LearnsTheLogarithmOfTheCost) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  EXPECT_FALSE(model->ready());
  EXPECT_EQ(model->jitter(), 0.0);
  update(*backend_, *model, exponential_costs(12));
  EXPECT_TRUE(model->ready());
  for (const double x : {0.05, 0.33, 0.5, 0.9}) {
    // γ = 3x, smooth and free of noise: the fit is far inside 1 % of its range.
    EXPECT_NEAR(at(*model, x).mean, 3.0 * x, 0.03);
    EXPECT_GE(at(*model, x).variance, 0.0);
    EXPECT_LT(at(*model, x).variance, 0.01);
  }
  EXPECT_TRUE(model->calibration());
}

TEST_F(CostModelTest, TheUnitOfCostShiftsTheLogarithmAndNothingElse) {
  const auto seconds = make_cost_model(line_, log_gp_, *backend_);
  const auto milliseconds = make_cost_model(line_, log_gp_, *backend_);
  update(*backend_, *seconds, exponential_costs(9));
  update(*backend_, *milliseconds, exponential_costs(9, 1000.0));
  for (const double x : {0.0, 0.4, 1.0}) {
    // Standardised targets differ by rounding, 1e-16 · log(1000) / sd; a fit may amplify it by its stop rule.
    EXPECT_NEAR(at(*milliseconds, x).mean - at(*seconds, x).mean, std::log(1000.0), 1e-4);
    EXPECT_NEAR(at(*milliseconds, x).variance, at(*seconds, x).variance, 1e-4);
  }
}

TEST_F(CostModelTest, FieldHoldsThePredictionsInUnitsOfTheLogCost) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  update(*backend_, *model, exponential_costs(8, 40.0));
  const CandidateTable candidates = table({0.0, 0.21, 0.5, 0.77, 1.0});
  const auto set = backend_->make_candidates({candidates.encoded.data(), candidates.rows, 1});
  const auto field = model->field(candidates, *set);
  ASSERT_EQ(field->size(), 5u);
  EXPECT_FALSE(field->has_variance());
  ASSERT_TRUE(model->posterior());
  const auto posterior = backend_->sweep(*model->posterior()->factor, *set, true, model->posterior()->units);
  for (std::size_t i = 0; i < 5; ++i) {
    const LogCost expected = at(*model, candidates.numbers[i]);
    EXPECT_NEAR(field->mean(i), expected.mean, 1e-9);
    EXPECT_EQ(posterior->mean(i), field->mean(i));
    EXPECT_NEAR(posterior->variance(i), expected.variance, 1e-9);
  }
}

TEST_F(CostModelTest, EqualCostsGiveAConstant) {
  for (const std::size_t count : {1u, 2u, 7u}) {
    const auto model = make_cost_model(line_, log_gp_, *backend_);
    CostData data(1);
    for (std::size_t i = 0; i < count; ++i) data.add({0.1 * static_cast<double>(i)}, 42.0);
    update(*backend_, *model, data);
    for (const double x : {0.0, 0.5, 1.0}) EXPECT_DOUBLE_EQ(at(*model, x).mean, std::log(42.0));
  }
}

TEST_F(CostModelTest, TenCopiesOfOnePointWork) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  CostData data(1);
  for (int i = 0; i < 10; ++i) data.add({0.5}, std::exp(0.1 * i));
  update(*backend_, *model, data);
  EXPECT_NEAR(at(*model, 0.5).mean, 0.45, 1e-6);
}

TEST_F(CostModelTest, NothingObservedIsNotAnError) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  EXPECT_TRUE(model->prepare({}).empty());
  model->update({});
  EXPECT_FALSE(model->ready());
}

TEST_F(CostModelTest, RefusesCostsWithoutALogarithm) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  update(*backend_, *model, exponential_costs(4));
  const double before = at(*model, 0.3).mean;
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CostData data = exponential_costs(4);
    data.add({0.5}, bad);
    const auto observations = data.observations();
    EXPECT_THROW(model->prepare(observations), InvalidObservation);
    EXPECT_EQ(at(*model, 0.3).mean, before);
  }
}

TEST_F(CostModelTest, ATimeoutRaisesThePredictionAboveItsThreshold) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  CostData data(1);
  for (int i = 0; i < 6; ++i) data.add({0.1 * i}, 10.0 + 0.1 * i);
  update(*backend_, *model, data);
  const double without = at(*model, 0.9).mean;
  data.add({0.9}, 1000.0, true);
  update(*backend_, *model, data);
  EXPECT_LT(without, std::log(20.0));
  EXPECT_GT(at(*model, 0.9).mean, 0.9 * std::log(1000.0));
  EXPECT_NEAR(at(*model, 0.2).mean, std::log(10.2), 0.05);
}

TEST_F(CostModelTest, ATimeoutFarBelowThePredictionSaysNothing) {
  const auto with = make_cost_model(line_, log_gp_, *backend_);
  const auto without = make_cost_model(line_, log_gp_, *backend_);
  CostData data = exponential_costs(9);
  update(*backend_, *without, data);
  data.add({0.95}, 1e-6, true);
  update(*backend_, *with, data);
  for (const double x : {0.1, 0.5, 0.95}) EXPECT_NEAR(at(*with, x).mean, at(*without, x).mean, 1e-6);
}

TEST_F(CostModelTest, ImputesTheConditionalExpectation) {
  // With given hyperparameters the whole computation can be repeated by dense inverses.
  CostOptions options = log_gp_;
  options.surrogate.fixed = Hyperparameters{{0.3}, 1.0, 0.01, 0.0};
  const auto model = make_cost_model(line_, options, *backend_);
  CostData data(1);
  const std::vector<double> x{0.1, 0.35, 0.6}, gamma{0.0, 1.0, 2.0};
  for (int i = 0; i < 3; ++i) data.add({x[i]}, std::exp(gamma[i]));
  const double threshold = 2.5, place = 0.8;
  data.add({place}, std::exp(threshold), true);
  update(*backend_, *model, data);
  const double sd = std::sqrt(2.0 / 3.0);
  std::vector<double> targets, points = x;
  for (const double g : gamma) targets.push_back((g - 1.0) / sd);
  const GpParameters parameters{{1.0 / 0.3}, 1.0, 0.01, 0.0};
  const test::ReferenceFactor complete({x.data(), 3, 1}, targets, parameters);
  double mean = 0, variance = 0;
  complete.predict({&place, 1, 1}, {&mean, 1}, {&variance, 1});
  // E[γ | γ ≥ t] by the midpoint rule over 12 standard deviations.
  const double deviation = std::sqrt(variance + 0.01), low = (threshold - 1.0) / sd;
  double weight = 0, sum = 0;
  for (int i = 0; i < 200000; ++i) {
    const double value = low + 12 * deviation * (i + 0.5) / 200000;
    const double density = std::exp(-0.5 * std::pow((value - mean) / deviation, 2));
    weight += density;
    sum += density * value;
  }
  points.push_back(place);
  targets.push_back(sum / weight);
  const test::ReferenceFactor all({points.data(), 4, 1}, targets, parameters);
  for (const double at_x : {0.2, 0.7, 0.95}) {
    all.predict({&at_x, 1, 1}, {&mean, 1}, {&variance, 1});
    EXPECT_NEAR(at(*model, at_x).mean, 1.0 + sd * mean, 1e-8);
    EXPECT_NEAR(at(*model, at_x).variance, sd * sd * variance, 1e-10);
  }
}

TEST_F(CostModelTest, TimeoutsAloneCountAsTheirThresholds) {
  const auto model = make_cost_model(line_, log_gp_, *backend_);
  CostData data(1);
  data.add({0.2}, 60.0, true);
  data.add({0.7}, 60.0, true);
  update(*backend_, *model, data);
  EXPECT_TRUE(model->ready());
  EXPECT_NEAR(at(*model, 0.4).mean, std::log(60.0), 1e-12);
}

TEST_F(CostModelTest, AKnownCostIsItsLogarithmWithoutSpread) {
  CostOptions options;
  int calls = 0;
  options.known = [&](const Configuration& c) { return ++calls, 1.0 + c.real("x"); };
  const auto model = make_cost_model(line_, options, *backend_);
  EXPECT_TRUE(model->ready());
  EXPECT_TRUE(model->prepare({}).empty());
  EXPECT_EQ(at(*model, 0.5).mean, std::log(1.5));
  EXPECT_EQ(at(*model, 0.5).variance, 0.0);
  const CandidateTable candidates = table({0.0, 0.25, 1.0});
  const auto set = backend_->make_candidates({candidates.encoded.data(), 3, 1});
  calls = 0;
  for (int again = 0; again < 2; ++again) {
    const auto field = model->field(candidates, *set);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(field->mean(i), std::log(1.0 + candidates.numbers[i]));
  }
  EXPECT_FALSE(model->posterior());
  EXPECT_EQ(calls, 3);  // once a row, not once a call
  CandidateTable other = table({0.0, 0.25, 0.75});
  other.version = 1;
  EXPECT_EQ(model->field(other, *set)->mean(2), std::log(1.75));
  EXPECT_EQ(calls, 6);
  EXPECT_FALSE(model->calibration());
}

TEST_F(CostModelTest, AKnownCostThatIsNoCostIsNamed) {
  for (const double bad : {0.0, -2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CostOptions options;
    options.known = [&](const Configuration& c) { return c.real("x") > 0.5 ? bad : 1.0; };
    const auto model = make_cost_model(line_, options, *backend_);
    const CandidateTable candidates = table({0.25, 0.75});
    const auto set = backend_->make_candidates({candidates.encoded.data(), 2, 1});
    expect_error<InvalidOptions>([&] { model->field(candidates, *set); },
                                 {"cost.known", "x=0.75", bad < 0 ? "-2" : "expected"});
  }
}

TEST(TruncatedNormal, MatchesHighPrecisionValues) {
  // mpmath at 30 digits.
  EXPECT_NEAR(mean_above(0, 1, 0), 0.797884560802865355879892119869, 1e-15);
  EXPECT_NEAR(mean_above(0, 1, 3), 3.28309865493043650692809222681, 1e-14);
  EXPECT_NEAR(mean_above(0, 1, 24.9), 24.9400321266471737319354417999, 1e-12);
  EXPECT_NEAR(mean_above(0, 1, 25.1), 25.1397151533924003737222338321, 1e-12);
  EXPECT_NEAR(mean_above(0, 1, 1000), 1000.00099999800000999992596194, 1e-12);
  EXPECT_NEAR(mean_above(1, 4, -3), 1.11049572535797991820460194511, 1e-14);
  EXPECT_NEAR(mean_above(0, 1, -10), 0.0, 1e-20);
}

TEST(TruncatedNormal, IsDefinedAtItsEdges) {
  EXPECT_EQ(mean_above(2, 0, 1), 2.0);
  EXPECT_EQ(mean_above(2, 0, 3), 3.0);
  EXPECT_EQ(mean_above(0, 1, -1e300), 0.0);
  EXPECT_EQ(mean_above(0, 1e-300, 1), 1.0);
  EXPECT_EQ(mean_above(0, 1, 1e300), 1e300);
  double last = -1;
  for (double t = -40; t < 60; t += 0.01) {
    const double value = mean_above(0, 1, t);
    EXPECT_GE(value, std::max(last, t));
    last = value;
  }
}

}  // namespace
}  // namespace carbo::internal
