#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <carbo/to_string.hpp>

#include "cost/cost_model.hpp"
#include "support/random.hpp"
#include "support/sanitized.hpp"

namespace carbo::internal {
namespace {

using enum CostModelKind;

/// Costs at points of a plane.
struct Told {
  std::vector<std::vector<double>> points;
  std::vector<double> costs;
  std::vector<bool> censored;

  void add(std::vector<double> point, double cost, bool timeout = false) {
    points.push_back(std::move(point));
    costs.push_back(cost);
    censored.push_back(timeout);
  }
  std::vector<CostObservation> first(std::size_t count) const {
    std::vector<CostObservation> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back({{points[i], points[i]}, costs[i], censored[i]});
    return result;
  }
};

/// Smooth, over a factor of about 30.
double smooth(double x, double y) { return std::exp(1.5 * std::sin(2 * x) + y + 0.5 * x * y); }

/// What is added to the log cost of draw i, at a place where it is `cost`.
using Noise = double (*)(std::uint64_t seed, std::size_t i, double cost);

double clean(std::uint64_t seed, std::size_t i, double) { return 0.05 * normal(seed, Draw::fantasy, i); }
/// One in ten takes 20 to 1,000 times as long.
double stray(std::uint64_t seed, std::size_t i, double cost) {
  const bool strays = uniform(seed, Draw::restart, i, 0) < 0.1;
  const double factor = std::log(20.0) + uniform(seed, Draw::restart, i, 1) * std::log(50.0);
  return clean(seed, i, cost) + (strays ? factor : 0.0);
}
/// The fourth takes 1,000 times as long.
double one_stray(std::uint64_t seed, std::size_t i, double cost) {
  return clean(seed, i, cost) + (i == 3 ? std::log(1000.0) : 0.0);
}
/// Student-t with two degrees of freedom.
double student(std::uint64_t seed, std::size_t i, double) {
  double squares = 0;
  for (const std::uint32_t lane : {1u, 2u}) squares += std::pow(normal(seed, Draw::fantasy, i, lane), 2);
  return 0.1 * normal(seed, Draw::fantasy, i) / std::sqrt(squares / 2);
}
double growing(std::uint64_t seed, std::size_t i, double cost) {
  return 0.02 * cost * normal(seed, Draw::fantasy, i);
}

Told draw(std::size_t count, std::uint64_t seed, Noise noise, double (*cost)(double, double) = smooth) {
  Told told;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(seed, Draw::random_pick, i, 0), y = uniform(seed, Draw::random_pick, i, 1);
    told.add({x, y}, cost(x, y) * std::exp(noise(seed, i, cost(x, y))));
  }
  return told;
}

class RobustCost : public ::testing::Test {
 protected:
  void update(CostModel& model, const Told& told, std::size_t count) {
    const auto observations = told.first(count);
    const auto problems = model.prepare(observations);
    model.update(fit(*backend_, problems, 1));
  }
  std::unique_ptr<CostModel> learned(const CostOptions& options, const Told& told) {
    auto model = make_cost_model(plane_, options, *backend_);
    update(*model, told, told.costs.size());
    return model;
  }
  /// Root of the mean squared error of the log cost on a grid.
  static double error(const CostModel& model, double (*cost)(double, double) = smooth) {
    double squares = 0;
    for (int i = 0; i <= 10; ++i) {
      for (int j = 0; j <= 10; ++j) {
        const std::vector<double> at{0.1 * i, 0.1 * j};
        squares += std::pow(model.predict({at, at}).mean - std::log(cost(at[0], at[1])), 2) / 121;
      }
    }
    return std::sqrt(squares);
  }
  static CostOptions of(CostModelKind kind, bool robust = false) {
    CostOptions options{.model = kind, .robust = robust};
    if (kind != log_gp) options.features = {feature("x"), feature("y"), feature("x * y")};
    return options;
  }
  /// Mean error over seeds with `robust`, over that without. Under sanitizers there is one seed, which shows no mean.
  void expect_gain(CostModelKind kind, std::size_t count, Noise noise, double limit, std::uint64_t seeds = 8) {
    double with = 0, without = 0;
    for (std::uint64_t seed = 100; seed < 100 + test::cases(seeds); ++seed) {
      const Told told = draw(count, seed, noise);
      with += error(*learned(of(kind, true), told));
      without += error(*learned(of(kind), told));
    }
    EXPECT_GT(with, 0.0);
    if (!test::sanitized) {
      EXPECT_LT(with / without, limit) << count;
    }
  }

