#include <algorithm>

#include "acquisition/choose.hpp"
#include "support/cuda_scores.hpp"

// Scores of all candidates and the best two: the CPU's against the device's.
namespace cuda_pair {
namespace {

/// Cost and incumbents of one request, which borrows them.
struct Terms {
  Terms(Scene& scene, std::size_t fantasies)
      : incumbents(fantasies, -1.0),
        log_costs(scene.random.values(scene.candidates.size(), -2, 3)),
        variances(scene.random.values(scene.candidates.size(), 0, 1)) {
    for (std::size_t f = 0; f < fantasies; ++f) incumbents[f] -= 0.1 * static_cast<double>(f);
  }
  ScoreRequest request(const Field* log_cost, carbo::CostWeight weight) const {
    ScoreRequest request;
    request.incumbents = incumbents;
    request.log_cost = log_cost;
    request.acquisition.parameter = 0.6;
    request.acquisition.moment = moment_of(weight);
    return request;
  }

  std::vector<double> incumbents;
  std::vector<double> log_costs;
  std::vector<double> variances;
};

void expect_equal_picks(Staged& cpu, Staged& cuda, const ScoreRequest& on_cpu, const ScoreRequest& on_cuda,
                        double tolerance) {
  const std::vector<double> expected = cpu.scores(on_cpu), found = cuda.scores(on_cuda);
  const std::vector<double> allowed = score_tolerances(cpu, on_cpu, tolerance);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isinf(expected[i])) {
      ASSERT_EQ(found[i], expected[i]) << i;
    } else {
      ASSERT_NEAR(found[i], expected[i], allowed[i]) << i;
    }
  }
  const BestTwo pick = cuda.best(on_cuda);
  expect_first_two(pick, found);
  expect_same_pick(pick, cpu.best(on_cpu), allowed);
}

void expect_equal_scores(Pair& pair, Scene scene, std::size_t members, std::size_t fantasies) {
  SCOPED_TRACE(testing::Message() << scene.x.size() << " points, " << scene.candidates.size() << " candidates, "
                                  << members << " GPs, " << fantasies << " fantasies");
  const std::vector<GpParameters> parameters(members, fixture::parameters(scene.gp));
  Staged cpu(*pair.cpu, scene, parameters), cuda(*pair.cuda, scene, parameters);
  const Terms before(scene, members), after(scene, fantasies);
  const auto costs =
      pair.both([&](Backend& backend) { return backend.make_field(before.log_costs, before.variances); });
  const double tolerance = 10 * fixture::posterior_tolerance(scene.gp, scene.x.size() + 1);
  expect_equal_picks(cpu, cuda, before.request(nullptr, {}), before.request(nullptr, {}), tolerance);
  const std::vector<double> normals = scene.random.values(fantasies, -2, 2);
  const auto& point = scene.candidates[scene.candidates.size() / 2];
  cpu.fantasise(point, normals);
  cuda.fantasise(point, normals);
  for (Staged* staged : {&cpu, &cuda}) staged->set->exclude(scene.candidates.size() / 2);
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment})
    for (const double limit : {infinity, 1.0}) {
      ScoreRequest on_cpu = after.request(costs.first.get(), weight);
      ScoreRequest on_cuda = after.request(costs.second.get(), weight);
      on_cpu.log_cost_limit = on_cuda.log_cost_limit = limit;
      expect_equal_picks(cpu, cuda, on_cpu, on_cuda, tolerance);
    }
}

TEST(CudaScore, ScoresAndPicksAreTheCpusAtEveryEdge) {
  Pair pair;
  for (const std::size_t m : edges) expect_equal_scores(pair, Scene(20, m, 6), 1, 3);
  for (const std::size_t m : {1, 33, 257}) expect_equal_scores(pair, Scene(20, m, 3), 3, 3);
  for (const std::size_t fantasies : {1, 10, 32, 65}) expect_equal_scores(pair, Scene(12, 65, 2), 1, fantasies);
  expect_equal_scores(pair, Scene(60, 5000, 6), 1, 2);
}

