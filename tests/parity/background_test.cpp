#include "support/cuda_pair.hpp"

// Points that only the mean of a factor knows: the CPU's against the device's.
namespace cuda_pair {
namespace {

struct Background {
  Background(Scene& scene, std::size_t count, std::size_t columns)
      : points(scene.random.points(count, columns)),
        rows(points),
        weights(scene.random.values(count, -0.5, 0.5)),
        tolerance(4 * fixture::posterior_tolerance(scene.gp, scene.x.size() + count)) {}

  Points points;
  Rows rows;
  std::vector<double> weights;
  double tolerance;
};

std::unique_ptr<GpFactor> factor_with(Backend& backend, const Scene& scene, const Background& background) {
  auto factor = fixture::factor(backend, scene.gp, scene.x, scene.y);
  factor->set_background(background.rows.view(), background.weights);
  return factor;
}

/// Means with variances, means alone, those of a sweep, fitted ones and products.
std::vector<double> all_reads(Backend& backend, const GpFactor& factor, const Scene& scene,
                              const Background& background) {
  const Rows at(scene.candidates);
  std::vector<double> means(at.rows), variances(at.rows), alone(at.rows);
  factor.predict(at.view(), means, variances);
  factor.predict(at.view(), alone, {});
  const auto field = backend.sweep(factor, *backend.make_candidates(at.view()), false);
  std::vector<double> reads = factor.posterior_products(background.rows.view(), background.weights);
  const std::vector<double> lowest = factor.lowest_fitted_mean();
  for (const auto& part : {means, variances, alone, lowest}) reads.insert(reads.end(), part.begin(), part.end());
  for (std::size_t i = 0; i < at.rows; ++i) reads.push_back(field->mean(i));
  return reads;
}

void expect_equal_reads(Pair& pair, std::size_t rows, std::size_t further, std::size_t columns) {
  SCOPED_TRACE(testing::Message() << rows << " rows, " << further << " further points, " << columns << " columns");
  Scene scene(rows, 40, columns);
  const Background background(scene, further, columns);
  const auto [expected, found] = pair.both([&](Backend& backend) {
    return all_reads(backend, *factor_with(backend, scene, background), scene, background);
  });
  expect_near(found, expected, background.tolerance);
}

TEST(CudaBackground, IsTheCpusAtEveryEdge) {
  Pair pair;
  for (const std::size_t further : {1, 15, 16, 17, 255, 256, 257}) expect_equal_reads(pair, 20, further, 3);
  for (const std::size_t rows : {1, 31, 33, 65}) expect_equal_reads(pair, rows, 30, 3);
  for (const std::size_t columns : widths) expect_equal_reads(pair, 20, 30, columns);
}

TEST(CudaBackground, IsTheCpusAfterRowsTargetsAndAnotherOne) {
  Pair pair;
  Scene scene(12, 40, 3);
  const Background background(scene, 50, 3), other(scene, 20, 3);
  const Points more = scene.random.points(70, 3);
  const std::vector<double> targets = scene.random.values(82, -1, 1);
  const auto [expected, found] = pair.both([&](Backend& backend) {
    const auto factor = factor_with(backend, scene, background);
    for (const auto& point : more) EXPECT_TRUE(factor->append(point));
    std::vector<double> reads = all_reads(backend, *factor, scene, background);
    factor->set_targets(targets);
    const auto add = [&](const std::vector<double>& part) { reads.insert(reads.end(), part.begin(), part.end()); };
    add(all_reads(backend, *factor, scene, background));
    factor->set_background(other.rows.view(), other.weights);
    add(all_reads(backend, *factor, scene, other));
    factor->set_background({}, {});
    add(all_reads(backend, *factor, scene, other));
    return reads;
  });
  expect_near(found, expected, 10 * background.tolerance);
}

TEST(CudaBackground, FantasiesAndSearchesAreTheCpus) {
  Pair pair;
  Scene scene(40, 300, 3);
  const Background background(scene, 100, 3);
  const std::vector<double> point = scene.random.points(1, 3)[0], normals{0.4, -1.1};
  const auto [expected, found] = pair.both([&](Backend& backend) {
    const auto factor = factor_with(backend, scene, background);
    const auto candidates = backend.make_candidates(Rows(scene.candidates).view());
    GpFactor* const member = factor.get();
    SearchSetup setup;
    setup.factors = {&member, 1};
    setup.fantasies = 2;
    const auto search = backend.make_search(*candidates, setup);
    const std::vector<double> incumbents{-0.5, -0.5};
    SearchRequest request;
    std::vector<double> reads;
    for (const std::size_t round : {0u, 1u}) {
      request.incumbents = std::span(incumbents).first(1 + round);  // one until points are fantasised
      for (const Scored& one : search->top(request, 3)) {
        reads.push_back(static_cast<double>(one.index));
        reads.push_back(one.score);
      }
      if (round > 0) break;
      const std::vector<double> values = search->fantasise(point, normals);
      reads.insert(reads.end(), values.begin(), values.end());
    }
    EXPECT_THROW(factor->set_background({}, {}), carbo::InvalidOptions);
    return reads;
  });
  expect_near(found, expected, 1e-6);
}

TEST(CudaBackground, ErrorsAreTheCpus) {
  Pair pair;
  Scene scene(5, 4, 2);
  const Background background(scene, 4, 2);
  const auto refused = [&](MatrixView view, const std::vector<double>& weights) {
    expect_same_error(pair, [&](Backend& backend) {
      fixture::factor(backend, scene.gp, scene.x, scene.y)->set_background(view, weights);
    });
    expect_same_error(pair, [&](Backend& backend) {
      fixture::factor(backend, scene.gp, scene.x, scene.y)->posterior_products(view, weights);
    });
  };
  refused({background.rows.values.data(), 4, 1}, background.weights);
  refused(background.rows.view(), {1.0});
  refused(background.rows.view(), {0.1, 0.2, not_a_number, 0.4});
}

}  // namespace
}  // namespace cuda_pair
