#include <gtest/gtest.h>

#include <cmath>

#include "acquisition/choose.hpp"
#include "carbo/error.hpp"
#include "support/backend_fixture.hpp"
#include "support/not_finite.hpp"

using namespace fixture;
using oracle::Points;

namespace {

using carbo::test::infinity;
using carbo::test::not_a_number;

struct FantasyScene {
  explicit FantasyScene(std::uint64_t seed, std::size_t n = 30, std::size_t m = 300) : random(seed) {
    gp = some_gp(3, 0.01);
    x = random.points(n, 3);
    y = random.values(n, -1.5, 1.5);
    candidates = random.points(m, 3);
  }
  oracle::Uniform random;
  oracle::Gp gp;
  Points x;
  std::vector<double> y;
  Points candidates;
};

/// log EI by the plain definition in long double; fine where EI does not underflow.
long double plain_ei(long double incumbent, long double mean, long double variance) {
  const long double s = std::sqrt(variance);
  const long double u = (incumbent - mean) / s;
  const long double density = std::exp(-u * u / 2) / std::sqrt(2 * std::acos(-1.0L));
  return s * (density + u * std::erfc(-u / std::sqrt(2.0L)) / 2);
}

}  // namespace

TEST(BackendFantasy, SharedMatchesSeparatelyRebuiltGps) {
  FantasyScene scene(31);
  const auto backend = cpu();
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
  const auto field = backend->sweep(*gp_factor, *set, true);
  const Member member{gp_factor.get(), field.get()};
  const std::size_t fantasies = 4;
  std::vector<Points> x(fantasies, scene.x);
  std::vector<std::vector<double>> y(fantasies, scene.y);
  for (int pick = 0; pick < 6; ++pick) {
    // Candidates, points outside the set, and a copy of an earlier pick.
    const std::vector<double> point =
        pick == 5 ? x[0].back() : (pick % 2 ? scene.candidates[7] : scene.random.points(1, 3)[0]);
    const std::vector<double> normals = scene.random.values(fantasies, -2, 2);
    const std::vector<double> values = backend->fantasise({&member, 1}, *set, point, normals);
    ASSERT_EQ(values.size(), fantasies);
    EXPECT_EQ(gp_factor->fantasised(), static_cast<std::size_t>(pick) + 1);
    EXPECT_EQ(field->means(), fantasies);
    const double tolerance = posterior_tolerance(scene.gp, x[0].size());
    for (std::size_t f = 0; f < fantasies; ++f) {
      const oracle::Posterior before = oracle::Regression(scene.gp, x[f], y[f]).at(point);
      const double spread = std::sqrt(static_cast<double>(before.variance) + scene.gp.noise);
      EXPECT_NEAR(values[f], static_cast<double>(before.mean) + spread * normals[f], 10 * tolerance);
      x[f].push_back(point);
      y[f].push_back(values[f]);
      const oracle::Regression rebuilt(scene.gp, x[f], y[f]);
      for (std::size_t i = 0; i < scene.candidates.size(); i += 37) {
        const oracle::Posterior p = rebuilt.at(scene.candidates[i]);
        EXPECT_NEAR(field->mean(i, f), static_cast<double>(p.mean), 10 * tolerance);
        EXPECT_NEAR(field->variance(i), static_cast<double>(p.variance), 10 * tolerance);
      }
    }
    std::vector<double> means(field->size()), variances(field->size());
    field->read(means, variances);
    for (std::size_t i = 0; i < field->size(); ++i) {
      EXPECT_EQ(means[i], field->mean(i));
      EXPECT_EQ(variances[i], field->variance(i));
    }
    const std::vector<double> lowest = gp_factor->lowest_fitted_mean();
    ASSERT_EQ(lowest.size(), fantasies);
    const oracle::Regression rebuilt(scene.gp, x[1], y[1]);
    double exact = infinity;
    for (const auto& row : x[1]) exact = std::min(exact, static_cast<double>(rebuilt.at(row).mean));
    EXPECT_NEAR(lowest[1], exact, 10 * tolerance);
  }
  gp_factor->drop_fantasies();
  EXPECT_EQ(gp_factor->fantasised(), 0u);
  const auto again = backend->sweep(*gp_factor, *set, true);
  const auto fresh = backend->sweep(*factor(*backend, scene.gp, scene.x, scene.y), *set, true);
  for (std::size_t i = 0; i < scene.candidates.size(); ++i) {
    EXPECT_EQ(again->mean(i), fresh->mean(i));
    EXPECT_EQ(again->variance(i), fresh->variance(i));
  }
}

