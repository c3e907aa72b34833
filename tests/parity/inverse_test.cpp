#include <algorithm>
#include <cstring>

#include "support/cuda_pair.hpp"

// Variances by the inverse of L, which a factor keeps and which appended rows add to.
namespace cuda_pair {
namespace {

std::vector<double> variances(Backend& backend, const GpFactor& factor, const Points& candidates) {
  const auto set = backend.make_candidates(Rows(candidates).view());
  const auto field = backend.sweep(factor, *set, true);
  std::vector<double> means(candidates.size()), found(candidates.size());
  field->read(means, found);
  return found;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<std::unique_ptr<GpFactor>> factors_of(Backend& backend, const Scene& scene) {
  const std::vector<GpParameters> parameters = {fixture::parameters(scene.gp)};
  return backend.factor(Rows(scene.x).view(), scene.y, parameters);
}

/// Variances in long double by Cholesky's factor and forward substitution, row by row: a dense inverse would lose
/// what is looked for here.
class SubstitutedVariances {
 public:
  explicit SubstitutedVariances(const Scene& scene) : gp_(scene.gp), x_(scene.x), lower_(oracle::gram(gp_, x_)) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      solve(lower_[i], i);
      oracle::Real rest = lower_[i][i];
      for (std::size_t j = 0; j < i; ++j) rest -= lower_[i][j] * lower_[i][j];
      lower_[i][i] = std::sqrt(rest);
    }
  }
  double at(const std::vector<double>& point) const {
    oracle::Vector v(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) v[i] = oracle::covariance(gp_, x_[i], point);
    solve(v, x_.size());
    oracle::Real variance = static_cast<oracle::Real>(gp_.signal);
    for (const oracle::Real entry : v) variance -= entry * entry;
    return static_cast<double>(variance);
  }

 private:
  /// The first `rows` entries of v ← L⁻¹v.
  void solve(oracle::Vector& v, std::size_t rows) const {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < i; ++j) v[i] -= lower_[i][j] * v[j];
      v[i] /= lower_[i][i];
    }
  }

  oracle::Gp gp_;
  Points x_;
  oracle::Matrix lower_;
};

/// Points on a line and in a plane, half of them close together and some twice: pivots go down to the root of the
/// noise. What cancels is of the size of k(x,x) and is rounded n times, ε · n · k(x,x); in v = L⁻¹k entries of up to
/// √(k(x,x) / noise) cancel before, of which a hundredth is seen: with a noise of 1e-8 ten times as much as in
/// substitution row by row.
TEST(CudaInverse, NearlySingularFactorsGiveTheVariancesOfTheOracle) {
  const auto backend = cuda();
  for (const double noise : {1e-8, 1e-6, 1e-3})
    for (const std::size_t d : {1, 2}) {
      constexpr std::size_t n = 161;
      SCOPED_TRACE(testing::Message() << "noise " << noise << ", " << d << " columns");
      Scene scene(n, 40, d);
      scene.gp.lengthscales.assign(d, 0.6);
      scene.gp.noise = noise;
      for (std::size_t i = n / 2; i < n; ++i)
        for (std::size_t c = 0; c < d; ++c) scene.x[i][c] = 0.4 + 0.05 * scene.x[i][c];
      for (std::size_t i = 0; i < 8; ++i) scene.x[n - 1 - i] = scene.x[i];
      for (std::size_t i = 0; i < 10; ++i) scene.candidates[i] = scene.x[16 * i];
      const SubstitutedVariances expected(scene);
      const auto factors = factors_of(*backend, scene);
      ASSERT_EQ(factors[0]->jitter(), 0);
      const std::vector<double> found = variances(*backend, *factors[0], scene.candidates);
      const double entries = std::sqrt(scene.gp.signal / noise);
      const double tolerance = epsilon * static_cast<double>(n) * scene.gp.signal * (1 + 0.01 * entries);
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected.at(scene.candidates[i]), tolerance) << i;
    }
}

/// Rows that are appended to a factor whose inverse is there add theirs, a block of rows that was not full is made
/// anew, and all is what one inversion at the end gives.
TEST(CudaInverse, AppendedRowsAddTheirsToTheBit) {
  const auto backend = cuda();
  for (const std::size_t n : {1, 30, 32, 63, 126}) {
    SCOPED_TRACE(testing::Message() << n << " points");
    const Scene scene(n, 70, 3), more(5, 1, 3, 7);
    const auto step_by_step = factors_of(*backend, scene), at_once = factors_of(*backend, scene);
    for (const std::vector<double>& point : more.x) {
      variances(*backend, *step_by_step[0], scene.candidates);
      ASSERT_TRUE(step_by_step[0]->append(point));
      ASSERT_TRUE(at_once[0]->append(point));
    }
    EXPECT_TRUE(same_bits(variances(*backend, *step_by_step[0], scene.candidates),
                          variances(*backend, *at_once[0], scene.candidates)));
  }
}

/// A factor that grows to hold fantasised points takes its inverse along, with a block of rows that is not full.
TEST(CudaInverse, OutlastsFantasisedPointsThatThereWasNoRoomFor) {
  const auto backend = cuda();
  for (const std::size_t n : {33, 64}) {
    const Scene scene(n, 40, 2);
    const auto factors = factors_of(*backend, scene);
    const std::vector<double> before = variances(*backend, *factors[0], scene.candidates);
    oracle::Uniform random(n);
    const std::vector<double> normals = {0.5, -0.5};
    for (int i = 0; i < 140; ++i) factors[0]->fantasise(random.points(1, 2).front(), normals);
    factors[0]->drop_fantasies();
    EXPECT_TRUE(same_bits(variances(*backend, *factors[0], scene.candidates), before));
    const std::vector<double> point = random.points(1, 2).front();
    ASSERT_TRUE(factors[0]->append(point));
    const auto anew = factors_of(*backend, scene);
    ASSERT_TRUE(anew[0]->append(point));
    EXPECT_TRUE(same_bits(variances(*backend, *factors[0], scene.candidates),
                          variances(*backend, *anew[0], scene.candidates)));
  }
}

/// More candidates than there are places to work on them at once, and one, and copies of one: where a candidate
/// stands, and how many there are, does not matter.
TEST(CudaInverse, ACandidateHasTheSameBitsWhereverItStands) {
  const auto backend = cuda();
  for (const std::size_t n : {1, 31, 129, 160}) {
    SCOPED_TRACE(testing::Message() << n << " points");
    Scene scene(n, 2200, 2);
    for (std::size_t i = 1000; i < 1040; ++i) scene.candidates[i] = scene.candidates[3];
    const auto factors = factors_of(*backend, scene);
    const std::vector<double> all = variances(*backend, *factors[0], scene.candidates);
    for (std::size_t i = 1000; i < 1040; ++i) ASSERT_EQ(all[i], all[3]);
    Points turned(scene.candidates.rbegin(), scene.candidates.rend());
    turned.pop_back();
    std::vector<double> back = variances(*backend, *factors[0], turned);
    std::reverse(back.begin(), back.end());
    EXPECT_TRUE(same_bits(back, std::vector<double>(all.begin() + 1, all.end())));
    for (const std::size_t count : {1, 31, 32, 33})
      EXPECT_TRUE(same_bits(variances(*backend, *factors[0],
                                      Points(scene.candidates.begin() + 990, scene.candidates.begin() + 990 + count)),
                            std::vector<double>(all.begin() + 990, all.begin() + 990 + count)));
  }
}

}  // namespace
}  // namespace cuda_pair
