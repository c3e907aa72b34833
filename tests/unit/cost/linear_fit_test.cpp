#include "cost/linear_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/huber_reference.hpp"
#include "linear_fit_cases.hpp"

namespace carbo::internal {
namespace {

LinearCase from_reference(const huber_reference::HuberReference& reference, CostError error, bool work) {
  LinearCase data = empty_case(reference.columns, work, error);
  data.features.assign(reference.features, reference.features + reference.rows * reference.columns);
  data.costs.assign(reference.costs, reference.costs + reference.rows);
  data.censored.assign(reference.rows, 0);
  data.threshold = huber_reference::threshold;
  data.scale = reference.scale;
  return data;
}

void expect_reference(const huber_reference::HuberReference& reference, const LinearFit& fit, double tolerance) {
  for (std::size_t j = 0; j <= reference.columns; ++j) {
    const double ours = j < reference.columns ? fit.coefficients[j] : fit.intercept;
    EXPECT_NEAR(ours, reference.coefficients[j], tolerance * std::abs(reference.coefficients[j])) << j;
  }
}

TEST(LinearFit, AgreesWithScikitLearn) {
  // Its L-BFGS stops at a gradient near 1e-6 at best; the coefficients follow to about that.
  for (const auto& reference : {huber_reference::plain, huber_reference::outliers}) {
    const LinearFit fit = from_reference(reference, CostError::absolute, false).fit();
    expect_reference(reference, fit, 1e-5);
    EXPECT_EQ(fit.scale, reference.scale);
  }
}

TEST(LinearFit, RelativeErrorAgreesWithScipy) {
  // least_squares stops where its steps no longer lower the sum: √ε of the coefficients.
  expect_reference(huber_reference::bounded,
                   from_reference(huber_reference::bounded, CostError::relative, true).fit(), 1e-7);
  expect_reference(huber_reference::unbounded,
                   from_reference(huber_reference::unbounded, CostError::relative, false).fit(), 1e-7);
}

/// The intercept is the coefficient after the last.
LinearFit with_moved_coefficient(const LinearFit& fit, std::size_t j, double by) {
  LinearFit moved = fit;
  (j < moved.coefficients.size() ? moved.coefficients[j] : moved.intercept) += by;
  return moved;
}

void expect_optimal(const LinearCase& data) {
  const LinearFit fit = data.fit();
  for (std::size_t j = 0; j <= data.columns; ++j) {
    const double coefficient = j < data.columns ? fit.coefficients[j] : fit.intercept;
    const bool bounded = j < data.columns ? data.work[j] != 0
                                          : std::all_of(data.work.begin(), data.work.end(), [](auto w) { return w; });
    const double step = j < data.columns ? 1e-5 : 1e-4;
    const double here = huber_objective(data, fit);
    const double above = huber_objective(data, with_moved_coefficient(fit, j, step));
    // A minimum is lower than both sides, up to the rounding of the objective.
    const double rounding = 1e-13 * (1 + here);
    EXPECT_LE(here, above + rounding) << "coefficient " << j;
    if (bounded && coefficient == 0) continue;
    EXPECT_TRUE(!bounded || coefficient > 0) << "coefficient " << j << " is " << coefficient;
    if (bounded && coefficient < step) continue;
    const double below = huber_objective(data, with_moved_coefficient(fit, j, -step));
    EXPECT_LE(here, below + rounding) << "coefficient " << j;
    // Central difference: the slope is 0 up to the change of curvature at the kinks of the loss.
    const double curvature = (above + below - 2 * here) / (step * step);
    EXPECT_NEAR((above - below) / (2 * step), 0, 0.05 * std::abs(curvature) * step + rounding / step)
        << "coefficient " << j;
  }
}

TEST(LinearFit, IsAConstrainedMinimumOfItsLoss) {
  for (const CostError error : {CostError::relative, CostError::absolute}) {
    for (const bool work : {false, true}) {
      for (std::uint64_t seed = 0; seed < 25; ++seed) {
        LinearCase data = random_case(12 + 3 * seed, 1 + seed % 5, work, 0.2, seed);
        data.error = error;
        // Costs that fall with a feature, so that its bound holds; two outliers; some costs cut off.
        for (std::size_t i = 0; i < data.rows(); ++i) data.costs[i] /= 1 + 0.5 * data.row(i)[0];
        data.costs[1] *= 100;
        data.costs[2] /= 100;
        for (std::size_t i = 5; i < data.rows(); i += 7) data.censored[i] = 1;
        SCOPED_TRACE(testing::Message() << "relative " << (error == CostError::relative) << ", work " << work
                                        << ", seed " << seed);
        expect_optimal(data);
      }
    }
  }
}

TEST(LinearFit, ScaleSolvesProposal2) {
  for (const CostError error : {CostError::relative, CostError::absolute}) {
    LinearCase data = random_case(60, 2, false, 0.1, 11);
    data.error = error;
    const LinearFit fit = data.fit();
    double sum = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const double predicted = predicted_cost(fit, data.row(i));
      const double residual =
          error == CostError::relative ? std::log(data.costs[i] / predicted) : data.costs[i] - predicted;
      sum += std::min(std::pow(residual / fit.scale, 2), 1.345 * 1.345);
    }
    // E[min(x², 1.345²)] = 0.71016 for a standard normal x; three coefficients.
    EXPECT_NEAR(sum / (57 * 0.71016), 1.0, 2e-5);
  }
}

TEST(LinearFit, CovarianceIsThatOfLeastSquares) {
  // Nothing beyond the threshold: the weights are 1, and coefficients of a line have a closed form.
  LinearCase data = random_case(40, 1, false, 0.02, 9);
  data.error = CostError::absolute;
  data.threshold = 50;
  const LinearFit fit = data.fit();
  double mean = 0, squares = 0;
  for (const double x : data.features) mean += x / 40.0;
  for (const double x : data.features) squares += (x - mean) * (x - mean);
  // The bound on undetermined coefficients adds (spread / median cost)² / n to a precision of 1: 1e-5 here.
  EXPECT_NEAR(fit.covariance[0] * squares, 1.0, 1e-4);
  EXPECT_NEAR(fit.covariance[1] / (-mean / squares), 1.0, 1e-4);
  EXPECT_EQ(fit.covariance[1], fit.covariance[2]);
  EXPECT_NEAR(fit.covariance[3] / (1.0 / 40.0 + mean * mean / squares), 1.0, 1e-4);
}

TEST(LinearFit, RelativeCovarianceIsInUnitsOfCost) {
  // A constant cost of about c: its logarithm has variance spread² / n, so it has spread²·c² / n itself.
  LinearCase data = random_case(40, 0, false, 0.02, 9);
  data.threshold = 50;
  const LinearFit fit = data.fit();
  // As above, with spread² / n = 1e-5.
  EXPECT_NEAR(fit.covariance[0] * 40 / (fit.intercept * fit.intercept), 1.0, 1e-4);
}

TEST(LinearFit, LeftOutResidualsMatchRefits) {
  for (const CostError error : {CostError::relative, CostError::absolute}) {
    for (const std::size_t rows : {20, 100}) {
      LinearCase data = random_case(rows, 2, false, 0.1, 3);
      data.error = error;
      data.costs[4] *= 50;
      const LinearFit whole = data.fit();
      data.scale = whole.scale;
      for (std::size_t i = 0; i < data.rows(); ++i) {
        const LinearFit rest = data.without(i).fit();
        const double predicted = predicted_cost(rest, data.row(i));
        const double residual =
            error == CostError::relative ? std::log(data.costs[i] / predicted) : data.costs[i] - predicted;
        // Exact for least squares. Here a refit also moves other rows across the cut, and slopes change with the
        // prediction: a tenth of a scale bounds both at these sizes.
        EXPECT_NEAR(whole.left_out[i], residual, 0.1 * whole.scale) << "row " << i << " of " << rows;
      }
    }
  }
}

}  // namespace
}  // namespace carbo::internal
