#include "support/cuda_pair.hpp"

// Rows that are means of several observations: the CPU's likelihoods and factors against the device's.
namespace cuda_pair {
namespace {

/// 1, 2, 5, 1, 2, 5, …
std::vector<double> counts_of(std::size_t rows) {
  std::vector<double> counts(rows);
  for (std::size_t i = 0; i < rows; ++i) counts[i] = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 2.0 : 5.0;
  return counts;
}

TEST(CudaCopies, LikelihoodsAndGradientsAreTheCpus) {
  Pair pair;
  std::vector<int> groups{0, 0, 1};
  for (const std::size_t n : edges) {
    const Scene scene(n, 1, 3);
    const Rows rows(scene.x);
    const std::vector<double> counts = counts_of(n), parameters{-0.5, 0.1, 0.3, -2.0};
    // Two over the same counts, and one without between them.
    const LikelihoodRequest requests[] = {{rows.view(), scene.y, groups, parameters, {}, counts},
                                          {rows.view(), scene.y, groups, parameters, {}, {}},
                                          {rows.view(), scene.y, groups, parameters, 0.2, counts}};
    std::vector<LikelihoodValue> expected(3), found(3);
    pair.cpu->likelihoods(requests, expected);
    pair.cuda->likelihoods(requests, found);
    const double tolerance = static_cast<double>(n) * scene.tolerance();
    for (std::size_t i = 0; i < 3; ++i) {
      SCOPED_TRACE(testing::Message() << n << " rows, request " << i);
      EXPECT_NEAR(found[i].log_likelihood, expected[i].log_likelihood, tolerance);
      EXPECT_NEAR(found[i].mean, expected[i].mean, tolerance);
      expect_near(found[i].gradient, expected[i].gradient, tolerance);
    }
    const double difference = expected[0].gradient[3] - expected[1].gradient[3];
    EXPECT_TRUE(n == 1 || std::abs(difference) > 100 * tolerance) << difference;
  }
}

/// Equal rows and hardly any noise: both backends climb to the same jitter, which no count divides.
TEST(CudaCopies, AJitterIsTheSameForEveryRow) {
  Pair pair;
  Scene scene(40, 1, 2);
  for (std::size_t i = 1; i < 40; i += 4) scene.x[i] = scene.x[0];
  const Rows rows(scene.x);
  const std::vector<int> groups{0, 1};
  const std::vector<double> counts = counts_of(40), parameters{-0.5, 0.1, 0.3, -60.0};
  const LikelihoodRequest request{rows.view(), scene.y, groups, parameters, {}, counts};
  LikelihoodValue expected, found;
  pair.cpu->likelihoods({&request, 1}, {&expected, 1});
  pair.cuda->likelihoods({&request, 1}, {&found, 1});
  EXPECT_GT(expected.jitter, 0);
  EXPECT_EQ(found.jitter, expected.jitter);
}

TEST(CudaCopies, FactorsAreTheCpus) {
  Pair pair;
  for (const std::size_t n : {1, 33, 129}) {
    const Scene scene(n, 9, 3);
    const Rows rows(scene.x), at(scene.candidates);
    const std::vector<double> counts = counts_of(n), normals{0.4, -1.0};
    std::vector<GpParameters> several(2, fixture::parameters(scene.gp));
    several[1].noise_variance *= 3;
    const auto made =
        pair.both([&](Backend& backend) { return backend.factor(rows.view(), scene.y, several, counts); });
    for (std::size_t i = 0; i < several.size(); ++i) {
      GpFactor& cpu = *made.first[i];
      GpFactor& cuda = *made.second[i];
      std::vector<double> mean(9), variance(9), cuda_mean(9), cuda_variance(9);
      cpu.predict(at.view(), mean, variance);
      cuda.predict(at.view(), cuda_mean, cuda_variance);
      expect_near(cuda_mean, mean, 4 * scene.tolerance());
      expect_near(cuda_variance, variance, 4 * scene.tolerance());
      expect_near(cuda.leave_one_out().mean, cpu.leave_one_out().mean, 100 * scene.tolerance());
      expect_near(cuda.leave_one_out().variance, cpu.leave_one_out().variance, 100 * scene.tolerance());
      expect_near(cuda.lowest_fitted_mean(), cpu.lowest_fitted_mean(), 100 * scene.tolerance());
      expect_near(cuda.fantasise(scene.x[0], normals), cpu.fantasise(scene.x[0], normals), 100 * scene.tolerance());
      expect_near(cuda.lowest_fitted_mean(), cpu.lowest_fitted_mean(), 100 * scene.tolerance());
    }
  }
}

TEST(CudaCopies, CountsThatAreNoneAreRefusedAsOnTheCpu) {
  Pair pair;
  const Scene scene(3, 1, 2);
  const Rows rows(scene.x);
  const GpParameters parameters = fixture::parameters(scene.gp);
  for (const std::vector<double>& counts : {std::vector<double>{1, 2}, std::vector<double>{1, 2, 0}})
    expect_same_error(pair, [&](Backend& backend) {
      backend.factor(rows.view(), scene.y, {&parameters, 1}, counts);
    });
}

}  // namespace
}  // namespace cuda_pair
