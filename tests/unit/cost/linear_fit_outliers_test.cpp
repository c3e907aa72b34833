#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "linear_fit_cases.hpp"

namespace carbo::internal {
namespace {

TEST(LinearFitOutliers, ExactCostsAreFoundDespiteOutliers) {
  LinearCase data = random_case(20, 2, true, 0.0, 6);
  data.costs[3] *= 1000;
  data.costs[9] /= 1000;
  const LinearFit fit = sane_fit(data);
  // The loss is cut at 1e-6: each outlier pulls with no more than that.
  EXPECT_NEAR(fit.coefficients[0], 1.0, 1e-5);
  EXPECT_NEAR(fit.coefficients[1], 2.0, 1e-5);
  EXPECT_NEAR(fit.intercept, 3.0, 1e-4);
}

/// Largest change of the other rows' predictions, in log cost, where cost `row` is multiplied by `factor`.
double shift_by_outlier(const LinearCase& data, std::size_t row, double factor) {
  LinearCase hit = data;
  hit.costs[row] *= factor;
  return largest_log_ratio(data.fit(), sane_fit(hit), data.without(row));
}

TEST(LinearFitOutliers, OneOutlierOfAThousandTimesMovesPredictionsLittle) {
  for (const CostError error : cost_errors) {
    for (const bool work : {true, false}) {
      std::vector<double> shifts;
      for (std::size_t row = 0; row < 30; ++row) {
        LinearCase data = random_case(30, 1, work, 0.05, 17);
        data.error = error;
        for (const double factor : {1000.0, 0.001}) shifts.push_back(shift_by_outlier(data, row, factor));
      }
      // An outlier pulls as 1.345 scales do: with a leverage of 4/30 at most it moves its own place by 0.2 scales,
      // the scale grows by a tenth, and weights change. 0.1 is two scales in log cost.
      EXPECT_LE(*std::max_element(shifts.begin(), shifts.end()), 0.1) << "work " << work;
    }
  }
}

TEST(LinearFitOutliers, OneOutlierAmongFiveIsNotTakenForTheScale) {
  for (const CostError error : cost_errors) {
    for (const bool work : {true, false}) {
      for (const double factor : {1000.0, 0.001}) {
        LinearCase data = empty_case(1, work, error);
        const double noise[] = {0.02, -0.03, 0.0, 0.03, -0.02};
        for (std::size_t i = 0; i < 5; ++i) {
          const double x = 1.0 + static_cast<double>(i);
          data.add({x}, (1.0 + 2.0 * x) * std::exp(noise[i]));
        }
        // The scale is at most 3 times the second largest residual, about 0.06 in log cost or 0.4 in cost. The
        // outlier pulls as 1.345 scales, times the leverage between its row and another among the four others: at
        // most 0.57, of row 1 on row 0, whose cost is 3. That is 0.14 in log cost, or 0.92 / 3. (Least squares would
        // move the mean logarithm by 6.9 / 5.)
        const double bound = error == CostError::relative ? 0.14 : 0.31;
        for (const std::size_t row : {1, 2, 3}) {
          EXPECT_LE(shift_by_outlier(data, row, factor), bound)
              << "relative " << (error == CostError::relative) << ", work " << work << ", row " << row;
        }
      }
    }
  }
}

TEST(LinearFitOutliers, RelativeErrorIsBetterWhereNoiseGrowsWithCost) {
  double relative = 0, absolute = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    LinearCase data = empty_case(1, true);
    for (std::size_t i = 0; i < 40; ++i) {
      const double x = std::pow(10.0, 4 * uniform(seed, Draw::restart, i));  // 1 to 10,000
      data.add({x}, (1.0 + x) * std::exp(0.3 * normal(seed, Draw::fantasy, i)));
    }
    const auto error_of_cheap = [&data](CostError error) {
      data.error = error;
      const LinearFit fit = data.fit();
      return std::pow(std::log(predicted_cost(fit, std::vector<double>{1.0}) / 2.0), 2);
    };
    relative += error_of_cheap(CostError::relative);
    absolute += error_of_cheap(CostError::absolute);
  }
  EXPECT_LT(3 * std::sqrt(relative), std::sqrt(absolute));
}

}  // namespace
}  // namespace carbo::internal
