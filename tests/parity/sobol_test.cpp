#include <numeric>

#include "space/sobol_recipe.hpp"
#include "support/cuda_pair.hpp"
#include "support/mixed_space.hpp"

// Candidates that the device makes itself from the recipe of a Sobol sample.
namespace cuda_pair {
namespace {

/// Some of a sample's points, and rows that follow them.
struct Sample {
  explicit Sample(std::size_t points, std::size_t others = 0)
      : recipe(make_sobol_recipe(carbo::mixed_space(), 5, 2)),
        given(oracle::Uniform(points).points(others, columns())) {
    rows.recipe = &recipe;
    rows.first = 7;
    rows.points = points;
    rows.others = given.view();
  }
  std::size_t columns() const { return recipe.columns; }
  std::size_t size() const { return rows.points + given.rows; }
  /// The same rows, made on the host.
  Points encoded() const {
    std::vector<std::uint32_t> indices(rows.indices.begin(), rows.indices.end());
    if (indices.empty()) {
      indices.resize(rows.points);
      std::iota(indices.begin(), indices.end(), rows.first);
    }
    std::vector<double> values(rows.points * columns());
    encode_sobol_points(recipe, indices, values.data(), rows.points);
    Points points(rows.points, std::vector<double>(columns()));
    for (std::size_t i = 0; i < rows.points; ++i)
      for (std::size_t c = 0; c < columns(); ++c) points[i][c] = values[c * rows.points + i];
    for (std::size_t i = 0; i < given.rows; ++i) {
      const auto row = given.view().row(i);
      points.emplace_back(row.begin(), row.end());
    }
    return points;
  }

  SobolRecipe recipe;
  Rows given;
  SobolRows rows;
};

/// Coordinates may differ by the rounding of exp and log, which moves a mean by less than a posterior's own rounding.
void expect_the_rows(CudaBackendFace& backend, const Sample& sample) {
  SCOPED_TRACE(testing::Message() << sample.rows.points << " points and " << sample.given.rows << " rows");
  const Scene scene(20, 1, sample.columns());
  const auto made = backend.make_candidates(sample.rows);
  const auto copied = backend.make_candidates(Rows(sample.encoded()).view());
  ASSERT_EQ(made->size(), sample.size());
  EXPECT_EQ(made->available(), sample.size());
  const auto factor = fixture::factor(backend, scene.gp, scene.x, scene.y);
  expect_near(contents(*backend.sweep(*factor, *made, true)), contents(*backend.sweep(*factor, *copied, true)),
              scene.tolerance());
  // Every point is where it should be: its distance to itself is rounding, √d roundings of coordinates up to 1.
  const Points points = sample.encoded();
  made->set_design(Rows(points).view());
  EXPECT_LT(made->fill(), 8 * epsilon * std::sqrt(static_cast<double>(sample.columns())));
}

TEST(CudaSobol, PointsAreThoseOfTheHost) {
  const auto backend = cuda();
  for (const std::size_t points : edges) expect_the_rows(*backend, Sample(points));
}

TEST(CudaSobol, OtherRowsFollowThem) {
  const auto backend = cuda();
  for (const std::size_t others : {1, 31, 64, 257}) expect_the_rows(*backend, Sample(33, others));
}

TEST(CudaSobol, SomePointsMayBeLeftOut) {
  const auto backend = cuda();
  for (const std::size_t points : {1, 65, 256}) {
    Sample sample(points, 5);
    std::vector<std::uint32_t> indices(points);
    for (std::size_t i = 0; i < points; ++i) indices[i] = static_cast<std::uint32_t>(3 * i + 1);
    indices.back() = 0xffffffffu;
    sample.rows.indices = indices;
    expect_the_rows(*backend, sample);
  }
}

TEST(CudaSobol, BadRecipesAreRefusedInTheCpusWords) {
  Pair pair;
  const auto refused = [&](const auto& change) {
    Sample sample(5, 2);
    change(sample);
    expect_same_error(pair, [&](Backend& backend) { backend.make_candidates(sample.rows); });
  };
  refused([](Sample& sample) { sample.rows.points = 0; });
  refused([](Sample& sample) { sample.given.values[3] = not_a_number; });
}

}  // namespace
}  // namespace cuda_pair
