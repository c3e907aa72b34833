#include "support/cuda_pair.hpp"

// Log likelihoods and their gradients: the CPU's against the device's.
namespace cuda_pair {
namespace {

/// What a request views.
struct Problem {
  Problem(std::size_t n, std::size_t d, std::optional<double> with_mean = {}, double log_noise = std::log(0.01))
      : scene(n, 1, d), rows(scene.x), mean(with_mean) {
    const std::size_t groups = (d + 1) / 2;  // pairs of columns share a lengthscale
    for (std::size_t c = 0; c < d; ++c) column_groups.push_back(static_cast<int>(c / 2));
    for (std::size_t g = 0; g < groups; ++g) parameters.push_back(std::log(scene.gp.lengthscales[2 * g]));
    parameters.push_back(0.3);
    parameters.push_back(log_noise);
  }
  LikelihoodRequest request() const { return {rows.view(), scene.y, column_groups, parameters, mean}; }
  /// Log likelihood and gradient are sums over n rows of terms that err as a posterior does.
  double tolerance() const { return static_cast<double>(scene.x.size()) * scene.tolerance(); }

  Scene scene;
  Rows rows;
  std::vector<int> column_groups;
  std::vector<double> parameters;
  std::optional<double> mean;
};

void expect_equal_likelihoods(Pair& pair, const std::vector<Problem>& problems) {
  std::vector<LikelihoodRequest> requests;
  for (const Problem& problem : problems) requests.push_back(problem.request());
  std::vector<LikelihoodValue> expected(problems.size()), found(problems.size());
  pair.cpu->likelihoods(requests, expected);
  pair.cuda->likelihoods(requests, found);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "request " << i << ": " << problems[i].scene.x.size() << " points, "
                                    << problems[i].column_groups.size() << " columns");
    EXPECT_EQ(found[i].jitter, expected[i].jitter);
    const double tolerance = problems[i].tolerance();
    EXPECT_NEAR(found[i].log_likelihood, expected[i].log_likelihood, tolerance);
    EXPECT_NEAR(found[i].mean, expected[i].mean, tolerance);
    expect_near(found[i].gradient, expected[i].gradient, tolerance);
  }
}

TEST(CudaLikelihood, ValuesAndGradientsAreTheCpusAtEveryEdge) {
  Pair pair;
  for (const std::size_t n : edges) expect_equal_likelihoods(pair, {Problem(n, 3), Problem(n, 3, 0.2)});
  for (const std::size_t d : widths) expect_equal_likelihoods(pair, {Problem(33, d)});
  expect_equal_likelihoods(pair, {Problem(150, 6)});
}

TEST(CudaLikelihood, RequestsOfDifferentSizesAndColumnsGoTogether) {
  Pair pair;
  expect_equal_likelihoods(pair, {Problem(20, 3), Problem(65, 6), Problem(20, 3, -0.5), Problem(1, 1),
                                  Problem(64, 37), Problem(20, 3, {}, std::log(0.5))});
  pair.cuda->likelihoods({}, {});
}

/// Beyond 512 rows matrices are factored one by one.
TEST(CudaLikelihood, LargeOnesGoWithSmallOnes) {
  Pair pair;
  expect_equal_likelihoods(pair, {Problem(513, 2), Problem(20, 3), Problem(513, 2, 0.1)});
}

TEST(CudaLikelihood, AFailedFactorLeavesTheOthersAlone) {
  Pair pair;
  Problem unrepresentable(20, 3);
  unrepresentable.parameters[0] = 700;
  Problem collapsed(20, 3);
  collapsed.parameters[0] = -infinity;
  Problem singular(20, 3, {}, -80.0);
  for (auto& row : singular.scene.x) row = singular.scene.x[0];
  singular.rows = Rows(singular.scene.x);
  std::fill(singular.scene.y.begin(), singular.scene.y.end(), 0.5);
  std::vector<LikelihoodValue> together(4), expected(4);
  const Problem plain(20, 3);
  const std::vector<LikelihoodRequest> mixed = {unrepresentable.request(), plain.request(), singular.request(),
                                                collapsed.request()};
  pair.cuda->likelihoods(mixed, together);
  pair.cpu->likelihoods(mixed, expected);
  for (const std::size_t i : {0, 3}) {
    EXPECT_EQ(together[i].log_likelihood, -infinity);
    EXPECT_EQ(together[i].gradient, expected[i].gradient);
  }
  EXPECT_NEAR(together[1].log_likelihood, expected[1].log_likelihood, plain.tolerance());
  EXPECT_EQ(together[2].jitter, expected[2].jitter);
  EXPECT_GT(together[2].jitter, 0);
  // Twenty pivots, nineteen of them of the size of the jitter and right to ε / jitter each.
  EXPECT_NEAR(together[2].log_likelihood, expected[2].log_likelihood, 20 * 20 * epsilon / together[2].jitter);
}

TEST(CudaLikelihood, BadInputIsRefusedInTheCpusWords) {
  Pair pair;
  const auto refused = [&](const auto& change) {
    Problem problem(5, 3);
    LikelihoodRequest request = problem.request();
    change(problem, request);
    std::vector<LikelihoodValue> values(1);
    expect_same_error(pair, [&](Backend& backend) { backend.likelihoods({&request, 1}, values); });
  };
  refused([](Problem&, LikelihoodRequest& r) { r.points.rows = 0; });
  refused([](Problem&, LikelihoodRequest& r) { r.targets = r.targets.first(4); });
  refused([](Problem&, LikelihoodRequest& r) { r.column_groups = r.column_groups.first(2); });
  refused([](Problem& p, LikelihoodRequest&) { p.column_groups[0] = 7; });
  refused([](Problem& p, LikelihoodRequest&) { p.parameters[1] = not_a_number; });
  refused([](Problem& p, LikelihoodRequest&) { p.scene.y[3] = infinity; });
  refused([](Problem& p, LikelihoodRequest&) { p.rows.values[4] = not_a_number; });
  refused([](Problem&, LikelihoodRequest& r) { r.mean = infinity; });
  const Problem problem(5, 3);
  const std::vector<LikelihoodRequest> requests = {problem.request()};
  std::vector<LikelihoodValue> two(2);
  expect_same_error(pair, [&](Backend& backend) { backend.likelihoods(requests, two); });
}

}  // namespace
}  // namespace cuda_pair
