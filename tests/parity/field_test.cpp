#include "support/cuda_pair.hpp"

// Fields over all candidates: swept, made of features, given by the host, and advanced by fantasised points.
namespace cuda_pair {
namespace {

void expect_equal_sweeps(Pair& pair, const Scene& scene, std::size_t step = 1) {
  SCOPED_TRACE(testing::Message() << scene.x.size() << " points, " << scene.candidates.size() << " candidates, "
                                  << scene.gp.lengthscales.size() << " columns");
  Staged cpu(*pair.cpu, scene), cuda(*pair.cuda, scene);
  EXPECT_EQ(cuda.fields[0]->size(), scene.candidates.size());
  EXPECT_EQ(cuda.fields[0]->means(), 1u);
  EXPECT_TRUE(cuda.fields[0]->has_variance());
  expect_near(contents(*cuda.fields[0], step), contents(*cpu.fields[0], step), scene.tolerance());
}

TEST(CudaSweep, PosteriorsAreTheCpusAtEveryEdge) {
  Pair pair;
  for (const std::size_t m : edges) expect_equal_sweeps(pair, Scene(20, m, 6));
  for (const std::size_t n : edges) expect_equal_sweeps(pair, Scene(n, 40, 3));
  for (const std::size_t d : widths) expect_equal_sweeps(pair, Scene(33, 65, d));
  expect_equal_sweeps(pair, Scene(150, 5000, 6), 7);
}

TEST(CudaSweep, CandidatesOnObservedPointsHaveTheFloorOfTheVariance) {
  Pair pair;
  Scene scene(20, 40, 2);
  scene.gp.noise = 0;
  for (std::size_t i = 0; i < 20; ++i) scene.candidates[i] = scene.x[i];
  Staged cpu(*pair.cpu, scene), cuda(*pair.cuda, scene);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_GT(cuda.fields[0]->variance(i), 0) << i;
    // Without noise the condition number is unknown; what is left of a variance of 0 is rounding, far below 1e-7.
    EXPECT_LT(cuda.fields[0]->variance(i), 1e-7) << i;
    EXPECT_NEAR(cuda.fields[0]->mean(i), scene.y[i], 1e-5) << i;
  }
}

TEST(CudaSweep, UnitsAndOffsetsEnterAsOnTheCpu) {
  Pair pair;
  for (const std::size_t m : {1, 257}) {
    Scene scene(33, m, 3);
    const std::vector<double> shifts = scene.random.values(m, -3, 3);
    const auto swept = pair.both([&](Backend& backend) {
      Staged staged(backend, scene);
      const auto offset = backend.make_field(shifts, {});
      std::vector<std::unique_ptr<Field>> fields;
      for (const bool with_variance : {false, true}) {
        fields.push_back(backend.sweep(*staged.factors[0], *staged.set, with_variance, {.shift = 0.3, .scale = 4.0}));
        fields.push_back(backend.sweep(*staged.factors[0], *staged.set, with_variance, {}, offset.get()));
      }
      return fields;
    });
    for (std::size_t i = 0; i < swept.first.size(); ++i) {
      EXPECT_EQ(swept.second[i]->has_variance(), i >= 2);
      // Scaled by 4: variances by 16.
      expect_near(contents(*swept.second[i]), contents(*swept.first[i]), 16 * scene.tolerance());
    }
  }
}

TEST(CudaField, HostValuesComeBackToTheBit) {
  Pair pair;
  for (const std::size_t m : edges) {
    oracle::Uniform random(m);
    const std::vector<double> means = random.values(m, -5, 5), variances = random.values(m, 0, 2);
    const auto field = pair.cuda->make_field(means, variances);
    const auto without = pair.cuda->make_field(means, {});
    ASSERT_EQ(field->size(), m);
    EXPECT_FALSE(without->has_variance());
    for (std::size_t i = 0; i < m; ++i) {
      ASSERT_EQ(field->mean(i), means[i]);
      ASSERT_EQ(field->variance(i), variances[i]);
      ASSERT_EQ(without->mean(i), means[i]);
    }
    std::vector<double> read_means(m), read_variances(m);
    field->read(read_means, read_variances);
    EXPECT_EQ(read_means, means);
    EXPECT_EQ(read_variances, variances);
  }
}

TEST(CudaField, BadInputIsRefusedInTheCpusWords) {
  Pair pair;
  const std::vector<double> means = {1, 2}, one = {1}, negative = {1, -1}, bad = {1, not_a_number};
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(bad, {}); });
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(means, bad); });
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(means, one); });
  std::vector<double> two(2), less(1);
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(means, {})->read(two, two); });
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(means, means)->read(less, two); });
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(means, means)->read(two, less); });
  expect_same_error(pair, [&](Backend& backend) { backend.make_field(means, negative); });
  const Scene scene(5, 2, 2), wide(5, 2, 3);
  Staged cpu(*pair.cpu, scene), cuda(*pair.cuda, scene), cpu_wide(*pair.cpu, wide), cuda_wide(*pair.cuda, wide);
  const auto offset = pair.both([&](Backend& backend) { return backend.make_field(one, {}); });
  expect_same_error([&] { pair.cpu->sweep(*cpu.factors[0], *cpu_wide.set, true); },
                    [&] { pair.cuda->sweep(*cuda.factors[0], *cuda_wide.set, true); });
  expect_same_error([&] { pair.cpu->sweep(*cpu.factors[0], *cpu.set, true, {}, offset.first.get()); },
                    [&] { pair.cuda->sweep(*cuda.factors[0], *cuda.set, true, {}, offset.second.get()); });
  expect_same_error([&] { pair.cpu->sweep(*cuda.factors[0], *cpu.set, true); },
                    [&] { pair.cuda->sweep(*cpu.factors[0], *cuda.set, true); });
  expect_same_error([&] { pair.cpu->sweep(*cpu.factors[0], *cuda.set, true); },
                    [&] { pair.cuda->sweep(*cuda.factors[0], *cpu.set, true); });
}