  Space plane_{real("x", 0.0, 1.0), real("y", 0.0, 1.0)};
  std::unique_ptr<Backend> backend_ = make_backend({.kind = BackendKind::cpu, .threads = 1});
};

TEST_F(RobustCost, HeavyTailsHurtLess) {
  struct Case {
    Noise noise;
    std::size_t count;
    double log_gp, linear_mean_gp;  ///< errors with `robust` over those without; measured, then rounded up
  };
  // Measured over 20 seeds: 0.74, 0.53, 0.39 and 0.40, 0.28, 0.20 (stray); 0.28, 0.07 and 0.13, 0.07 (one); 0.93,
  // 0.84 and 0.92, 0.73 (student).
  const std::vector<Case> cases{{stray, 20, 0.85, 0.5},
                                {stray, 50, 0.75, 0.5},
                                {one_stray, 20, 0.4, 0.2},
                                {one_stray, 50, 0.15, 0.15},
                                {student, 50, 0.92, 0.85}};
  for (const Case& one : cases) {
    expect_gain(log_gp, one.count, one.noise, one.log_gp);
    expect_gain(linear_mean_gp, one.count, one.noise, one.linear_mean_gp);
  }
}

TEST_F(RobustCost, NothingIsLostOnCleanCostsOrNoiseThatGrows) {
  for (const CostModelKind kind : {log_gp, linear_mean_gp}) {
    for (const std::size_t count : {20u, 60u}) {
      // Measured over 20 seeds: 1.00 with log_gp, 1.07 and 1.03 with linear_mean_gp, whose choice between its two
      // means is by another density.
      expect_gain(kind, count, clean, kind == log_gp ? 1.03 : 1.1);
      expect_gain(kind, count, growing, 1.03);  // measured: 0.96 to 1.00
    }
  }
}

TEST_F(RobustCost, MoreRowsThanAreFittedEveryTimeAreDrawnInAsWell) {
  // From 129 rows on a GP is not fitted at every update; a fit that draws costs in is followed by another all the
  // same.
  expect_gain(log_gp, 200, stray, 0.43, 6);  // measured: 0.37, and 0.49 where the second fit is left out
}

/// The feature x² has nothing to do with it.
double waves(double, double y) { return 100 * std::exp(std::sin(9 * y)); }

TEST_F(RobustCost, ATrendThatComesAndGoesDoesNotMoveTheLimits) {
  // Whether x² explains anything changes with a few costs of noise, here at 142 and 144 rows, between two fits.
  const Told told = draw(146, 14, clean, waves);
  CostOptions options{.model = linear_mean_gp, .features = {feature("x * x")}, .robust = true};
  const auto model = make_cost_model(plane_, options, *backend_);
  for (std::size_t count = 100; count <= 146; ++count) {
    update(*model, told, count);
    EXPECT_LT(error(*model, waves), 0.1) << count;
  }
}

/// Known costs below x = 0.7 that rise with x, within 10 %; the last `timeouts` were stopped near x = 0.95.
Told stopped(std::size_t timeouts, double limit) {
  Told told;
  for (std::size_t i = 0; i < 16; ++i) {
    const double x = 0.7 * uniform(1, Draw::restart, i, 0), y = uniform(1, Draw::restart, i, 1);
    told.add({x, y}, (0.5 + 30 * x) * std::exp(0.1 * normal(1, Draw::fantasy, i)));
  }
  for (std::size_t i = 0; i < timeouts; ++i) {
    told.add({0.95 - 0.01 * static_cast<double>(i), 0.5 + 0.05 * static_cast<double>(i)}, limit, true);
  }
  return told;
}

TEST_F(RobustCost, TimeoutsRaiseTheirPlaceAndLowerNoOther) {
  const auto at = [](const CostModel& model, double x) {
    const std::vector<double> point{x, 0.5};
    return model.predict({point, point}).mean;
  };
  for (const CostModelKind kind : {log_gp, linear, linear_mean_gp, automatic}) {
    for (const bool robust : {false, true}) {
      SCOPED_TRACE(std::string(to_string(kind)) + (robust ? ", robust" : ""));
      const CostOptions options{.model = kind, .features = {work("x"), work("x^8")}, .robust = robust};
      const auto before = learned(options, stopped(0, 0)), one = learned(options, stopped(1, 1000));
      const auto three = learned(options, stopped(3, 1000));
      EXPECT_LT(at(*before, 0.95), std::log(60.0));
      // The Huber loss lets one of 17 bend the linear model only so far (measured: from 44 to 136); three prevail.
      EXPECT_GT(at(*one, 0.95), at(*before, 0.95) + 1.0);
      EXPECT_GT(at(*three, 0.95), std::log(1000.0) - 0.5);
      // Measured: a trend that bends towards the timeouts lies up to a fifth lower at x = 0.5, others a twentieth.
      for (const double x : {0.05, 0.3, 0.5}) {
        EXPECT_GT(at(*one, x), at(*before, x) - 0.25) << x;
        EXPECT_GT(at(*three, x), at(*before, x) - 0.25) << x;
      }
      // Stopped far below what is known of its place: nothing new.
      const auto idle = learned(options, stopped(1, 1e-3));
      EXPECT_EQ(idle->kind(), before->kind());
      for (const double x : {0.05, 0.4, 0.95}) EXPECT_NEAR(at(*idle, x), at(*before, x), 1e-4) << x;
    }
  }
}

TEST_F(RobustCost, TimeoutsAloneAreWorthTheirThresholds) {
  Told told;
  for (int i = 0; i < 6; ++i) told.add({0.15 * i, 0.9 - 0.1 * i}, 60.0, true);
  for (const CostModelKind kind : {log_gp, linear, linear_mean_gp, automatic}) {
    const auto model = learned(of(kind), told);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(model->predict({told.points[i], told.points[i]}).mean, std::log(60.0), 0.7) << to_string(kind);
    }
  }
}