TEST(BackendFantasy, BatchedWithEqualHyperparametersMatchesShared) {
  FantasyScene scene(37);
  const auto backend = cpu();
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
  const auto field = backend->sweep(*gp_factor, *set, true);
  const Member shared{gp_factor.get(), field.get()};
  const std::size_t fantasies = 5;
  const std::vector<GpParameters> equal(fantasies, parameters(scene.gp));
  const Rows rows(scene.x);
  const auto factors = backend->factor(rows.view(), scene.y, equal);
  std::vector<std::unique_ptr<Field>> fields;
  std::vector<Member> batched;
  for (const auto& f : factors) {
    fields.push_back(backend->sweep(*f, *set, true));
    batched.push_back({f.get(), fields.back().get()});
  }
  std::vector<double> incumbents(fantasies, -1.2);
  for (int pick = 0; pick < 4; ++pick) {
    const std::vector<double> normals = scene.random.values(fantasies, -2, 2);
    const auto& point = scene.candidates[static_cast<std::size_t>(pick) * 50];
    const auto a = backend->fantasise({&shared, 1}, *set, point, normals);
    const auto b = backend->fantasise(batched, *set, point, normals);
    for (std::size_t f = 0; f < fantasies; ++f) {
      EXPECT_DOUBLE_EQ(a[f], b[f]);
      incumbents[f] = std::min(incumbents[f], a[f]);
      for (std::size_t i = 0; i < scene.candidates.size(); i += 11) {
        EXPECT_NEAR(field->mean(i, f), fields[f]->mean(i), 1e-13);
        EXPECT_NEAR(field->variance(i), fields[f]->variance(i), 1e-13);
      }
    }
    std::vector<double> shared_scores(scene.candidates.size());
    std::vector<double> batched_scores(scene.candidates.size());
    ScoreRequest request;
    request.incumbents = incumbents;
    request.objective = {&shared, 1};
    backend->scores(*set, request, shared_scores);
    request.objective = batched;
    backend->scores(*set, request, batched_scores);
    for (std::size_t i = 0; i < shared_scores.size(); ++i) EXPECT_NEAR(shared_scores[i], batched_scores[i], 1e-9);
  }
}

TEST(BackendFantasy, ACopyOfANoiseFreePointChangesNothing) {
  FantasyScene scene(41, 12);
  scene.gp.noise = 0;
  const auto backend = cpu();
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
  const auto field = backend->sweep(*gp_factor, *set, true);
  std::vector<double> before;
  for (std::size_t i = 0; i < scene.candidates.size(); ++i) before.push_back(field->mean(i));
  const Member member{gp_factor.get(), field.get()};
  const std::vector<double> normals = {1.5};
  const auto values = backend->fantasise({&member, 1}, *set, scene.x[3], normals);
  EXPECT_NEAR(values[0], scene.y[3], 1.5 * std::sqrt(1e-10 * scene.gp.signal) + 1e-6);
  for (std::size_t i = 0; i < scene.candidates.size(); ++i) EXPECT_NEAR(field->mean(i), before[i], 1e-6);
}