/// z sums F + 1 terms of size up to |c||φ| = 4, so it errs by 4 (F + 2) ε; the smallest slope's inverse is the knee,
/// 0.5 or more, and the logarithms err by a few ε of values below 10.
TEST(CudaLinearField, CostsAndSpreadsAreTheCpus) {
  Pair pair;
  for (const std::size_t features : {0, 1, 5, 37})
    for (const std::size_t m : {1, 33, 257}) {
      SCOPED_TRACE(testing::Message() << features << " features, " << m << " candidates");
      oracle::Uniform random(features + 100 * m);
      const std::vector<double> values = random.values(m * features, -1, 2);
      const std::vector<double> coefficients = random.values(features, -0.5, 2);
      const std::size_t side = features + 1;
      std::vector<double> covariance(side * side, 0.01);
      for (std::size_t i = 0; i < side; ++i) covariance[i * side + i] = 0.2 + 0.01 * static_cast<double>(i);
      const std::vector<double> shifts = random.values(m, -1, 1);
      LinearTerm term;
      term.coefficients = coefficients;
      term.intercept = 0.7;
      term.knee = 0.5;
      term.spread = 0.3;
      const auto compare = [&](bool with_offset) {
        const auto fields = pair.both([&](Backend& backend) {
          const auto table = backend.make_features({values.data(), m, features});
          const auto offset = backend.make_field(shifts, {});
          return backend.linear_field(*table, term, with_offset ? offset.get() : nullptr);
        });
        const double terms = static_cast<double>(features) + 10;
        EXPECT_EQ(fields.second->has_variance(), !term.covariance.empty());
        expect_near(contents(*fields.second), contents(*fields.first), 16 * terms * terms * epsilon);
      };
      compare(false);
      compare(true);
      term.covariance = covariance;
      compare(false);
      term.error = carbo::CostError::absolute;
      compare(true);
    }
}

