#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "gp/bounded_minimizer.hpp"

namespace carbo::internal {
namespace {

using Vector = std::vector<double>;
/// Returns the value and fills the gradient.
using Function = std::function<double(std::span<const double>, Vector&)>;

BoundedMinimizer run(BoundedMinimizer minimizer, const Function& function) {
  Vector gradient(minimizer.point().size());
  while (!minimizer.done()) {
    const double value = function(minimizer.point(), gradient);
    minimizer.tell(value, gradient);
  }
  return minimizer;
}

double rosenbrock(std::span<const double> x, Vector& gradient) {
  double value = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double valley = x[i + 1] - x[i] * x[i];
    const double slope = 1 - x[i];
    value += 100 * valley * valley + slope * slope;
    gradient[i] += -400 * x[i] * valley - 2 * slope;
    gradient[i + 1] += 200 * valley;
  }
  return value;
}

const MinimizerSettings tight{.max_evaluations = 500, .gradient_tolerance = 1e-9, .decrease_tolerance = 1e-15};

TEST(BoundedMinimizer, FindsTheFreeMinimumOfRosenbrock) {
  for (const std::size_t size : {2u, 5u, 20u}) {
    const Vector start(size, -1.2), lower(size, -5.0), upper(size, 5.0);
    const auto result = run(BoundedMinimizer(start, lower, upper, tight), rosenbrock);
    // From −1.2 in every coordinate the descent path leads to the global minimum or, from five dimensions on,
    // to the one other minimum near (−1, 1, …, 1), whose value lies below 4.
    EXPECT_LT(result.best_value(), size == 2 ? 1e-12 : 4.0);
    Vector gradient(size);
    rosenbrock(result.best_point(), gradient);
    for (const double g : gradient) EXPECT_NEAR(g, 0.0, 1e-4);
    EXPECT_LT(result.evaluations(), 60 + 20 * size);
  }
}

TEST(BoundedMinimizer, StopsOnActiveBounds) {
  // With x₀ ≤ 1/2 the minimum is at x₀ = 1/2, x₁ = x₀² = 1/4: value (1 − 1/2)² = 1/4.
  const auto result =
      run(BoundedMinimizer(Vector{-1.2, 1.0}, Vector{-2.0, -2.0}, Vector{0.5, 2.0}, tight), rosenbrock);
  EXPECT_NEAR(result.best_point()[0], 0.5, 1e-12);
  EXPECT_NEAR(result.best_point()[1], 0.25, 1e-8);
  EXPECT_NEAR(result.best_value(), 0.25, 1e-12);
  // x₁ ≥ 3/2 as well as x₀ free: minimise 100 (3/2 − x²)² + (1 − x)²; its root near √1.5 by bisection below.
  const auto second = run(BoundedMinimizer(Vector{0.5, 2.0}, Vector{-2.0, 1.5}, Vector{2.0, 2.0}, tight), rosenbrock);
  double low = 1.0, high = 1.5;
  for (int i = 0; i < 100; ++i) {
    const double x = 0.5 * (low + high);
    (-400 * x * (1.5 - x * x) - 2 * (1 - x) > 0 ? high : low) = x;
  }
  EXPECT_NEAR(second.best_point()[0], low, 1e-7);
  EXPECT_EQ(second.best_point()[1], 1.5);
}

TEST(BoundedMinimizer, SolvesQuadraticsInABoxToTheOptimalityConditions) {
  // Strictly convex and ill-conditioned (spread 1e4), so the conditions below identify the only minimum.
  const std::size_t size = 12;
  Eigen::MatrixXd basis(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) basis(i, j) = std::sin(1.0 + 7.0 * i + 3.0 * j * (i + 1));
  }
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(basis).householderQ();
  Eigen::VectorXd spectrum(size), centre(size);
  for (std::size_t i = 0; i < size; ++i) {
    spectrum[i] = std::pow(10.0, 4.0 * i / (size - 1));
    centre[i] = 2.0 * std::cos(5.0 * i);
  }
  const Eigen::MatrixXd a = q * spectrum.asDiagonal() * q.transpose();
  const Function quadratic = [&](std::span<const double> x, Vector& gradient) {
    const Eigen::VectorXd offset = Eigen::Map<const Eigen::VectorXd>(x.data(), size) - centre;
    const Eigen::VectorXd slope = a * offset;
    std::copy(slope.begin(), slope.end(), gradient.begin());
    return 0.5 * offset.dot(slope);
  };
  const Vector start(size, 0.3), lower(size, -1.0), upper(size, 1.0);
  const auto result = run(BoundedMinimizer(start, lower, upper, tight), quadratic);
  Vector gradient(size);
  quadratic(result.best_point(), gradient);
  // A step that would lower the value by less than 1e-15 of it ends the run: |g| ≤ √(2 · 1e-15 · value · λ_max).
  const double allowed = std::sqrt(2e-15 * result.best_value() * 1e4);
  for (std::size_t i = 0; i < size; ++i) {
    const double x = result.best_point()[i];
    if (x == lower[i]) {
      EXPECT_GE(gradient[i], 0.0);
    } else if (x == upper[i]) {
      EXPECT_LE(gradient[i], 0.0);
    } else {
      EXPECT_NEAR(gradient[i], 0.0, allowed);
    }
  }
  // Given the Hessian, one model step with its bounds is the solution: start, step, and at most a few corrections
  // of the active set.
  const auto informed = run(BoundedMinimizer(start, lower, upper, tight, a), quadratic);
  EXPECT_NEAR(informed.best_value(), result.best_value(), 1e-8 * std::abs(result.best_value()));
  EXPECT_LE(informed.evaluations(), 12u);
}