TEST(CudaScore, TiesGoToTheLowestIndexAndNothingLeftIsNone) {
  const auto backend = cuda();
  Scene scene(8, 600, 2);
  std::fill(scene.y.begin(), scene.y.end(), 0.5);
  std::fill(scene.candidates.begin(), scene.candidates.end(), scene.candidates[0]);
  scene.candidates[0] = scene.candidates[599] = scene.x[0];  // next to data: lower scores
  Staged staged(*backend, scene);
  const std::vector<double> incumbent = {0.5};
  ScoreRequest request;
  request.incumbents = incumbent;
  BestTwo pick = staged.best(request);
  EXPECT_EQ(pick[0].index, 1u);
  EXPECT_EQ(pick[1].index, 2u);
  for (std::size_t i = 0; i < 600; ++i)
    if (i != 400) staged.set->exclude(i);
  pick = staged.best(request);
  EXPECT_EQ(pick[0].index, 400u);
  EXPECT_EQ(pick[1].index, Scored::none);
  EXPECT_EQ(pick[1].score, -infinity);
  staged.set->exclude(400);
  pick = staged.best(request);
  EXPECT_EQ(pick[0].index, Scored::none);
  EXPECT_EQ(pick[0].score, -infinity);
}

/// (y_best − μ)² overflows, so every improvement is −∞; a cost term of +∞ then makes one score NaN.
TEST(CudaScore, NanNeverWinsAndMinusInfinityHasAnOrder) {
  Pair pair;
  const Scene scene(8, 300, 2);
  std::vector<double> log_costs(300, 0.0);
  log_costs[0] = log_costs[65] = -1e308;
  const std::vector<double> incumbent = {-1e200};
  for (Backend* backend : {pair.cpu.get(), static_cast<Backend*>(pair.cuda.get())}) {
    Staged staged(*backend, scene);
    const auto cost = backend->make_field(log_costs, {});
    ScoreRequest request;
    request.incumbents = incumbent;
    request.log_cost = cost.get();
    request.acquisition.parameter = 2;
    EXPECT_TRUE(std::isnan(staged.scores(request)[0]));
    const BestTwo pick = staged.best(request);
    EXPECT_EQ(pick[0].index, 1u);
    EXPECT_EQ(pick[0].score, -infinity);
    EXPECT_EQ(pick[1].index, 2u);
  }
}

TEST(CudaScore, BadInputIsRefusedInTheCpusWords) {
  Pair pair;
  const Scene scene(5, 4, 2);
  Staged cpu(*pair.cpu, scene), cuda(*pair.cuda, scene);
  const std::vector<double> one = {0.0}, two = {0.0, 0.0}, bad = {not_a_number};
  const auto costs = pair.both([&](Backend& backend) { return backend.make_field(two, {}); });
  const auto refused = [&](const auto& action) {
    const auto run = [&](Staged& staged, const Field* cost) {
      ScoreRequest request;
      request.incumbents = one;
      action(staged, request, cost);
    };
    expect_same_error([&] { run(cpu, costs.first.get()); }, [&] { run(cuda, costs.second.get()); });
  };
  refused([&](Staged& staged, ScoreRequest& request, const Field*) {
    request.incumbents = two;
    staged.best(request);
  });
  refused([&](Staged& staged, ScoreRequest& request, const Field*) {
    request.incumbents = bad;
    staged.best(request);
  });
  refused([&](Staged& staged, ScoreRequest& request, const Field*) {
    request.acquisition.parameter = -1;
    staged.scores(request);
  });
  refused([&](Staged& staged, ScoreRequest& request, const Field* cost) {
    request.log_cost = cost;
    staged.scores(request);
  });
  refused([&](Staged& staged, ScoreRequest& request, const Field*) { staged.backend.best(*staged.set, request); });
  refused([&](Staged& staged, ScoreRequest& request, const Field*) {
    request.objective = staged.members;
    std::vector<double> room(3);
    staged.backend.scores(*staged.set, request, room);
  });
  ScoreRequest request;
  request.incumbents = one;
  request.objective = cpu.members;
  EXPECT_THROW(pair.cuda->best(*cuda.set, request), carbo::InvalidOptions);
}

}  // namespace
}  // namespace cuda_pair