TEST(CudaLinearField, BadInputIsRefusedInTheCpusWords) {
  Pair pair;
  const std::vector<double> values = {1, 2, 3, 4}, bad = {1, infinity, 3, 4}, two = {1, 1}, three = {1, 1, 1};
  expect_same_error(pair, [&](Backend& backend) { backend.make_features({bad.data(), 2, 2}); });
  const auto tables = pair.both([&](Backend& backend) { return backend.make_features({values.data(), 2, 2}); });
  EXPECT_EQ(tables.second->size(), 2u);
  EXPECT_EQ(tables.second->features(), 2u);
  const auto refused = [&](const auto& change) {
    LinearTerm term;
    term.coefficients = two;
    term.knee = 1;
    change(term);
    expect_same_error([&] { pair.cpu->linear_field(*tables.first, term); },
                      [&] { pair.cuda->linear_field(*tables.second, term); });
  };
  refused([&](LinearTerm& term) { term.coefficients = three; });
  refused([&](LinearTerm& term) { term.coefficients = {bad.data(), 2}; });
  refused([&](LinearTerm& term) { term.knee = 0; });
  refused([&](LinearTerm& term) { term.spread = not_a_number; });
  refused([&](LinearTerm& term) { term.covariance = three; });
  LinearTerm term;
  term.coefficients = two;
  term.knee = 1;
  expect_same_error([&] { pair.cpu->linear_field(*tables.second, term); },
                    [&] { pair.cuda->linear_field(*tables.first, term); });
}

/// Fantasies of one GP or of several, pick by pick; a copy of an observed point among them.
void expect_equal_fantasies(Pair& pair, Scene scene, std::vector<GpParameters> parameters, std::size_t fantasies) {
  SCOPED_TRACE(testing::Message() << scene.x.size() << " points, " << scene.candidates.size() << " candidates, "
                                  << parameters.size() << " GPs, " << fantasies << " fantasies");
  Staged cpu(*pair.cpu, scene, parameters), cuda(*pair.cuda, scene, parameters);
  const double tolerance = 10 * fixture::posterior_tolerance(scene.gp, scene.x.size() + 4);
  for (std::size_t pick = 0; pick < 4; ++pick) {
    const auto point = pick == 2 ? scene.x[0] : scene.candidates[pick * 7 % scene.candidates.size()];
    const std::vector<double> normals = scene.random.values(fantasies, -2, 2);
    expect_near(cuda.fantasise(point, normals), cpu.fantasise(point, normals), tolerance);
    for (std::size_t g = 0; g < cpu.fields.size(); ++g) {
      EXPECT_EQ(cuda.fields[g]->means(), cpu.fields[g]->means());
      expect_near(contents(*cuda.fields[g]), contents(*cpu.fields[g]), tolerance);
      expect_near(cuda.factors[g]->lowest_fitted_mean(), cpu.factors[g]->lowest_fitted_mean(), tolerance);
    }
  }
}

std::vector<GpParameters> several(const Scene& scene, std::size_t count) {
  std::vector<GpParameters> parameters;
  for (std::size_t g = 0; g < count; ++g) {
    parameters.push_back(fixture::parameters(scene.gp));
    for (double& inverse : parameters.back().inverse_lengthscales) inverse *= 1.0 + 0.1 * static_cast<double>(g);
  }
  return parameters;
}

TEST(CudaFantasies, SharedAndBatchedAreTheCpus) {
  Pair pair;
  for (const std::size_t m : {1, 31, 33, 64, 129, 255, 257}) {
    const Scene scene(20, m, 6);
    expect_equal_fantasies(pair, scene, several(scene, 1), 3);
    expect_equal_fantasies(pair, scene, several(scene, 3), 6);
  }
  for (const std::size_t n : {1, 32, 65, 127}) {
    const Scene scene(n, 40, 3);
    expect_equal_fantasies(pair, scene, several(scene, 1), 10);
    expect_equal_fantasies(pair, scene, several(scene, 4), 4);
  }
  for (const std::size_t d : widths) expect_equal_fantasies(pair, Scene(33, 65, d), several(Scene(33, 65, d), 1), 4);
}

