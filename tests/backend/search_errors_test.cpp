#include <gtest/gtest.h>

#include <carbo/error.hpp>
#include <vector>

#include "support/expect_error.hpp"
#include "support/not_finite.hpp"
#include "support/reference_backend.hpp"
#include "support/search_paths.hpp"

// What a search refuses, with what it says; nothing changes by a refusal.
namespace {

using namespace search_cases;
using carbo::expect_error;
using carbo::InvalidOptions;
using carbo::NumericalError;

using carbo::test::infinity;
using carbo::test::not_a_number;

/// A case with four fantasies in six dimensions, and its setup.
struct Scene {
  Scene() : c(late_case({30, 300, 4})), world(c, 2, 0) {
    for (const auto& factor : world.factors) factors.push_back(factor.get());
    setup.factors = factors;
    setup.fantasies = 4;
    setup.log_cost = world.log_cost.get();
    request.incumbents = incumbents;
    request.acquisition.parameter = 0.5;
  }
  std::unique_ptr<BoundedSearch> search() { return world.backend->make_bounded_search(*world.set, setup); }
  template <class Error>
  void expect_refused_setup(const std::vector<std::string>& parts) {
    expect_error<Error>([&] { search()->top(request, 1); }, parts);
  }

  Case c;
  World world;
  std::vector<GpFactor*> factors;
  SearchSetup setup;
  std::vector<double> incumbents = {-0.5};
  SearchRequest request;
};

template <class Error>
void expect_refused_request(Scene& scene, BoundedSearch& search, const std::vector<std::string>& parts) {
  std::vector<double> room(scene.c.shape.m);
  expect_error<Error>([&] { search.top(scene.request, 1); }, parts);
  expect_error<Error>([&] { search.ceilings(scene.request, room); }, parts);
}

TEST(SearchErrors, AnEqualNumberOfFantasiesAFactorIsNeeded) {
  Scene scene;
  scene.setup.fantasies = 0;
  scene.expect_refused_setup<InvalidOptions>({"0 fantasies for 1 factors"});
  scene.factors.push_back(scene.factors.front());
  scene.setup.factors = scene.factors;
  scene.setup.fantasies = 3;
  scene.expect_refused_setup<InvalidOptions>({"3 fantasies for 2 factors"});
  scene.setup.factors = {};
  scene.expect_refused_setup<InvalidOptions>({"0 factors"});
}

TEST(SearchErrors, FactorsMustBeTheBackendsOwn) {
  Scene scene;
  carbo::test::ReferenceFactor stranger(scene.c.observed(), scene.c.targets, scene.c.gps.front());
  GpFactor* factors[] = {&stranger};
  scene.setup.factors = factors;
  scene.expect_refused_setup<InvalidOptions>({"factor", "cpu backend"});
  factors[0] = nullptr;
  scene.expect_refused_setup<InvalidOptions>({"factor", "cpu backend"});
}

TEST(SearchErrors, FactorsMustHaveTheColumnsOfTheCandidates) {
  Scene scene;
  const std::vector<double> points = {0.1, 0.2, 0.3};
  GpParameters gp;
  gp.inverse_lengthscales = {1.0};
  gp.noise_variance = 0.1;
  const auto narrow = scene.world.backend->factor({points.data(), 3, 1}, points, {&gp, 1});
  GpFactor* factors[] = {narrow.front().get()};
  scene.setup.factors = factors;
  scene.expect_refused_setup<InvalidOptions>({"columns", "6 given", "1 needed"});
}

TEST(SearchErrors, FantasisedPointsOfTheFactorsMustFitTheSearch) {
  Scene scene;
  const auto others = scene.world.backend->factor(scene.c.observed(), scene.c.targets, scene.c.gps);
  const auto fields = scene.world.sweep();
  const std::vector<double> three = {0.1, 0.2, 0.3};
  scene.world.backend->fantasise(scene.world.members(fields), *scene.world.set, scene.c.candidate(2), three);
  scene.expect_refused_setup<InvalidOptions>({"fantasies of a factor", "3 given", "4 needed"});
  scene.factors.push_back(others.front().get());
  scene.setup.factors = scene.factors;
  scene.setup.fantasies = 6;
  scene.expect_refused_setup<InvalidOptions>({"fantasised points", "0 given", "1 needed"});
}

TEST(SearchErrors, TheLogCostMustFit) {
  Scene scene;
  const std::vector<double> few(7, 0.5);
  const auto small = scene.world.backend->make_field(few, {});
  scene.setup.log_cost = small.get();
  scene.expect_refused_setup<InvalidOptions>({"log cost", "7 given", "300 needed"});
  carbo::test::ReferenceField stranger;
  stranger.means_.assign(300, 0.5);
  scene.setup.log_cost = &stranger;
  scene.expect_refused_setup<InvalidOptions>({"log cost", "cpu backend"});
  scene.setup.log_cost_factor = scene.factors.front();
  scene.expect_refused_setup<InvalidOptions>({"log cost", "cpu backend"});
  scene.setup.log_cost = nullptr;
  scene.expect_refused_setup<InvalidOptions>({"log cost"});
  scene.setup.log_cost = small.get();
  scene.expect_refused_setup<InvalidOptions>({"log cost", "7 given", "300 needed"});
}

/// What a search is to compute has no values for others.
TEST(SearchErrors, AFieldForSearchesIsForThemAlone) {
  Scene scene;
  Backend& backend = *scene.world.backend;
  const auto field = backend.sweep_for_search(*scene.factors.front(), *scene.world.set);
  std::vector<double> room(300);
  const auto fields = scene.world.sweep();
  const std::vector<Member> members = scene.world.members(fields);
  ScoreRequest dense;
  dense.objective = members;
  dense.incumbents = scene.incumbents;
  dense.log_cost = field.get();
  const std::vector<std::string> said = {"field is for searches"};
  expect_error<InvalidOptions>([&] { static_cast<void>(field->mean(0)); }, said);
  expect_error<InvalidOptions>([&] { field->read(room, {}); }, said);
  expect_error<InvalidOptions>([&] { backend.scores(*scene.world.set, dense, room); }, said);
  expect_error<InvalidOptions>([&] { backend.race(*scene.world.set, *field, infinity); }, said);
  expect_error<InvalidOptions>(
      [&] { backend.sweep(*scene.factors.front(), *scene.world.set, false, {}, field.get()); }, said);
  const auto others = backend.factor(scene.c.observed(), scene.c.targets, scene.c.gps);
  scene.setup.log_cost = field.get();
  scene.setup.log_cost_factor = others.front().get();
  scene.expect_refused_setup<InvalidOptions>({"another factor"});
}

TEST(SearchErrors, ABadPointIsRefusedAndChangesNothing) {
  Scene scene;
  const auto search = scene.search();
  const std::vector<Scored> before = search->top(scene.request, 3);
  const std::vector<double> normals = {0.1, -0.2, 0.3, 1.0};
  const std::vector<double> bad_normals = {0.1, -0.2, not_a_number, 1.0};
  const std::vector<double> endless_normals = {0.1, -0.2, -infinity, 1.0};
  const std::vector<double> bad_point = {0.1, 0.2, not_a_number, 0.4, 0.5, 0.6};
  const auto point = scene.c.candidate(4);
  expect_error<InvalidOptions>([&] { search->fantasise(point, std::span(normals).first(3)); },
                               {"normals", "3 given", "4 needed"});
  expect_error<InvalidOptions>([&] { search->fantasise(point, {}); }, {"normals", "0 given"});
  expect_error<NumericalError>([&] { search->fantasise(point, bad_normals); }, {"normals", "entry 2"});
  expect_error<NumericalError>([&] { search->fantasise(point, endless_normals); }, {"normals", "entry 2"});
  expect_error<InvalidOptions>([&] { search->fantasise(point.first(5), normals); }, {"coordinates", "5 given"});
  expect_error<NumericalError>([&] { search->fantasise(bad_point, normals); }, {"point", "entry 2"});
  EXPECT_EQ(scene.factors.front()->fantasised(), 0u);
  const std::vector<Scored> after = search->top(scene.request, 3);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].index, before[i].index);
    EXPECT_EQ(after[i].score, before[i].score);
  }
}