TEST(BackendFantasy, BadInputIsRefusedAndChangesNothing) {
  FantasyScene scene(43, 5, 10);
  const auto backend = cpu();
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
  const auto field = backend->sweep(*gp_factor, *set, true);
  const auto mean_only = backend->sweep(*gp_factor, *set, false);
  const Member member{gp_factor.get(), field.get()};
  const Member without_variance{gp_factor.get(), mean_only.get()};
  const std::vector<double> normals = {0.5, 1.0};
  const std::vector<double> bad = {0.5, not_a_number};
  const std::vector<double> point = {0.1, 0.2, 0.3};
  const std::vector<double> bad_point = {0.1, infinity, 0.3};
  EXPECT_THROW(backend->fantasise({}, *set, point, normals), carbo::InvalidOptions);
  EXPECT_THROW(backend->fantasise({&member, 1}, *set, point, {}), carbo::InvalidOptions);
  EXPECT_THROW(backend->fantasise({&member, 1}, *set, point, bad), carbo::NumericalError);
  EXPECT_THROW(backend->fantasise({&member, 1}, *set, bad_point, normals), carbo::NumericalError);
  EXPECT_THROW(backend->fantasise({&without_variance, 1}, *set, point, normals), carbo::InvalidOptions);
  EXPECT_EQ(gp_factor->fantasised(), 0u);
  EXPECT_EQ(field->means(), 1u);
  backend->fantasise({&member, 1}, *set, point, normals);
  EXPECT_THROW(backend->fantasise({&member, 1}, *set, point, {normals.data(), 1}), carbo::InvalidOptions);
  EXPECT_THROW(gp_factor->append(point), carbo::InvalidOptions);
  EXPECT_THROW(gp_factor->set_targets(scene.y), carbo::InvalidOptions);
}

/// A field that has followed one fantasy cannot follow several, also where the factor has forgotten it.
TEST(BackendFantasy, AFieldKeepsItsNumberOfFantasies) {
  FantasyScene scene(43, 5, 10);
  const auto backend = cpu();
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
  const auto field = backend->sweep(*gp_factor, *set, true);
  const Member member{gp_factor.get(), field.get()};
  backend->fantasise({&member, 1}, *set, scene.candidates[1], std::vector<double>{0.4});
  gp_factor->drop_fantasies();
  EXPECT_THROW(backend->fantasise({&member, 1}, *set, scene.candidates[1], std::vector<double>{0.4, 1.0}),
               carbo::InvalidOptions);
}

TEST(BackendScore, MatchesThePlainDefinitionForEveryCostWeight) {
  FantasyScene scene(47, 20, 400);
  const auto backend = cpu();
  const auto set = backend->make_candidates(Rows(scene.candidates).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
  const auto field = backend->sweep(*gp_factor, *set, true);
  const Member member{gp_factor.get(), field.get()};
  backend->fantasise({&member, 1}, *set, scene.candidates[5], std::vector<double>{0.3, -1.0, 1.7});
  const std::vector<double> log_cost = scene.random.values(400, -2, 3);
  const std::vector<double> spread = scene.random.values(400, 0, 1);
  const auto cost = backend->make_field(log_cost, spread);
  set->exclude(9);
  const std::vector<double> incumbents = {-0.5, -0.7, -0.2};
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment}) {
    ScoreRequest request;
    request.objective = {&member, 1};
    request.incumbents = incumbents;
    request.log_cost = cost.get();
    request.acquisition.parameter = 0.6;
    request.acquisition.moment = moment_of(weight);
    request.log_cost_limit = 2.0;
    std::vector<double> scores(400);
    backend->scores(*set, request, scores);
    std::size_t best = Scored::none;
    for (std::size_t i = 0; i < 400; ++i) {
      if (i == 9 || log_cost[i] > 2.0) {
        EXPECT_EQ(scores[i], -infinity);
        continue;
      }
      long double mean_ei = 0;
      for (std::size_t f = 0; f < 3; ++f)
        mean_ei += plain_ei(incumbents[f], field->mean(i, f), field->variance(i)) / 3;
      long double divisor = std::exp(0.6L * log_cost[i]);
      if (weight == carbo::CostWeight::mean) divisor = std::pow(std::exp(log_cost[i] + spread[i] / 2.0L), 0.6L);
      if (weight == carbo::CostWeight::moment) divisor = 1 / std::exp(-0.6L * log_cost[i] + 0.18L * spread[i]);
      const double exact = static_cast<double>(std::log(mean_ei / divisor));
      // The oracle loses digits where φ and uΦ cancel: about ε_long · u² e^…; all u here are above −12.
      EXPECT_NEAR(scores[i], exact, 1e-11 * (1 + std::abs(exact))) << i;
      if (best == Scored::none || scores[i] > scores[best]) best = i;
    }
    const BestTwo pick = backend->best(*set, request);
    EXPECT_EQ(pick[0].index, best);
    EXPECT_EQ(pick[0].score, scores[best]);
    scores[best] = -infinity;
    const auto second = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    EXPECT_EQ(pick[1].index, second);
    EXPECT_EQ(pick[1].score, scores[second]);
  }
}