/// Both modes compute the same posterior along different ways; each errs as a posterior does.
TEST(CudaFantasies, BatchedWithEqualHyperparametersIsShared) {
  const auto backend = cuda();
  Scene scene(33, 129, 3);
  constexpr std::size_t fantasies = 5;
  Staged shared(*backend, scene), batched(*backend, scene, {fantasies, fixture::parameters(scene.gp)});
  std::vector<double> incumbents(fantasies, -1.2);
  const double tolerance = 10 * fixture::posterior_tolerance(scene.gp, 37);
  for (std::size_t pick = 0; pick < 4; ++pick) {
    const std::vector<double> normals = scene.random.values(fantasies, -2, 2);
    const auto values = shared.fantasise(scene.candidates[30 * pick], normals);
    expect_near(batched.fantasise(scene.candidates[30 * pick], normals), values, tolerance);
    for (std::size_t f = 0; f < fantasies; ++f)
      for (std::size_t i = 0; i < scene.candidates.size(); ++i) {
        ASSERT_NEAR(batched.fields[f]->mean(i), shared.fields[0]->mean(i, f), tolerance);
        ASSERT_NEAR(batched.fields[f]->variance(i), shared.fields[0]->variance(i), tolerance);
      }
  }
}

TEST(CudaFantasies, BadInputIsRefusedAndChangesNothing) {
  Pair pair;
  const Scene scene(5, 10, 2);
  Staged cpu(*pair.cpu, scene), cuda(*pair.cuda, scene);
  const std::vector<double> point = {0.1, 0.2}, bad_point = {0.1, infinity}, normals = {0.5, 1.0};
  const std::vector<double> bad = {0.5, not_a_number};
  const auto refused = [&](const auto& action) { expect_same_error([&] { action(cpu); }, [&] { action(cuda); }); };
  refused([&](Staged& staged) { staged.backend.fantasise({}, *staged.set, point, normals); });
  refused([&](Staged& staged) { staged.fantasise(point, {}); });
  refused([&](Staged& staged) { staged.fantasise(point, bad); });
  refused([&](Staged& staged) { staged.fantasise(bad_point, normals); });
  refused([&](Staged& staged) { staged.fantasise({point.data(), 1}, normals); });
  refused([&](Staged& staged) {
    const auto mean_only = staged.backend.sweep(*staged.factors[0], *staged.set, false);
    const Member member{staged.factors[0].get(), mean_only.get()};
    staged.backend.fantasise({&member, 1}, *staged.set, point, normals);
  });
  EXPECT_EQ(cuda.factors[0]->fantasised(), 0u);
  EXPECT_EQ(cuda.fields[0]->means(), 1u);
  cpu.fantasise(point, normals);
  cuda.fantasise(point, normals);
  refused([&](Staged& staged) { staged.fantasise(point, {normals.data(), 1}); });
  EXPECT_EQ(cuda.factors[0]->fantasised(), 1u);
}

/// A field that has followed one fantasy cannot follow several, also where the factor has forgotten it.
TEST(CudaFantasies, AFieldKeepsItsNumberOfThem) {
  Pair pair;
  const Scene scene(5, 10, 2);
  Staged cpu(*pair.cpu, scene), cuda(*pair.cuda, scene);
  const std::vector<double> point = {0.1, 0.2}, normals = {0.5, 1.0};
  const auto once_more = [&](Staged& staged) {
    staged.fantasise(point, {normals.data(), 1});
    staged.factors[0]->drop_fantasies();
    staged.fantasise(point, normals);
  };
  expect_same_error([&] { once_more(cpu); }, [&] { once_more(cuda); });
}

}  // namespace
}  // namespace cuda_pair
