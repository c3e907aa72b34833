#include "gp/transform_choice.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include <carbo/options.hpp>

#include "backend/backend.hpp"
#include "support/random.hpp"
#include "support/reference_backend.hpp"

namespace carbo::internal {
namespace {

constexpr int groups[] = {0, 1};

double smooth(double x, double y) { return std::sin(5 * x + 0.3) + std::cos(4 * y) + 0.6 * x * y; }

/// `map` of a smooth function at `count` points of a square.
template <class Map>
Successes sampled(std::size_t count, const Map& map, std::uint64_t seed = 4) {
  Successes successes;
  successes.columns = 2;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(seed, Draw::uniform_configuration, i, 0);
    const double y = uniform(seed, Draw::uniform_configuration, i, 1);
    successes.points.insert(successes.points.end(), {x, y});
    successes.values.push_back(map(smooth(x, y), i));
  }
  return successes;
}

TransformChoice chosen(const Successes& successes, double sign = 1, SurrogateOptions options = {},
                       const TransformChoice& last = {}, std::size_t threads = 1) {
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = threads});
  FitProblem model;
  model.column_groups = groups;
  model.options = &options;
  const TransformCompetition competition(successes, sign, model);
  const std::vector<FitProblem> problems = competition.problems();
  return competition.decide(*backend, last, fit(*backend, problems, 0)).choice;
}

std::optional<double> score_of(const TransformChoice& choice, Transform kind) {
  for (const TransformScore& one : choice.scores)
    if (one.transform == kind) return one.log_score;
  return std::nullopt;
}

/// Better values have a density that reaches the median, all others one probability: together they are 1.
TEST(TransformScores, AreDensitiesThatIntegrateToOne) {
  const Successes data = sampled(25, [](double f, std::size_t) { return std::exp(f) - 1; });
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> oriented = data.values;
    for (double& value : oriented) value *= sign;
    const double median = sign * lower_median(oriented);
    for (const Transform kind : {Transform::none, Transform::shifted_log, Transform::power, Transform::half_rank}) {
      const TargetTransform transform(kind, data.values, sign);
      for (const auto& [mean, deviation] : {std::pair(-0.8, 0.5), std::pair(0.4, 1.3), std::pair(-2.5, 0.1)}) {
        const double worst = data.values[0] + sign * 1e9;
        const LeaveOneOut one{{mean}, {deviation * deviation}};
        const auto log_score = [&, mean = mean, deviation = deviation](double value) {
          return half_log_scores(transform, std::vector{value}, sign, median, one).front();
        };
        double mass = std::exp(log_score(worst));
        const double top = sign * transform.forward(median), bottom = std::min(mean, top) - 9 * deviation;
        const int steps = 40000;
        double before_value = transform.backward(sign * bottom), before = std::exp(log_score(before_value));
        for (int i = 1; i <= steps; ++i) {
          const double at = i == steps ? median : transform.backward(sign * (bottom + (top - bottom) * i / steps));
          const double density = std::exp(log_score(at));
          mass += 0.5 * (density + before) * std::abs(at - before_value);
          before_value = at;
          before = density;
        }
        EXPECT_NEAR(mass, 1.0, 2e-5) << int(kind) << ", mean " << mean << ", sign " << sign;
      }
    }
  }
}