TEST(BoundedMinimizer, StepsBackFromFailedEvaluations) {
  // log is undefined at and below 0: the first step from 3 lands there. The minimum of x − log x is at 1.
  const Function barrier = [](std::span<const double> x, Vector& gradient) {
    gradient[0] = 1 - 1 / x[0];
    return x[0] - std::log(x[0]);
  };
  MinimizerSettings settings = tight;
  settings.first_step = 10;
  settings.largest_step = 10;
  const auto result = run(BoundedMinimizer(Vector{3.0}, Vector{-20.0}, Vector{20.0}, settings), barrier);
  EXPECT_NEAR(result.best_point()[0], 1.0, 1e-7);
  // A cliff of −inf log likelihood, told as +inf.
  const Function cliff = [](std::span<const double> x, Vector& gradient) {
    gradient[0] = -1;
    return x[0] > 0.7 ? std::numeric_limits<double>::infinity() : -x[0];
  };
  const auto edge = run(BoundedMinimizer(Vector{0.0}, Vector{-1.0}, Vector{1.0}), cliff);
  EXPECT_LE(edge.best_point()[0], 0.7);
  EXPECT_GT(edge.best_point()[0], 0.6);
}

TEST(BoundedMinimizer, EndsAtOnceWhereTheStartFails) {
  BoundedMinimizer minimizer(Vector{0.0}, Vector{-1.0}, Vector{1.0});
  minimizer.tell(std::numeric_limits<double>::quiet_NaN(), Vector{0.0});
  EXPECT_TRUE(minimizer.done());
  EXPECT_EQ(minimizer.best_value(), std::numeric_limits<double>::infinity());
}

TEST(BoundedMinimizer, ClampsItsStartAndStaysInsideTheBox) {
  const Vector lower{0.5, -1.0, 0.0}, upper{2.0, 0.25, 0.0};
  BoundedMinimizer minimizer(Vector{-9.0, 9.0, 3.0}, lower, upper, tight);
  Vector gradient(3);
  while (!minimizer.done()) {
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_GE(minimizer.point()[i], lower[i]);
      ASSERT_LE(minimizer.point()[i], upper[i]);
    }
    minimizer.tell(rosenbrock(minimizer.point(), gradient), gradient);
  }
  EXPECT_EQ(minimizer.best_point()[2], 0.0);
}

TEST(BoundedMinimizer, KeepsItsEvaluationLimit) {
  MinimizerSettings settings = tight;
  for (const std::size_t limit : {1u, 2u, 7u}) {
    settings.max_evaluations = limit;
    const auto result = run(BoundedMinimizer(Vector(6, -1.2), Vector(6, -5.0), Vector(6, 5.0), settings), rosenbrock);
    EXPECT_EQ(result.evaluations(), limit);
  }
}

TEST(BoundedMinimizer, RefusesCrossedOrInfiniteBounds) {
  EXPECT_THROW(BoundedMinimizer(Vector{0.0}, Vector{1.0}, Vector{-1.0}), std::invalid_argument);
  EXPECT_THROW(BoundedMinimizer(Vector{0.0}, Vector{-1.0}, Vector{INFINITY}), std::invalid_argument);
  EXPECT_THROW(BoundedMinimizer(Vector{0.0, 1.0}, Vector{-1.0}, Vector{1.0}), std::invalid_argument);
}

TEST(BoundedMinimizer, CrossesSaddlesOfNonConvexFunctions) {
  // −x² + x⁴ + y²: a ridge at x = 0, minima at x = ±1/√2 with value −1/4.
  const Function saddle = [](std::span<const double> x, Vector& gradient) {
    gradient[0] = -2 * x[0] + 4 * std::pow(x[0], 3);
    gradient[1] = 2 * x[1];
    return -x[0] * x[0] + std::pow(x[0], 4) + x[1] * x[1];
  };
  const auto result = run(BoundedMinimizer(Vector{1e-3, 2.0}, Vector{-3.0, -3.0}, Vector{3.0, 3.0}, tight), saddle);
  EXPECT_NEAR(result.best_value(), -0.25, 1e-12);
}

}  // namespace
}  // namespace carbo::internal