TEST(SearchErrors, NormalsAheadMustBeFiniteRowsOfAllFantasies) {
  Scene scene;
  const auto search = scene.search();
  const std::vector<double> five = {1, 2, 3, 4, 5};
  scene.request.normals_ahead = five;
  expect_refused_request<InvalidOptions>(scene, *search, {"5 normals ahead", "multiple of 4"});
  const std::vector<double> bad = {1, not_a_number, 3, 4};
  scene.request.normals_ahead = bad;
  expect_refused_request<NumericalError>(scene, *search, {"normals ahead", "entry 1"});
}

TEST(SearchErrors, IncumbentsMustBeFiniteAndOneAMean) {
  Scene scene;
  const auto search = scene.search();
  const std::vector<double> four = {-0.5, -0.5, -0.5, -0.5};
  scene.request.incumbents = four;
  expect_refused_request<InvalidOptions>(scene, *search, {"incumbents", "4 given", "1 needed"});
  scene.request.incumbents = {};
  expect_refused_request<InvalidOptions>(scene, *search, {"incumbents", "0 given", "1 needed"});
  for (const double bad : {not_a_number, infinity, -infinity}) {
    scene.request.incumbents = {&bad, 1};
    expect_refused_request<NumericalError>(scene, *search, {"incumbents", "entry 0"});
  }
  search->fantasise(scene.c.candidate(9), four);
  scene.request.incumbents = scene.incumbents;
  expect_refused_request<InvalidOptions>(scene, *search, {"incumbents", "1 given", "4 needed"});
  scene.request.incumbents = four;
  EXPECT_EQ(search->top(scene.request, 1).size(), 1u);
}

TEST(SearchErrors, AlphaMustBeFiniteAndRoomEnough) {
  Scene scene;
  const auto search = scene.search();
  std::vector<double> little(299);
  expect_error<InvalidOptions>([&] { search->ceilings(scene.request, little); }, {"room", "299 given", "300 needed"});
  scene.request.acquisition.parameter = not_a_number;
  expect_refused_request<InvalidOptions>(scene, *search, {"parameter of the acquisition", "0 or above"});
  scene.request.acquisition = {carbo::Acquisition::random};
  expect_refused_request<InvalidOptions>(scene, *search, {"acquisition that scores"});
  scene.request.acquisition = {carbo::Acquisition::mes_cool};
  expect_refused_request<InvalidOptions>(scene, *search, {"samples of the minimum"});
}

}  // namespace
