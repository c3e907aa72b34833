#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <carbo/carbo.hpp>

#include "cost/cost_model.hpp"
#include "support/expect_error.hpp"
#include "support/not_finite.hpp"
#include "support/random.hpp"
#include "support/text.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using namespace test;
using enum CostModelKind;

using carbo::test::infinity;
using carbo::test::not_a_number;

void expect_refused(const CostOptions& cost, const std::vector<std::string>& parts, bool with_pool = false) {
  Options options = small_options(100);
  options.cost = cost;
  if (with_pool) options.candidates.pool = grid_pool(valley_space(), 5);
  expect_error<InvalidOptions>([&] { Optimizer(valley_space(), options); }, parts);
}

TEST(CostOptions, ContradictionsAreNamed) {
  expect_refused({.model = linear}, {"cost.model is linear", "cost.features is empty"});
  expect_refused({.model = linear_mean_gp}, {"cost.model is linear_mean_gp", "cost.features is empty"});
  expect_refused({.model = known}, {"cost.model is known", "cost.known is not given"});
  expect_refused({.model = linear, .features = {work("x")}, .known = "x"}, {"cost.known", "linear", "known_part"});
  expect_refused({.model = log_gp, .known = "1 + x"}, {"cost.known", "log_gp"});
  expect_refused({.known = "1 + x", .known_part = "1 + y"}, {"cost.known", "cost.known_part", "both"});
}

TEST(CostOptions, ColumnsMustFitThePool) {
  const auto column = [](std::vector<double> values) { return Quantity::pool_column(std::move(values)); };
  const std::vector<double> right(25, 1.0);
  std::vector<double> holes = right;
  holes[7] = not_a_number;
  expect_refused({.known = column(right)}, {"cost.known", "candidates.pool"});
  expect_refused({.known = column({1, 2, 3})}, {"cost.known", "3 values", "25 rows"}, true);
  expect_refused({.known_part = column(holes)}, {"cost.known_part", "NaN", "row 7"}, true);
  holes[7] = infinity;
  expect_refused({.model = linear, .features = {feature("x"), work("flops", column(holes))}},
                 {"cost.features[1] 'flops'", "inf", "row 7"}, true);
  expect_refused({.features = mlp_features({.layers = {column({1.0}), "x"}})}, {"layers[0]", "1 values", "25 rows"},
                 true);
}

TEST(CostOptions, ErrorsInTextSayWhere) {
  expect_refused({.known = "1 + q"}, {"cost.known", "column 5", "q"});
  expect_refused({.known_part = "(x + y"}, {"cost.known_part", "column 1"});
  expect_refused({.model = linear, .features = {work("x"), work("x * * y")}}, {"cost.features[1]", "column 5"});
  expect_refused({.features = {feature("system(1)")}}, {"cost.features[0]", "column 1", "system"});
}

/// A study in which one feature (or known cost) has a bad value at one row of the pool until it is mended.
struct Patient {
  bool ill = true;
  double bad = not_a_number;

  double operator()(const Configuration& c) const {
    const bool here = std::abs(c.real("x") - 0.474) < 1e-9 && std::abs(c.real("y") - 0.522) < 1e-9;
    return ill && here ? bad : 1.0 + c.real("x");
  }
};

TEST(CostOptions, AValueThatIsNoneIsNamedAndTheStudyGoesOnOnceItIsMended) {
  struct Case {
    double bad;
    bool part, known_cost;
    std::string right;
  };
  const std::vector<Case> cases{{not_a_number, false, false, "finite"}, {infinity, false, false, "finite"},
                                {-1.0, false, false, "0 or above"},     {not_a_number, true, false, "finite"},
                                {0.0, true, false, "above 0"},          {-2.0, false, true, "above 0"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.bad);
    Patient patient{true, one.bad};
    const auto value = [&patient](const Configuration& c) { return patient(c); };
    Options options = small_options(1000);
    options.candidates.pool = grid_pool(valley_space(), 5);
    options.initial_design = InitialDesign::uniform;
    options.cost = {.model = linear, .features = {feature("x"), work("flops", value)}};
    if (one.part) options.cost = {.model = log_gp, .known_part = value};
    if (one.known_cost) options.cost = {.known = value};
    Optimizer optimizer(valley_space(), options);
    for (std::size_t row = 0; row < 6; ++row) {
      const Configuration c = optimizer.space().configuration(options.candidates.pool->row(row));
      optimizer.tell(c, valley(c));
    }
    std::string field = one.part ? "cost.known_part" : "cost.features[1] 'flops'";
    if (one.known_cost) field = "cost.known";
    const std::vector<std::string> parts{field, "x=0.474", "y=0.522", one.right};
    expect_error<InvalidOptions>([&] { optimizer.ask(1); }, parts);
    expect_error<InvalidOptions>([&] { optimizer.rank(2); }, parts);
    EXPECT_TRUE(optimizer.pending().empty());
    const Configuration more = optimizer.space().configuration(options.candidates.pool->row(7));
    optimizer.tell(more, valley(more));
    EXPECT_EQ(optimizer.observations().size(), 7u);
    EXPECT_EQ(optimizer.stop_reason(), StopReason::running);
    patient.ill = false;
    Optimizer healthy(valley_space(), options);
    for (const Observation& seen : optimizer.observations()) {
      healthy.tell(seen.configuration, {seen.objective, seen.cost});
    }
    const auto found = optimizer.ask(2), expected = healthy.ask(2);
    ASSERT_EQ(found.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(found[i].configuration, expected[i].configuration);
    }
  }
}

