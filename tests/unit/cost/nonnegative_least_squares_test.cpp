#include "cost/nonnegative_least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <carbo/error.hpp>

#include "support/random.hpp"

namespace carbo::internal {
namespace {

struct Quadratic {
  Eigen::MatrixXd hessian;
  Eigen::VectorXd descent;
  Eigen::VectorXd point;
  std::vector<std::uint8_t> nonnegative;

  double value(const Eigen::VectorXd& step) const { return 0.5 * step.dot(hessian * step) - descent.dot(step); }
  Eigen::VectorXd solve() const { return nonnegative_step(hessian, descent, point, nonnegative); }
};

/// `share_bounded` of the entries bounded; about half of those start at their bound.
Quadratic random_quadratic(Eigen::Index size, double share_bounded, std::uint64_t seed) {
  Eigen::MatrixXd rows(size + 3, size);
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    rows.data()[i] = normal(seed, Draw::fantasy, static_cast<std::uint64_t>(i));
  }
  rows.colwise().normalize();
  Quadratic problem;
  problem.hessian = rows.transpose() * rows;
  problem.hessian.diagonal().array() += 1e-10;
  problem.descent.resize(size);
  problem.point.resize(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const bool bounded = uniform(seed, Draw::restart, index) < share_bounded;
    problem.nonnegative.push_back(bounded ? 1 : 0);
    problem.descent[i] = normal(seed, Draw::random_pick, index);
    const double start = normal(seed, Draw::hyperparameter_sample, index);
    problem.point[i] = bounded && start < 0 ? 0.0 : start;
  }
  return problem;
}

/// Lowest value over all sets of entries held at their bound: 2^p linear systems.
double lowest_by_enumeration(const Quadratic& problem) {
  const Eigen::Index size = problem.point.size();
  double lowest = std::numeric_limits<double>::infinity();
  for (unsigned held = 0; held < (1u << size); ++held) {
    Eigen::MatrixXd system = problem.hessian;
    Eigen::VectorXd target = problem.descent;
    bool possible = true;
    for (Eigen::Index i = 0; i < size; ++i) {
      if (!(held >> i & 1u)) continue;
      possible = possible && problem.nonnegative[static_cast<std::size_t>(i)];
      system.row(i).setZero();
      system(i, i) = 1;
      target[i] = -problem.point[i];
    }
    if (!possible) continue;
    const Eigen::VectorXd step = system.fullPivLu().solve(target);
    for (Eigen::Index i = 0; i < size; ++i) {
      const double end = problem.point[i] + step[i];
      possible = possible && (!problem.nonnegative[static_cast<std::size_t>(i)] || end >= -1e-9);
    }
    if (possible) lowest = std::min(lowest, problem.value(step));
  }
  return lowest;
}

TEST(NonnegativeStep, IsTheLowestOfAllActiveSets) {
  for (const Eigen::Index size : {1, 2, 3, 5, 7}) {
    for (const double share : {0.0, 0.5, 1.0}) {
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Quadratic problem = random_quadratic(size, share, seed);
        const double expected = lowest_by_enumeration(problem);
        // Three more rows than columns keep the condition below about 1e4: rounding 1e-12, with room.
        EXPECT_NEAR(problem.value(problem.solve()), expected, 1e-9 * (1 + std::abs(expected)))
            << "size " << size << ", share " << share << ", seed " << seed;
      }
    }
  }
}

TEST(NonnegativeStep, MeetsTheOptimalityConditions) {
  for (const Eigen::Index size : {20, 100}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Quadratic problem = random_quadratic(size, 0.8, seed);
      const Eigen::VectorXd step = problem.solve();
      const Eigen::VectorXd gradient = problem.hessian * step - problem.descent;
      const double rounding = 1e-11 * (1 + step.cwiseAbs().maxCoeff());
      for (Eigen::Index i = 0; i < size; ++i) {
        const double end = problem.point[i] + step[i];
        const bool bounded = problem.nonnegative[static_cast<std::size_t>(i)];
        EXPECT_TRUE(!bounded || end >= 0) << i << ": " << end;
        if (bounded && end == 0) {
          EXPECT_GE(gradient[i], -rounding) << i;
        } else {
          EXPECT_NEAR(gradient[i], 0, rounding) << i;
        }
      }
    }
  }
}

TEST(NonnegativeStep, StaysAtTheSolution) {
  Quadratic problem = random_quadratic(8, 0.7, 4);
  const Eigen::VectorXd first = problem.solve();
  problem.descent -= problem.hessian * first;
  problem.point = (problem.point + first).eval();
  EXPECT_LE(problem.solve().cwiseAbs().maxCoeff(), 1e-9 * first.cwiseAbs().maxCoeff());
}

TEST(NonnegativeStep, EqualColumnsGetEqualEntries) {
  Quadratic problem;
  problem.hessian = Eigen::MatrixXd::Ones(3, 3);
  problem.hessian.diagonal().array() += 1e-10;
  problem.descent = Eigen::VectorXd::Ones(3);
  problem.point = Eigen::VectorXd::Zero(3);
  problem.nonnegative = {1, 1, 1};
  const Eigen::VectorXd step = problem.solve();
  // The ridge of 1e-10 decides how a sum of 1 is shared: rounding of 1e-16 over it.
  for (const double entry : step) EXPECT_NEAR(entry, 1.0 / 3.0, 1e-5);
  EXPECT_NEAR(step.sum(), 1.0, 1e-9);
}

TEST(NonnegativeStep, WithoutEntriesIsEmpty) {
  EXPECT_EQ(nonnegative_step(Eigen::MatrixXd(0, 0), Eigen::VectorXd(0), Eigen::VectorXd(0), {}).size(), 0);
}

TEST(NonnegativeStep, SaysWhereTheMatrixIsNotPositiveDefinite) {
  Quadratic problem = random_quadratic(3, 0.0, 1);
  problem.hessian(1, 1) = -1;
  EXPECT_THROW(problem.solve(), NumericalError);
}

}  // namespace
}  // namespace carbo::internal