double flops(double x, double y) { return 0.5 + 40 * x * y + 3 * x; }
double ripples(double x, double y) { return std::exp(2 * std::sin(6 * y) * std::cos(5 * x)); }

TEST_F(RobustCost, TheAutomaticChoiceSettles) {
  struct Case {
    double (*cost)(double, double);
    bool linear;
  };
  for (const Case& one : {Case{flops, true}, Case{ripples, false}}) {
    for (std::uint64_t seed = 1; seed <= test::cases(3); ++seed) {
      const Told told = draw(60, seed, clean, one.cost);
      const auto model = make_cost_model(plane_, {.features = {work("x * y"), work("x")}}, *backend_);
      CostModelKind kind = model->kind();
      int switches = 0;
      for (std::size_t count = 1; count <= 60; ++count) {
        update(*model, told, count);
        switches += model->kind() != kind;
        kind = model->kind();
      }
      EXPECT_EQ(kind != log_gp, one.linear) << to_string(kind);
      EXPECT_LE(switches, 2);
      ASSERT_GE(model->scores().size(), 2u);
    }
  }
}

TEST_F(RobustCost, ManyObservationsLeaveTheChoiceAsItIs) {
  const Told told = draw(2001, 4, clean, flops);
  CostOptions options{.features = {work("x * y"), work("x")}};
  options.surrogate.fixed = Hyperparameters{{0.5, 0.5}, 1.0, 0.5, 0.0};
  const auto model = make_cost_model(plane_, options, *backend_);
  update(*model, told, 40);
  ASSERT_EQ(model->kind(), linear);
  const auto scores = model->scores();
  const double before = error(*model, flops);
  update(*model, told, 2001);
  EXPECT_EQ(model->kind(), linear);
  ASSERT_EQ(model->scores().size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(model->scores()[i].log_density, scores[i].log_density);
  EXPECT_LT(error(*model, flops), before) << "it learns all the same";
}

TEST_F(RobustCost, GivenHyperparametersCompeteToo) {
  CostOptions options{.features = {work("x * y")}};
  options.surrogate.fixed = Hyperparameters{{0.3, 0.3}, 1.0, 1e-3, std::nullopt};
  const auto model = learned(options, draw(60, 1, clean, ripples));
  EXPECT_EQ(model->kind(), log_gp);
  EXPECT_GE(model->scores().size(), 2u);
}

}  // namespace
}  // namespace carbo::internal
