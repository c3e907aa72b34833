#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <carbo/carbo.hpp>

#include "support/continuous_space.hpp"
#include "support/expect_error.hpp"
#include "support/sanitized.hpp"
#include "support/toy_problems.hpp"

// Shares of the variance against functions whose shares are known in closed form.
namespace carbo {
namespace {

using namespace test;

/// Tells `count` points of a lattice that fills the cube, each parameter from its unit coordinate.
void tell_lattice(Optimizer& optimizer, std::size_t count, const std::function<double(const Configuration&)>& value) {
  const std::size_t parameters = optimizer.space().parameters().size();
  double root = 2;  // of x^(d+1) = x + 1: the generalised golden ratio
  for (int i = 0; i < 60; ++i) root = std::pow(1 + root, 1.0 / (static_cast<double>(parameters) + 1));
  std::vector<double> unit(parameters), numbers(parameters);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t p = 0; p < parameters; ++p)
      unit[p] = std::fmod(0.5 + static_cast<double>(i) * std::pow(root, -static_cast<double>(p) - 1), 1.0);
    optimizer.space().from_unit(unit, numbers);
    const Configuration point = optimizer.space().configuration(numbers);
    optimizer.tell(point, {value(point), 1.0});
  }
}

Options one_fit() {
  Options options = small_options(100);
  options.surrogate.restarts = 1;
  options.cost.known = 1;
  options.transform = Transform::none;  // shares are those of the transformed objective
  return options;
}

void expect_shares(const Importance& found, const std::vector<double>& first_order, const std::vector<double>& total,
                   double tolerance) {
  ASSERT_EQ(found.parameters.size(), first_order.size());
  for (std::size_t p = 0; p < first_order.size(); ++p) {
    const ParameterImportance& own = found.parameters[p];
    EXPECT_NEAR(own.first_order, first_order[p], tolerance) << own.name;
    EXPECT_NEAR(own.total, total[p], tolerance) << own.name;
    EXPECT_LT(own.first_order_spread, 2 * tolerance) << own.name;
    EXPECT_LT(own.total_spread, 2 * tolerance) << own.name;
  }
}

TEST(Importance, OfIshigamisFunction) {
  constexpr double pi = std::numbers::pi, a = 7, b = 0.1;
  Optimizer optimizer(Space{real("x", -pi, pi), real("y", -pi, pi), real("z", -pi, pi)}, one_fit());
  tell_lattice(optimizer, sanitized ? 80 : 300, [](const Configuration& at) {
    const double x = at.real("x"), y = at.real("y"), z = at.real("z");
    return std::sin(x) + a * std::pow(std::sin(y), 2) + b * std::pow(z, 4) * std::sin(x);
  });
  const double v1 = 0.5 * std::pow(1 + b * std::pow(pi, 4) / 5, 2), v2 = a * a / 8;
  const double v13 = b * b * std::pow(pi, 8) * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  const Importance found = optimizer.importance().value();
  if (sanitized) return;  // too few points to know them by
  expect_shares(found, {v1 / v, v2 / v, 0}, {(v1 + v13) / v, v2 / v, v13 / v}, 0.02);
  EXPECT_NEAR(found.standard_deviation, std::sqrt(v), 0.03 * std::sqrt(v));
}

TEST(Importance, OfSobolsProduct) {
  const std::vector<double> weights{0, 1, 4.5, 9};
  Optimizer optimizer(continuous(4), one_fit());
  tell_lattice(optimizer, sanitized ? 80 : 400, [&](const Configuration& at) {
    double product = 1;
    for (std::size_t p = 0; p < weights.size(); ++p)
      product *= (std::abs(4 * at.numbers()[p] - 2) + weights[p]) / (1 + weights[p]);
    return product;
  });
  std::vector<double> own, first_order, total;
  double variance = 1;
  for (const double weight : weights) own.push_back(1 / (3 * std::pow(1 + weight, 2)));
  for (const double one : own) variance *= 1 + one;
  for (const double one : own) {
    first_order.push_back(one / (variance - 1));
    total.push_back(one / (1 + one) * variance / (variance - 1));
  }
  const Importance found = optimizer.importance().value();
  if (sanitized) return;  // too few points to know them by
  expect_shares(found, first_order, total, 0.04);
}