TEST(BackendScore, TiesGoToTheLowestIndexAndNothingLeftIsNone) {
  FantasyScene scene(53, 8, 3);
  const auto backend = cpu();
  Points copies(600, scene.candidates[0]);
  copies[0] = copies[599] = scene.x[0];  // next to data: lower scores
  const auto set = backend->make_candidates(Rows(copies).view());
  const auto gp_factor = factor(*backend, scene.gp, scene.x, std::vector<double>(8, 0.5));
  const auto field = backend->sweep(*gp_factor, *set, true);
  const Member member{gp_factor.get(), field.get()};
  const std::vector<double> incumbent = {0.5};
  ScoreRequest request;
  request.objective = {&member, 1};
  request.incumbents = incumbent;
  BestTwo pick = backend->best(*set, request);
  EXPECT_EQ(pick[0].index, 1u);
  EXPECT_EQ(pick[1].index, 2u);
  for (std::size_t i = 0; i < 600; ++i)
    if (i != 400) set->exclude(i);
  pick = backend->best(*set, request);
  EXPECT_EQ(pick[0].index, 400u);
  EXPECT_EQ(pick[1].index, Scored::none);
  set->exclude(400);
  EXPECT_EQ(backend->best(*set, request)[0].index, Scored::none);
}

TEST(BackendScore, HasARankFarBelowWhereEiUnderflows) {
  const auto backend = cpu();
  const oracle::Gp gp = some_gp(1, 1e-6);
  const auto gp_factor = factor(*backend, gp, {{0.5}}, {1.0});
  const auto set = backend->make_candidates(Rows({{0.5}, {0.51}, {0.6}, {0.9}}).view());
  const auto field = backend->sweep(*gp_factor, *set, true);
  const Member member{gp_factor.get(), field.get()};
  const std::vector<double> incumbent = {-1e5};
  ScoreRequest request;
  request.objective = {&member, 1};
  request.incumbents = incumbent;
  std::vector<double> scores(4);
  backend->scores(*set, request, scores);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isfinite(scores[i]));
    EXPECT_LT(scores[i], scores[i + 1]);
  }
  EXPECT_EQ(backend->best(*set, request)[0].index, 3u);
}

TEST(BackendInvariance, SweepsFantasiesAndPicksAreTheSameToTheBit) {
  FantasyScene scene(59, 120, 1300);
  std::vector<double> first;
  for (const std::size_t threads : {1, 2, 7})
    for (const std::size_t tile : {0, 1, 511, 777, 100000}) {
      const auto backend = cpu(threads, tile);
      const auto set = backend->make_candidates(Rows(scene.candidates).view());
      const auto gp_factor = factor(*backend, scene.gp, scene.x, scene.y);
      const auto field = backend->sweep(*gp_factor, *set, true);
      const auto cost = backend->sweep(*gp_factor, *set, false, {.shift = 0.1, .scale = 0.7});
      const Member member{gp_factor.get(), field.get()};
      std::vector<double> seen =
          backend->fantasise({&member, 1}, *set, scene.candidates[3], std::vector<double>{0.1, -1});
      ScoreRequest request;
      const std::vector<double> incumbents = {-1.0, -1.1};
      request.objective = {&member, 1};
      request.incumbents = incumbents;
      request.log_cost = cost.get();
      request.acquisition.parameter = 0.5;
      std::vector<double> scores(1300);
      backend->scores(*set, request, scores);
      const BestTwo pick = backend->best(*set, request);
      seen.insert(seen.end(), scores.begin(), scores.end());
      seen.push_back(static_cast<double>(pick[0].index));
      seen.push_back(pick[0].score);
      seen.push_back(pick[1].score);
      const LeaveOneOut left_out = gp_factor->leave_one_out();
      seen.insert(seen.end(), left_out.mean.begin(), left_out.mean.end());
      if (first.empty()) first = seen;
      EXPECT_EQ(seen, first) << threads << " threads, tile " << tile;
    }
}
