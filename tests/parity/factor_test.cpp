#include "support/cuda_pair.hpp"

// Factors of Gaussian processes: the CPU's against the device's.
namespace cuda_pair {
namespace {

using Factors = std::pair<std::unique_ptr<GpFactor>, std::unique_ptr<GpFactor>>;

Factors make_factors_of(Pair& pair, const Scene& scene) {
  return pair.both([&](Backend& backend) { return fixture::factor(backend, scene.gp, scene.x, scene.y); });
}

void expect_equal_predictions(const GpFactor& expected, const GpFactor& found, const Points& points,
                              double tolerance) {
  const Rows rows(points);
  std::vector<double> mean(points.size()), variance(points.size());
  std::vector<double> own_mean(points.size()), own_variance(points.size());
  expected.predict(rows.view(), mean, variance);
  found.predict(rows.view(), own_mean, own_variance);
  expect_near(own_mean, mean, tolerance);
  expect_near(own_variance, variance, tolerance);
  std::vector<double> mean_alone(points.size());
  found.predict(rows.view(), mean_alone, {});
  expect_near(mean_alone, own_mean, tolerance);
}

/// A leave-one-out residual is a weight over a diagonal entry of the inverse, which is at least 1/(signal + noise):
/// the posterior's rounding, magnified by the inverse's largest entry 1/noise at most once more.
void expect_equal_leave_one_out(const GpFactor& expected, const GpFactor& found, double tolerance) {
  const LeaveOneOut a = expected.leave_one_out(), b = found.leave_one_out();
  expect_near(b.mean, a.mean, tolerance);
  expect_near(b.variance, a.variance, tolerance);
}

void expect_equal_factors(Pair& pair, const Scene& scene) {
  SCOPED_TRACE(testing::Message() << scene.x.size() << " points, " << scene.gp.lengthscales.size() << " columns");
  const Factors factors = make_factors_of(pair, scene);
  const GpFactor &expected = *factors.first, &found = *factors.second;
  EXPECT_EQ(found.observed(), expected.observed());
  EXPECT_EQ(found.fantasised(), 0u);
  EXPECT_EQ(found.jitter(), expected.jitter());
  expect_equal_predictions(expected, found, scene.candidates, scene.tolerance());
  expect_near(found.lowest_fitted_mean(), expected.lowest_fitted_mean(), scene.tolerance());
  expect_equal_leave_one_out(expected, found, 10 * scene.tolerance());
}

TEST(CudaFactor, PredictionsAreTheCpusAtEveryEdge) {
  Pair pair;
  for (const std::size_t n : edges) expect_equal_factors(pair, Scene(n, 9, 3));
  for (const std::size_t d : widths) expect_equal_factors(pair, Scene(33, 9, d));
  expect_equal_factors(pair, Scene(150, 300, 6));
}

TEST(CudaFactor, PredictsAtNoPointAtAll) {
  Pair pair;
  const Factors factors = make_factors_of(pair, Scene(5, 1, 2));
  std::vector<double> none;
  factors.second->predict({none.data(), 0, 2}, none, none);
  EXPECT_TRUE(none.empty());
}

TEST(CudaFactor, SeveralAtOnceAreThoseMadeAlone) {
  Pair pair;
  for (const std::size_t n : {1, 33, 129}) {
    const Scene scene(n, 20, 3);
    std::vector<GpParameters> several;
    for (int i = 0; i < 5; ++i) {
      GpParameters p = fixture::parameters(scene.gp);
      p.inverse_lengthscales[0] *= 1.0 + 0.3 * i;
      p.signal_variance *= 1.0 + 0.2 * i;
      p.mean += 0.1 * i;
      several.push_back(p);
    }
    const Rows rows(scene.x);
    const auto made = pair.both([&](Backend& backend) { return backend.factor(rows.view(), scene.y, several); });
    ASSERT_EQ(made.second.size(), several.size());
    for (std::size_t i = 0; i < several.size(); ++i) {
      EXPECT_EQ(made.second[i]->parameters().mean, several[i].mean);
      expect_equal_predictions(*made.first[i], *made.second[i], scene.candidates, 4 * scene.tolerance());
    }
  }
  EXPECT_TRUE(pair.cuda->factor(Rows(Points{{0.5}}).view(), std::vector<double>{1.0}, {}).empty());
}

/// Of equal rows without noise the second pivot is made of rounding; with a jitter of 1e-10 it is 2e-10, far above.
TEST(CudaFactor, OneThatNeedsJitterAmongOthersIsTriedAgainAlone) {
  Pair pair;
  Scene scene(40, 10, 2);
  for (std::size_t i = 1; i < 40; i += 4) scene.x[i] = scene.x[0];
  std::vector<GpParameters> several(3, fixture::parameters(scene.gp));
  several[1].noise_variance = 0;
  const Rows rows(scene.x);
  const auto made = pair.both([&](Backend& backend) { return backend.factor(rows.view(), scene.y, several); });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(made.second[i]->jitter(), made.first[i]->jitter()) << i;
  EXPECT_EQ(made.second[0]->jitter(), 0);
  EXPECT_GT(made.second[1]->jitter(), 0);
  for (const std::size_t i : {0, 2})
    expect_equal_predictions(*made.first[i], *made.second[i], scene.candidates, scene.tolerance());
  // A second pass alone gives the same: what failed left nothing behind.
  const auto alone = pair.cuda->factor(rows.view(), scene.y, {&several[1], 1});
  EXPECT_EQ(alone[0]->jitter(), made.second[1]->jitter());
}

TEST(CudaFactor, AppendsAsTheCpuDoes) {
  Pair pair;
  for (const std::size_t n : {1, 31, 64}) {
    Scene scene(n, 9, 3);
    const Factors factors = make_factors_of(pair, scene);
    const double tolerance = fixture::posterior_tolerance(scene.gp, n + 100);
    for (int i = 0; i < 100; ++i) {
      const std::vector<double> point = scene.random.values(3, 0, 1);
      ASSERT_TRUE(factors.first->append(point));
      ASSERT_TRUE(factors.second->append(point));
      if (i % 25 == 0) expect_equal_predictions(*factors.first, *factors.second, scene.candidates, tolerance);
    }
    EXPECT_EQ(factors.second->observed(), n + 100);
    const std::vector<double> targets = scene.random.values(n + 100, -1, 1);
    factors.first->set_targets(targets);
    factors.second->set_targets(targets);
    expect_equal_predictions(*factors.first, *factors.second, scene.candidates, tolerance);
    expect_equal_leave_one_out(*factors.first, *factors.second, 10 * tolerance);
    expect_near(factors.second->lowest_fitted_mean(), factors.first->lowest_fitted_mean(), tolerance);
  }
}

TEST(CudaFactor, ACopyOfANoiseFreePointIsNotAppended) {
  Pair pair;
  Scene scene(12, 9, 2);
  scene.gp.noise = 0;
  const Factors factors = make_factors_of(pair, scene);
  const Rows rows(scene.candidates);
  std::vector<double> before(9), after(9);
  factors.second->predict(rows.view(), before, {});
  EXPECT_FALSE(factors.first->append(scene.x[3]));
  EXPECT_FALSE(factors.second->append(scene.x[3]));
  EXPECT_EQ(factors.second->observed(), 12u);
  factors.second->predict(rows.view(), after, {});
  EXPECT_EQ(after, before);
}

TEST(CudaFactor, FantasisesAndForgetsAsTheCpuDoes) {
  Pair pair;
  for (const std::size_t n : {1, 33, 63, 128}) {
    Scene scene(n, 9, 3);
    const Factors factors = make_factors_of(pair, scene);
    const Rows rows(scene.candidates);
    std::vector<double> before(9), after(9);
    factors.second->predict(rows.view(), before, {});
    const double tolerance = 10 * fixture::posterior_tolerance(scene.gp, n + 6);
    for (int round = 0; round < 2; ++round) {
      const std::size_t fantasies = round == 0 ? 4 : 1;
      for (int i = 0; i < 6; ++i) {
        const std::vector<double> point = i == 5 ? scene.x[0] : scene.random.values(3, 0, 1);
        const std::vector<double> normals = scene.random.values(fantasies, -2, 2);
        expect_near(factors.second->fantasise(point, normals), factors.first->fantasise(point, normals), tolerance);
        expect_near(factors.second->lowest_fitted_mean(), factors.first->lowest_fitted_mean(), tolerance);
      }
      EXPECT_EQ(factors.second->fantasised(), 6u);
      factors.second->predict(rows.view(), after, {});
      EXPECT_EQ(after, before);  // fantasised points do not count
      factors.first->drop_fantasies();
      factors.second->drop_fantasies();
      EXPECT_EQ(factors.second->fantasised(), 0u);
    }
  }
}

TEST(CudaFactor, BadInputIsRefusedInTheCpusWords) {
  Pair pair;
  const Scene scene(5, 3, 2);
  const Rows rows(scene.x);
  const GpParameters good = fixture::parameters(scene.gp);
  const auto refused = [&](MatrixView points, std::span<const double> targets, const GpParameters& parameters) {
    expect_same_error(pair, [&](Backend& backend) { backend.factor(points, targets, {&parameters, 1}); });
  };
  refused({rows.values.data(), 0, 2}, {}, good);
  refused(rows.view(), {scene.y.data(), 4}, good);
  std::vector<double> bad_targets = scene.y;
  bad_targets[2] = not_a_number;
  refused(rows.view(), bad_targets, good);
  Points bad_points = scene.x;
  bad_points[4][1] = infinity;
  refused(Rows(bad_points).view(), scene.y, good);
  for (auto change : std::vector<void (*)(GpParameters&)>{
           [](GpParameters& p) { p.signal_variance = 0; }, [](GpParameters& p) { p.noise_variance = -1; },
           [](GpParameters& p) { p.mean = not_a_number; },
           [](GpParameters& p) { p.inverse_lengthscales[1] = infinity; },
           [](GpParameters& p) { p.inverse_lengthscales.pop_back(); }}) {
    GpParameters bad = good;
    change(bad);
    refused(rows.view(), scene.y, bad);
  }
}

TEST(CudaFactor, CallsOutOfTurnAreRefusedInTheCpusWords) {
  Pair pair;
  const Scene scene(5, 3, 2);
  const Factors factors = make_factors_of(pair, scene);
  const auto refused = [&](const auto& action) {
    expect_same_error([&] { action(*factors.first); }, [&] { action(*factors.second); });
  };
  const std::vector<double> point = {0.1, 0.2}, bad_point = {0.1, not_a_number}, normals = {0.5, 1.0};
  const std::vector<double> one = {0.5};
  std::vector<double> mean(3), short_mean(2);
  refused([&](GpFactor& f) { f.append(one); });
  refused([&](GpFactor& f) { f.append(bad_point); });
  refused([&](GpFactor& f) { f.set_targets(one); });
  refused([&](GpFactor& f) { f.fantasise(point, {}); });
  refused([&](GpFactor& f) { f.fantasise(bad_point, normals); });
  refused([&](GpFactor& f) { f.fantasise(one, normals); });
  refused([&](GpFactor& f) { f.predict(Rows(scene.candidates).view(), short_mean, {}); });
  refused([&](GpFactor& f) { f.predict({point.data(), 2, 1}, short_mean, {}); });
  refused([&](GpFactor& f) { f.predict({bad_point.data(), 1, 2}, {mean.data(), 1}, {}); });
  EXPECT_EQ(factors.second->fantasised(), 0u);
  factors.first->fantasise(point, normals);
  factors.second->fantasise(point, normals);
  refused([&](GpFactor& f) { f.append(point); });
  refused([&](GpFactor& f) { f.set_targets(scene.y); });
  refused([&](GpFactor& f) { f.fantasise(point, one); });
}

}  // namespace
}  // namespace cuda_pair