TEST(CostOptions, AnObservationWithoutAValueIsKeptAndNamed) {
  Patient patient{true, not_a_number};
  Options options = small_options(1000);
  options.candidates.pool = grid_pool(valley_space(), 4);  // the row of the bad value is not in it
  options.cost = {.model = linear, .features = {work("flops", [&](const Configuration& c) { return patient(c); })}};
  Optimizer optimizer(valley_space(), options);
  const Configuration c = optimizer.space().configuration(std::vector<double>{0.474, 0.522});
  optimizer.tell(c, valley(c));
  expect_error<InvalidOptions>([&] { optimizer.ask(1); }, {"cost.features[0] 'flops'", "x=0.474", "finite"});
  EXPECT_EQ(optimizer.observations().size(), 1u);
  patient.ill = false;
  EXPECT_EQ(optimizer.ask(1).size(), 1u);
}

/// Models by themselves, on points of a cube.
class CostExtremes : public ::testing::Test {
 protected:
  struct Told {
    std::vector<double> point;
    double cost;
  };
  std::unique_ptr<internal::CostModel> learned(const Space& space, const CostOptions& options,
                                               const std::vector<Told>& told) {
    auto model = internal::make_cost_model(space, options, *backend_);
    std::vector<internal::CostObservation> observations;
    for (const Told& one : told) observations.push_back({{one.point, one.point}, one.cost, false});
    const auto problems = model->prepare(observations);
    model->update(internal::fit(*backend_, problems, 1));
    return model;
  }
  static std::vector<CostOptions> every_model(const std::vector<CostFeature>& features) {
    std::vector<CostOptions> all;
    for (const CostModelKind kind : {log_gp, linear, linear_mean_gp, automatic}) {
      for (const CostError error : {CostError::relative, CostError::absolute}) {
        all.push_back({.model = kind, .features = features, .error = error});
        all.push_back({.model = kind, .features = features, .error = error, .known_part = 3, .robust = true});
      }
    }
    return all;
  }
  /// Finite logarithms within `room` nats of the costs told, with finite spread, at corners and inside.
  static void expect_defined(const internal::CostModel& model, const std::vector<Told>& told, double room) {
    double low = infinity, high = -infinity;
    for (const Told& one : told) {
      low = std::min(low, std::log(one.cost));
      high = std::max(high, std::log(one.cost));
    }
    std::vector<double> at(told[0].point.size());
    for (std::size_t i = 0; i < 64; ++i) {
      for (std::size_t c = 0; c < at.size(); ++c) {
        const double u = internal::uniform(9, internal::Draw::random_pick, i, static_cast<std::uint32_t>(c));
        at[c] = i < 32 ? std::round(u) : u;
      }
      const internal::LogCost cost = model.predict({at, at});
      EXPECT_TRUE(cost.mean > low - room && cost.mean < high + room) << cost.mean;
      EXPECT_TRUE(std::isfinite(cost.variance) && cost.variance >= 0) << cost.variance;
      EXPECT_TRUE(std::isfinite(std::exp(cost.mean)) && std::exp(cost.mean) > 0);
    }
  }

  std::unique_ptr<internal::Backend> backend_ = internal::make_backend({.kind = BackendKind::cpu, .threads = 1});
};

TEST_F(CostExtremes, TwentyFourDecades) {
  std::vector<Told> told;
  for (int i = 0; i <= 24; ++i) {
    told.push_back({{i / 24.0, internal::uniform(1, internal::Draw::restart, i)}, std::pow(10.0, i - 12)});
  }
  for (const CostOptions& options : every_model({work("exp(50 * x)"), feature("y")})) {
    // Features that span 22 decades may be wrong by as many, but no more.
    expect_defined(*learned(valley_space(), options, told), told, 60.0);
  }
}