/// Each value predicted by a GP that was made without it.
TEST(TransformScores, AreThoseOfGpsThatHaveNotSeenTheValue) {
  const Successes data = sampled(17, [](double f, std::size_t) { return std::exp(1.5 * f) + 0.1; });
  SurrogateOptions options;
  options.fixed = Hyperparameters{{0.4, 0.7}, 1.3, 0.02, 0.1};
  const TransformChoice choice = chosen(data, 1, options);
  const std::size_t n = data.values.size();
  const double median = [&] {
    std::vector<double> sorted = data.values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[8];
  }();
  const auto mean_score = [&](auto map, auto log_slope) {
    std::vector<double> z;
    for (const double value : data.values) z.push_back(map(value));
    const double mean = std::accumulate(z.begin(), z.end(), 0.0) / n;
    double variance = 0;
    for (const double one : z) variance += (one - mean) * (one - mean) / n;
    const double scale = std::sqrt(variance);
    const GpParameters gp{{1 / 0.4, 1 / 0.7}, 1.3, 0.02, 0.1};
    const MatrixView points{data.points.data(), n, 2};
    const Eigen::MatrixXd gram = test::reference_gram(gp, points);
    double sum = 0;
    for (std::size_t out = 0; out < n; ++out) {
      Eigen::MatrixXd kernel(n - 1, n - 1);
      Eigen::VectorXd cross(n - 1), targets(n - 1);
      for (std::size_t i = 0, a = 0; i < n; ++i) {
        if (i == out) continue;
        for (std::size_t j = 0, b = 0; j < n; ++j) {
          if (j == out) continue;
          kernel(a, b++) = gram(i, j) + (i == j ? 0.02 : 0.0);
        }
        cross(a) = gram(i, out);
        targets(a++) = (z[i] - mean) / scale - 0.1;
      }
      const Eigen::VectorXd weights = kernel.fullPivLu().solve(cross);
      const double predicted = 0.1 + weights.dot(targets);
      const double deviation = std::sqrt(1.3 + 0.02 - weights.dot(cross));
      const double own = (z[out] - mean) / scale, value = data.values[out];
      if (value > median) {
        const double above = (predicted - (map(median) - mean) / scale) / deviation;
        sum += std::log(0.5 * std::erfc(-above / std::numbers::sqrt2));
      } else {
        const double off = (own - predicted) / deviation;
        sum += -0.5 * off * off - std::log(deviation * std::sqrt(2 * std::numbers::pi)) + log_slope(value) -
               std::log(scale);
      }
    }
    return sum / static_cast<double>(n);
  };
  const double fee = 1.0 / static_cast<double>(n);  // of a kind that fits a parameter of its own
  EXPECT_NEAR(*score_of(choice, Transform::none), mean_score([](double v) { return v; }, [](double) { return 0.0; }),
              1e-8);
  EXPECT_NEAR(*score_of(choice, Transform::shifted_log),
              mean_score([](double v) { return std::log(v); }, [](double v) { return -std::log(v); }) - fee, 1e-8);
  double squares = 0;
  for (const double v : data.values) squares += v <= median ? (v - median) * (v - median) / 9 : 0;
  const auto half_rank = [&](double v) {
    if (v <= median) return (v - median) / std::sqrt(squares);
    double rank = 0.5;
    for (const double other : data.values) rank += other < v;
    return normal_quantile(rank / static_cast<double>(n));
  };
  EXPECT_NEAR(*score_of(choice, Transform::half_rank),
              mean_score(half_rank, [&](double) { return -0.5 * std::log(squares); }) - fee, 1e-8);
  EXPECT_EQ(choice.scores.size(), 4u);
  EXPECT_EQ(choice.chosen_at, n);
}

/// A draw of a GP, by random cosines, as the only kind of function that no transform can bring closer to one.
Successes gaussian(std::size_t count, std::uint64_t seed) {
  Successes data = sampled(
      count, [](double, std::size_t) { return 0.0; }, seed);
  const auto normal = [&](std::uint64_t k, std::uint32_t lane) {
    return normal_quantile(uniform(seed, Draw::random_pick, k, lane));
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint64_t k = 0; k < 200; ++k) {
      const double phase = 2 * std::numbers::pi * uniform(seed, Draw::random_pick, k, 9);
      data.values[i] +=
          0.1 * std::cos(3 * normal(k, 0) * data.points[2 * i] + 3 * normal(k, 1) * data.points[2 * i + 1] + phase);
    }
    data.values[i] += 0.05 * normal(i, 2);
  }
  return data;
}

/// Chance may take one for another, but not in one case of ten.
TEST(TransformChoice, GaussianObjectivesAreLeftAsTheyAre) {
  std::size_t cases = 0, changed = 0;
  for (const std::uint64_t seed : {4, 5, 6, 7, 8, 9}) {
    for (const std::size_t count : {6, 12, 30, 80}) {
      ++cases;
      changed += chosen(gaussian(count, seed)).kind != Transform::none;
    }
  }
  EXPECT_LT(10 * changed, cases);
}

TEST(TransformChoice, ObjectivesOverDecadesAreTakenByTheirLogarithm) {
  for (const std::uint64_t seed : {4, 5, 6}) {
    for (const std::size_t count : {20, 40, 100}) {
      const TransformChoice choice = chosen(sampled(
          count, [](double f, std::size_t) { return std::exp(3 * f); }, seed));
      EXPECT_EQ(choice.kind, Transform::shifted_log) << count << " points, seed " << seed;
      EXPECT_GT(*score_of(choice, choice.kind), *score_of(choice, Transform::none));
    }
  }
}

TEST(TransformChoice, OutliersAmongTheWorseAreCompressed) {
  for (const double outlier : {1e4, 1e12, 1e300}) {
    const auto with_outliers = [&](double f, std::size_t i) { return i % 9 == 4 ? outlier * (2 + f) : f; };
    const Successes data = sampled(40, with_outliers);
    const TransformChoice choice = chosen(data);
    EXPECT_NE(choice.kind, Transform::none);
    for (const TransformScore& score : choice.scores) EXPECT_TRUE(std::isfinite(score.log_score));
  }
}

