#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <carbo/to_string.hpp>

#include "cost/learned_cost.hpp"
#include "cost/residual_gp.hpp"
#include "gp/log_posterior.hpp"
#include "support/random.hpp"

namespace carbo::internal {
namespace {

/// Points of a plane, and costs that a function of them gives.
struct PlaneData {
  std::vector<std::vector<double>> points;
  std::vector<double> costs;

  template <class Cost>
  PlaneData(std::size_t count, std::uint64_t seed, const Cost& cost) {
    for (std::size_t i = 0; i < count; ++i) {
      points.push_back({uniform(seed, Draw::random_pick, i, 0), uniform(seed, Draw::random_pick, i, 1)});
      costs.push_back(cost(points[i][0], points[i][1], normal(seed, Draw::fantasy, i)));
    }
  }
  std::vector<CostObservation> observations() const {
    std::vector<CostObservation> result;
    for (std::size_t i = 0; i < points.size(); ++i) result.push_back({{points[i], points[i]}, costs[i], false});
    return result;
  }
};

class LearnedCostTest : public ::testing::Test {
 protected:
  std::unique_ptr<CostModel> learned(CostOptions options, const PlaneData& data) {
    auto model = make_cost_model(plane_, options, *backend_);
    update(*model, data);
    return model;
  }
  void update(CostModel& model, const PlaneData& data) {
    const auto observations = data.observations();
    const auto problems = model.prepare(observations);
    model.update(fit(*backend_, problems, 1));
  }
  /// Root of the mean squared error of log cost on a grid.
  template <class Cost>
  static double error(const CostModel& model, const Cost& cost) {
    double squares = 0;
    for (int i = 0; i <= 10; ++i)
      for (int j = 0; j <= 10; ++j) {
        const std::vector<double> at{0.1 * i, 0.1 * j};
        const double residual = model.predict({at, at}).mean - std::log(cost(at[0], at[1], 0.0));
        squares += residual * residual / 121;
      }
    return std::sqrt(squares);
  }
  static CostOptions of(CostModelKind kind) {
    CostOptions options;
    options.model = kind;
    options.features = {work("x * y"), work("x")};
    return options;
  }