TEST_F(CostExtremes, EqualCostsOneObservationAndCopiesOfOnePoint) {
  for (const std::size_t count : {1u, 2u, 5u, 12u}) {
    std::vector<Told> told, copies;
    for (std::size_t i = 0; i < count; ++i) {
      told.push_back({{0.05 * static_cast<double>(i), 0.9 - 0.07 * static_cast<double>(i)}, 42.0});
      copies.push_back({{0.3, 0.6}, 42.0 * std::exp(0.1 * static_cast<double>(i % 3))});
    }
    for (const CostOptions& options : every_model({work("x * y"), feature("y")})) {
      const auto equal = learned(valley_space(), options, told);
      // A constant explains all; where coefficients outnumber costs, features share what there is.
      expect_defined(*equal, told, count < 3 ? 3.0 : 1e-6);
      const auto one_place = learned(valley_space(), options, copies);
      expect_defined(*one_place, copies, 5.0);
      const double here = one_place->predict({copies[0].point, copies[0].point}).mean;
      EXPECT_TRUE(here > std::log(42.0) - 1e-3 && here < std::log(42.0) + 0.2 + 1e-3) << here;
    }
  }
}

TEST_F(CostExtremes, AHundredFeaturesAndTwentyObservations) {
  std::vector<Parameter> parameters;
  std::vector<CostFeature> features;
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string name = internal::text("p", i);
    parameters.push_back(real(name, 0, 1));
    features.push_back(i % 2 == 0 ? work(name) : feature(name));
  }
  const Space space(parameters);
  std::vector<Told> told(20);
  for (std::size_t i = 0; i < told.size(); ++i) {
    for (std::uint32_t c = 0; c < 100; ++c) {
      told[i].point.push_back(internal::uniform(2, internal::Draw::restart, i, c));
    }
    told[i].cost = 1 + 10 * told[i].point[4];
  }
  for (const CostOptions& options : every_model(features)) {
    if (options.robust && options.error == CostError::absolute) continue;  // covered above; each takes a while
    expect_defined(*learned(space, options, told), told, 12.0);
  }
}

TEST_F(CostExtremes, AKnownPartThatIsTheCostLeavesNothingToLearn) {
  const auto part = [](double x, double y) { return 0.1 + 5 * x * x + std::exp(3 * y); };
  std::vector<Told> told;
  for (int i = 0; i < 10; ++i) {
    const double x = 0.3 * internal::uniform(4, internal::Draw::restart, i), y = 0.03 * i;
    told.push_back({{x, y}, 7 * part(x, y)});
  }
  for (CostOptions options : every_model({work("x * y"), feature("y")})) {
    options.known_part = "0.1 + 5 * x^2 + exp(3 * y)";
    const auto model = learned(valley_space(), options, told);
    for (const double far : {0.5, 0.8, 1.0}) {
      const std::vector<double> at{far, far};
      EXPECT_NEAR(model->predict({at, at}).mean, std::log(7 * part(far, far)), 1e-6);
    }
  }
}

TEST_F(CostExtremes, AKnownPartIsTheSameAsTellingWhatItLeaves) {
  std::vector<Told> whole, rest;
  for (int i = 0; i < 14; ++i) {
    const double x = internal::uniform(5, internal::Draw::restart, i, 0);
    const double y = internal::uniform(5, internal::Draw::restart, i, 1);
    const double left = (1 + 4 * x * y) * std::exp(0.5 * std::sin(6 * x));
    whole.push_back({{x, y}, (1 + 30 * x) * left});
    rest.push_back({{x, y}, left});
  }
  for (CostOptions options : every_model({work("x * y"), feature("y")})) {
    options.known_part.reset();
    const auto without = learned(valley_space(), options, rest);
    options.known_part = "1 + 30 * x";
    const auto with = learned(valley_space(), options, whole);
    EXPECT_EQ(with->kind(), without->kind());
    for (const double x : {0.0, 0.35, 0.7, 1.0}) {
      const std::vector<double> at{x, 0.8 - 0.5 * x};
      // The logarithms that the fits see differ by rounding, which their stop rule may amplify to 1e-6.
      EXPECT_NEAR(with->predict({at, at}).mean, without->predict({at, at}).mean + std::log(1 + 30 * x), 1e-5);
      EXPECT_NEAR(with->predict({at, at}).variance, without->predict({at, at}).variance, 1e-5);
    }
  }
}

}  // namespace
}  // namespace carbo