TEST(TransformChoice, TheUnitOfTheObjectiveDoesNotMatter) {
  const auto map = [](double f, std::size_t) { return std::exp(2 * f); };
  const TransformChoice plain = chosen(sampled(30, map));
  const TransformChoice scaled = chosen(sampled(30, [&](double f, std::size_t i) { return 1024 * map(f, i); }));
  EXPECT_EQ(plain.kind, scaled.kind);
  // Densities of 15 better values of 30 are of units that are 1,024 times as long.
  for (std::size_t i = 0; i < plain.scores.size(); ++i)
    EXPECT_NEAR(plain.scores[i].log_score - scaled.scores[i].log_score, 0.5 * std::log(1024.0), 1e-3);
}

TEST(TransformChoice, MirroredObjectivesAreMirroredToTheBit) {
  const Successes data = sampled(33, [](double f, std::size_t) { return std::exp(2 * f) - 0.5; });
  Successes mirrored = data;
  for (double& value : mirrored.values) value = -value;
  const TransformChoice one = chosen(data, 1), other = chosen(mirrored, -1);
  EXPECT_EQ(one.kind, other.kind);
  EXPECT_EQ(one.scale, other.scale);
  ASSERT_EQ(one.scores.size(), other.scores.size());
  for (std::size_t i = 0; i < one.scores.size(); ++i) EXPECT_EQ(one.scores[i].log_score, other.scores[i].log_score);
  for (const Transform kind : {Transform::none, Transform::shifted_log, Transform::power, Transform::half_rank}) {
    const TargetTransform a(kind, data.values), b(kind, mirrored.values, -1);
    for (std::size_t i = 0; i < data.values.size(); ++i) EXPECT_EQ(a.standardised()[i], -b.standardised()[i]);
    for (const double at : {-2.0, -0.3, 0.0, 1.1}) EXPECT_EQ(a.backward(at), -b.backward(-at));
  }
}

TEST(TransformChoice, ThreadsDoNotMatter) {
  const Successes data = sampled(90, [](double f, std::size_t) { return std::exp(f); });
  const TransformChoice one = chosen(data), four = chosen(data, 1, {}, {}, 4);
  EXPECT_EQ(one.kind, four.kind);
  for (std::size_t i = 0; i < one.scores.size(); ++i) EXPECT_EQ(one.scores[i].log_score, four.scores[i].log_score);
}

TEST(TransformChoice, FewTiedAndCopiedValuesAreEnough) {
  const std::vector<std::vector<double>> sets{{1, 2, 3},         {-1, 5, 5},    {0, 0, 1, 1}, {1, 1, 2, 2, 2, 3, 3},
                                              {-2, -1, 0, 1e12}, {0, 5e-324, 1}};
  for (const auto& values : sets) {
    Successes data = sampled(values.size(), [&](double, std::size_t i) { return values[i]; });
    for (const bool copied : {false, true}) {
      if (copied) std::copy_n(data.points.begin() + 2, 2, data.points.begin());
      for (const double sign : {1.0, -1.0}) {
        if (!choice_is_possible(data, sign)) continue;
        for (const TransformScore& score : chosen(data, sign).scores) EXPECT_TRUE(std::isfinite(score.log_score));
      }
    }
  }
}

TEST(TransformChoice, IsPossibleWhereTheBetterHalfIsNotAllAlike) {
  const auto possible = [](std::vector<double> values, double sign = 1) {
    return choice_is_possible({std::vector<double>(2 * values.size()), values, 2}, sign);
  };
  EXPECT_FALSE(possible({}));
  EXPECT_FALSE(possible({1, 2}));
  EXPECT_TRUE(possible({1, 2, 3}));
  EXPECT_FALSE(possible({7, 7, 7, 7}));
  EXPECT_FALSE(possible({1, 1, 3}));
  EXPECT_TRUE(possible({1, 1, 3}, -1));
}

TEST(TransformChoice, IsDueWhereDataHaveGrownOrChanged) {
  const auto plain = [](double f, std::size_t) { return f; };
  const TransformChoice last = chosen(sampled(40, plain));
  EXPECT_TRUE(choice_is_due({}, sampled(40, plain), 1));
  EXPECT_FALSE(choice_is_due(last, sampled(40, plain), 1));
  EXPECT_FALSE(choice_is_due(last, sampled(49, plain), 1));
  EXPECT_TRUE(choice_is_due(last, sampled(50, plain), 1));
  EXPECT_TRUE(choice_is_due(last, sampled(39, plain), 1));
  EXPECT_TRUE(choice_is_due(last, sampled(41, [](double f, std::size_t i) { return i == 40 ? 1e12 : f; }), 1));
  EXPECT_FALSE(choice_is_due({}, sampled(2, plain), 1));
}

TEST(TransformChoice, TheHolderStaysWhereChanceExplainsTheRest) {
  const Successes data = sampled(30, [](double f, std::size_t) { return 20 + f; });
  TransformChoice held;
  held.kind = Transform::shifted_log;  // far from 0 it is as good as none
  EXPECT_EQ(chosen(data, 1, {}, held).kind, Transform::shifted_log);
  EXPECT_EQ(chosen(data).kind, Transform::none);
}

}  // namespace
}  // namespace carbo::internal