  Space plane_{real("x", 0.0, 1.0), real("y", 0.0, 1.0)};
  std::unique_ptr<Backend> backend_ = make_backend({.kind = BackendKind::cpu, .threads = 1});
};

/// Exactly what the features say.
double flops(double x, double y, double) { return 0.5 + 40.0 * x * y + 3.0 * x; }
/// The same, with noise of 10 %.
double timed(double x, double y, double z) { return flops(x, y, 0) * std::exp(0.1 * z); }
/// Nothing to do with the features.
double waves(double x, double y, double) { return std::exp(2.0 * std::sin(6.0 * y) * std::cos(5.0 * x)); }
/// Features times something smooth that they do not say.
double bent(double x, double y, double) { return flops(x, y, 0) * std::exp(0.8 * std::sin(4.0 * y)); }

TEST_F(LearnedCostTest, FiveObservationsAreEnoughForALinearCost) {
  const PlaneData data(5, 3, flops);
  EXPECT_LT(error(*learned(of(CostModelKind::linear), data), flops), 1e-5);
  EXPECT_LT(error(*learned(of(CostModelKind::linear_mean_gp), data), flops), 1e-3);
  EXPECT_GT(error(*learned(of(CostModelKind::log_gp), data), flops), 0.2);
}

TEST_F(LearnedCostTest, TheGpMendsWhatTheTrendLeaves) {
  const PlaneData data(40, 4, bent);
  const double linear = error(*learned(of(CostModelKind::linear), data), bent);
  const double both = error(*learned(of(CostModelKind::linear_mean_gp), data), bent);
  EXPECT_GT(linear, 0.3);
  EXPECT_LT(both, 0.6 * linear);
}

TEST_F(LearnedCostTest, ATrendThatIsWorseThanAConstantIsNotTheMean) {
  const PlaneData data(30, 5, waves);
  const auto with_features = learned(of(CostModelKind::linear_mean_gp), data);
  EXPECT_EQ(with_features->kind(), CostModelKind::log_gp);
  EXPECT_EQ(error(*with_features, waves), error(*learned(of(CostModelKind::log_gp), data), waves));
  ASSERT_GE(with_features->scores().size(), 1u);
}

TEST_F(LearnedCostTest, AutomaticChoosesByEvidenceAndSaysWhy) {
  struct Case {
    double (*cost)(double, double, double);
    std::size_t count;
    std::vector<CostModelKind> right;
  };
  const std::vector<Case> cases{
      {timed, 8, {CostModelKind::linear, CostModelKind::linear_mean_gp}},
      {timed, 40, {CostModelKind::linear, CostModelKind::linear_mean_gp}},
      {waves, 40, {CostModelKind::log_gp}},
      {bent, 60, {CostModelKind::linear_mean_gp, CostModelKind::log_gp}},
  };
  for (const Case& one : cases) {
    const auto model = learned(of(CostModelKind::automatic), PlaneData(one.count, 6, one.cost));
    EXPECT_NE(std::ranges::find(one.right, model->kind()), one.right.end()) << to_string(model->kind());
    const auto scores = model->scores();
    ASSERT_GE(scores.size(), 2u);
    double best = -1e300, chosen = -1e300;
    for (const CostModelScore& score : scores) {
      EXPECT_TRUE(std::isfinite(score.log_density));
      best = std::max(best, score.log_density);
      if (score.model == model->kind()) chosen = score.log_density;
    }
    EXPECT_GT(chosen, best - 0.5);  // the best, or so near that hysteresis holds
  }
}

TEST_F(LearnedCostTest, ScoresAreDensitiesOfTheLogCostWhateverTheFitWeighs) {
  // With little spread, both kinds of error describe the same predictions: the Jacobian makes their densities agree.
  // In other units of cost neither changes.
  const PlaneData data(60, 7,
                       [](double x, double y, double z) { return (20.0 + flops(x, y, 0)) * std::exp(0.02 * z); });
  PlaneData in_hours = data;
  for (double& cost : in_hours.costs) cost /= 3600.0;
  const auto density = [&](CostError error, const PlaneData& observed) {
    CostOptions options = of(CostModelKind::automatic);
    options.error = error;
    for (const CostModelScore& score : learned(options, observed)->scores())
      if (score.model == CostModelKind::linear) return score.log_density;
    return std::nan("");
  };
  const double relative = density(CostError::relative, data);
  // −log(0.02) − 1.47 = 2.44 for normal noise under the density used; 60 residuals leave a few hundredths of doubt.
  EXPECT_NEAR(relative, 2.44, 0.25);
  EXPECT_NEAR(density(CostError::absolute, data), relative, 0.25);
  EXPECT_NEAR(density(CostError::relative, in_hours), relative, 1e-6);
  EXPECT_NEAR(density(CostError::absolute, in_hours), density(CostError::absolute, data), 1e-6);
}

TEST_F(LearnedCostTest, LikelihoodGradientsOfTheLinearMeanGpAgreeWithDifferences) {
  const PlaneData data(25, 8, [](double x, double y, double z) { return bent(x, y, 0) * std::exp(0.1 * z); });
  const auto model = make_cost_model(plane_, of(CostModelKind::linear_mean_gp), *backend_);
  const auto observations = data.observations();
  const std::vector<FitProblem> problems = model->prepare(observations);
  ASSERT_EQ(problems.size(), 2u);  // its own, and that of the GP with a constant mean that it competes with
  const LogPosterior posterior(problems.front());
  const std::vector<double> place{-0.3, 0.4, 0.2, -2.5};
  const auto value = [&](std::vector<double> at, std::vector<double>* gradient) {
    LikelihoodValue result;
    const LikelihoodRequest request = posterior.request(at);
    backend_->likelihoods({&request, 1}, {&result, 1});
    std::vector<double> own = result.gradient;
    const double total = result.log_likelihood + posterior.add_prior(at, own);
    if (gradient != nullptr) *gradient = own;
    return total;
  };
  std::vector<double> gradient;
  value(place, &gradient);
  for (std::size_t i = 0; i < place.size(); ++i) {
    const double step = 1e-5;
    std::vector<double> above = place, below = place;
    above[i] += step;
    below[i] -= step;
    // Central differences of a value of order 30 err by step² and by ε·30 / step, 1e-9.
    EXPECT_NEAR(gradient[i], (value(above, nullptr) - value(below, nullptr)) / (2 * step), 1e-6) << i;
  }
}

TEST_F(LearnedCostTest, FieldsHoldThePredictions) {
  const PlaneData data(20, 9, [](double x, double y, double z) { return bent(x, y, 0) * std::exp(0.1 * z); });
  CandidateTable table;
  table.rows = 300;
  table.parameters = table.columns = 2;
  for (std::size_t i = 0; i < 600; ++i) table.numbers.push_back(uniform(77, Draw::random_pick, i));
  table.encoded = table.numbers;
  const auto set = backend_->make_candidates({table.encoded.data(), table.rows, 2});
  for (const CostModelKind kind : {CostModelKind::log_gp, CostModelKind::linear, CostModelKind::linear_mean_gp}) {
    for (const bool partly : {false, true}) {
      CostOptions options = of(kind);
      options.weight = CostWeight::moment;
      if (partly) options.known_part = "1 + x";
      const auto model = learned(options, data);
      const auto field = model->field(table, *set);
      EXPECT_EQ(field->has_variance(), kind == CostModelKind::linear);
      EXPECT_EQ(model->posterior().has_value(), kind != CostModelKind::linear);
      for (std::size_t i = 0; i < table.rows; ++i) {
        const LogCost expected = model->predict({table.encoded_of(i), table.numbers_of(i)});
        EXPECT_NEAR(field->mean(i), expected.mean, 1e-9);
        if (field->has_variance()) {
          EXPECT_NEAR(field->variance(i), expected.variance, 1e-9);
        }
      }
    }
  }
}

TEST_F(LearnedCostTest, PredictionsTogetherAreThoseOfEach) {
  const PlaneData data(20, 9, [](double x, double y, double z) { return bent(x, y, 0) * std::exp(0.1 * z); });
  std::vector<std::vector<double>> numbers;
  std::vector<CostPoint> points;
  for (std::uint32_t i = 0; i < 17; ++i) {
    numbers.push_back({uniform(78, Draw::random_pick, i, 0), uniform(78, Draw::random_pick, i, 1)});
  }
  for (const std::vector<double>& at : numbers) points.push_back({at, at});
  for (const CostModelKind kind : {CostModelKind::log_gp, CostModelKind::linear, CostModelKind::linear_mean_gp}) {
    CostOptions options = of(kind);
    options.known_part = "1 + x";
    const auto model = learned(options, data);
    EXPECT_TRUE(model->predictions({}).empty());
    const std::vector<LogCost> together = model->predictions(points);
    ASSERT_EQ(together.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const LogCost alone = model->predict(points[i]);
      EXPECT_EQ(together[i].mean, alone.mean) << to_string(kind) << ", point " << i;
      EXPECT_EQ(together[i].variance, alone.variance) << to_string(kind) << ", point " << i;
    }
  }
}

TEST_F(LearnedCostTest, AKnownPartLeavesTheRestToBeLearned) {
  // c = (1 + 30 x) · e^{y}: the first factor is told, the second is smooth.
  const auto cost = [](double x, double y, double) { return (1.0 + 30.0 * x) * std::exp(y); };
  const PlaneData data(10, 10, cost);
  CostOptions options = of(CostModelKind::log_gp);
  const double alone = error(*learned(options, data), cost);
  options.known_part = "1 + 30 * x";
  const double told = error(*learned(options, data), cost);
  EXPECT_LT(told, 0.1);
  EXPECT_LT(told, 0.3 * alone);
}

TEST_F(LearnedCostTest, WithoutFeaturesTheParametersAreTriedOnceThereIsEvidence) {
  const auto cost = [](double x, double y, double z) { return (1.0 + 30.0 * x + 2.0 * y) * std::exp(0.3 * z); };
  CostOptions options;
  const auto few = learned(options, PlaneData(8, 11, cost));
  EXPECT_EQ(few->kind(), CostModelKind::log_gp);
  EXPECT_TRUE(few->scores().empty());
  EXPECT_GE(learned(options, PlaneData(60, 11, cost))->scores().size(), 2u);
}

TEST_F(LearnedCostTest, ModelsThatCompeteAreComparedInTheSameUpdate) {
  // Above 128 rows a GP has a rhythm of its own. The trend explains nothing for 133 rows and something after, so that
  // the GP on what it leaves comes late.
  PlaneData data(175, 12, waves);
  for (std::size_t i = 0; i < data.costs.size(); ++i) {
    if (i >= 133) data.costs[i] = 1e3 * flops(data.points[i][0], data.points[i][1], 0);
  }
  CostOptions options = of(CostModelKind::automatic);
  options.surrogate.fixed = Hyperparameters{{0.3, 0.3}, 1.0, 1e-2, 0.0};
  const auto model = make_cost_model(plane_, options, *backend_);
  const auto observations = data.observations();
  std::size_t compared = 0;
  for (std::size_t count = 129; count <= observations.size(); ++count) {
    model->prepare({observations.data(), count});
    model->update({});
    compared += model->scores().size() == 3 ? 1 : 0;
  }
  EXPECT_GT(compared, 0u);
}

TEST_F(LearnedCostTest, ATrendThatCannotBeFittedIsNoObstacleWhereNobodyAskedForIt) {
  const Space tiny{real("x", 1e-250, 1e-180).log()};
  CostModelKind kinds[] = {CostModelKind::automatic, CostModelKind::log_gp};
  std::vector<std::vector<double>> numbers, encoded;
  for (int i = 0; i < 20; ++i) {
    encoded.push_back({(i + 0.5) / 20});
    const Configuration at = tiny.decode(encoded.back());
    numbers.push_back({at.numbers().begin(), at.numbers().end()});
  }
  std::vector<double> predictions;
  for (const CostModelKind kind : kinds) {
    CostOptions options;
    options.model = kind;
    const auto model = make_cost_model(tiny, options, *backend_);
    std::vector<CostObservation> observations;
    for (int i = 0; i < 20; ++i) observations.push_back({{encoded[i], numbers[i]}, 1.0 + i, false});
    const auto problems = model->prepare(observations);
    model->update(fit(*backend_, problems, 1));
    predictions.push_back(model->predict({encoded[7], numbers[7]}).mean);
  }
  EXPECT_EQ(predictions[0], predictions[1]);
}

}  // namespace
}  // namespace carbo::internal