TEST(Importance, CategoriesAreOneParameterAndScalesCount) {
  const Space space{categorical("c", {"a", "b", "d", "e"}), real("rate", 1e-4, 1e2).log(), integer("k", 1, 5),
                    real("idle", 0, 1)};
  Optimizer optimizer(space, one_fit());
  const double effects[] = {0, 1, 3, -1};
  tell_lattice(optimizer, 150, [&](const Configuration& at) {
    return effects[static_cast<std::size_t>(at.numbers()[0])] + 0.5 * std::log10(at.real("rate")) + at.real("k");
  });
  // Variances: of {0, 1, 3, −1}; of 3 units on a line; of 1 to 5.
  const double c = 2.1875, rate = 9.0 / 12, k = 2, v = c + rate + k;
  expect_shares(optimizer.importance().value(), {c / v, rate / v, k / v, 0}, {c / v, rate / v, k / v, 0}, 0.02);
}

TEST(Importance, OfTheCost) {
  Options options = small_options(100);
  options.cost.known = "exp(2 * x0 + x1)";
  Optimizer knowing(continuous(3), options);
  expect_shares(knowing.importance(Modelled::cost).value(), {0.8, 0.2, 0}, {0.8, 0.2, 0}, 0.005);
  for (const CostModelKind kind : {CostModelKind::log_gp, CostModelKind::linear}) {
    Options learning = small_options(100);
    learning.cost.model = kind;
    learning.cost.surrogate.restarts = 1;
    if (kind == CostModelKind::linear) learning.cost.features = {work("exp(2 * x0 + x1)")};
    Optimizer optimizer(continuous(3), learning);
    for (int i = 0; i < 60; ++i) {
      const std::vector<double> x{std::fmod(0.618 * i, 1), std::fmod(0.414 * i, 1), std::fmod(0.732 * i, 1)};
      optimizer.tell(optimizer.space().configuration(x), {x[2], std::exp(2 * x[0] + x[1])});
    }
    expect_shares(optimizer.importance(Modelled::cost).value(), {0.8, 0.2, 0}, {0.8, 0.2, 0}, 0.03);
  }
}

TEST(Importance, OfAConstantIsNoneAndOfOneParameterAll) {
  Optimizer constant(continuous(2), one_fit());
  tell_lattice(constant, 20, [](const Configuration&) { return 4.25; });
  const Importance none = constant.importance().value();
  EXPECT_EQ(none.standard_deviation, 0);
  for (const ParameterImportance& own : none.parameters) {
    EXPECT_EQ(own.first_order, 0);
    EXPECT_EQ(own.total, 0);
    EXPECT_GT(own.total_spread, 0.1) << "nor does the model know that it is none";
  }
  Optimizer alone(continuous(1), one_fit());
  tell_lattice(alone, 20, [](const Configuration& at) { return std::sin(4 * at.real("x0")); });
  const Importance all = alone.importance().value();
  EXPECT_NEAR(all.parameters[0].first_order, 1, 1e-12);
  EXPECT_NEAR(all.parameters[0].total, 1, 0.01);
}

TEST(Importance, SpreadShrinksWithWhatIsKnown) {
  const auto spread = [](std::size_t told) {
    Optimizer optimizer(continuous(2), one_fit());
    tell_lattice(optimizer, told,
                 [](const Configuration& at) { return std::sin(7 * at.real("x0")) + at.real("x1") * at.real("x1"); });
    return optimizer.importance()->parameters[0].total_spread;
  };
  const double few = spread(3), many = spread(80);
  EXPECT_GT(few, 0.1);
  EXPECT_LT(many, 0.3 * few);
}

TEST(Importance, IsTheSameEveryTimeAndWithAnyNumberOfThreads) {
  const auto shares = [](std::size_t threads) {
    Options options = one_fit();
    options.backend.threads = threads;
    Optimizer optimizer(continuous(2), options);
    tell_lattice(optimizer, 30, [](const Configuration& at) { return at.real("x0") * at.real("x1"); });
    std::vector<double> all;
    for (int i = 0; i < 2; ++i) {
      const Importance found = optimizer.importance(Modelled::objective, {.points = 64, .sequences = 2}).value();
      for (const ParameterImportance& own : found.parameters)
        all.insert(all.end(), {own.first_order, own.total, own.first_order_spread, own.total_spread});
    }
    EXPECT_TRUE(std::equal(all.begin(), all.begin() + 8, all.begin() + 8));
    return all;
  };
  EXPECT_EQ(shares(1), shares(3));
}

TEST(Importance, RefusesOtherNumbersOfPointsAndSequences) {
  Optimizer optimizer(continuous(2), one_fit());
  for (const std::size_t points : {0u, 8u, 100u, 131072u})
    expect_error<InvalidOptions>([&] { optimizer.importance(Modelled::objective, {.points = points}); },
                                 {"points", "power of 2"});
  for (const std::size_t sequences : {0u, 1u, 1025u})
    expect_error<InvalidOptions>([&] { optimizer.importance(Modelled::objective, {.sequences = sequences}); },
                                 {"sequences", "2 to 1,024"});
}

}  // namespace
}  // namespace carbo
