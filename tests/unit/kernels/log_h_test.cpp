#include "formulas/log_h.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acquisition/ei_cool.hpp"
#include "data/log_h_reference.hpp"
#include "formulas/bound_log.hpp"
#include "formulas/exp_negative.hpp"
#include "support/not_finite.hpp"

using carbo::kernels::exp_negative;
using carbo::kernels::log_h;

namespace {

using carbo::test::infinity;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

TEST(LogH, AgreesWithHighPrecisionValues) {
  for (const LogHReference& reference : log_h_reference) {
    // A few roundings of the logarithm's size, of 1 where it is smaller.
    const double tolerance = 8 * epsilon * std::max(1.0, std::abs(reference.log_h));
    EXPECT_NEAR(log_h(reference.u), reference.log_h, tolerance) << "u = " << reference.u;
  }
}

TEST(LogH, IsFiniteOverTheWholeRange) {
  for (double t = 1e-8; t < 1e154; t *= 1.7) {
    EXPECT_TRUE(std::isfinite(log_h(-t))) << -t;
    EXPECT_TRUE(std::isfinite(log_h(t))) << t;
  }
}

TEST(LogH, DefinesInfinitiesAndNaN) {
  EXPECT_EQ(log_h(-infinity), -infinity);
  EXPECT_EQ(log_h(infinity), infinity);
  EXPECT_TRUE(std::isnan(log_h(std::numeric_limits<double>::quiet_NaN())));
}

TEST(LogH, NeverFallsAcrossItsJoins) {
  for (const double join : {-1e9, -1.0, 1.0, 40.0}) {
    const double at = log_h(join);
    double below = join;
    double above = join;
    for (int step = 0; step < 2000; ++step) {
      below = std::nextafter(below, -infinity);
      above = std::nextafter(above, infinity);
      EXPECT_LE(log_h(below), at) << "join " << join << ", " << step << " steps below";
      EXPECT_GE(log_h(above), at) << "join " << join << ", " << step << " steps above";
    }
  }
}

TEST(LogH, RisesOnDenseGrids) {
  // Steps of 2e-12 relative change log h by far more than its rounding.
  for (const double start : {-1e6, -300.0, -38.5, -5.0, -1.0000001, -0.9999, -0.3, 0.2, 0.9999999, 3.0, 39.9999}) {
    double u = start;
    double last = log_h(u);
    for (int step = 0; step < 20000; ++step) {
      u += 2e-12 * std::max(1.0, std::abs(start));
      const double value = log_h(u);
      ASSERT_GT(value, last) << "u = " << u;
      last = value;
    }
  }
  double last = -infinity;
  for (double u = -60; u < 60; u += 1e-3) {
    const double value = log_h(u);
    ASSERT_GT(value, last) << "u = " << u;
    last = value;
  }
}

TEST(ExpNegative, StaysWithinTwoUlp) {
  for (double x = 0; x < 708; x += 0.00137) {
    const long double exact = std::exp(-static_cast<long double>(x));
    const double error = static_cast<double>(std::abs(exp_negative(x) - exact) / exact);
    ASSERT_LE(error, 2 * epsilon) << "x = " << x;
  }
  EXPECT_EQ(exp_negative(0.0), 1.0);
}

TEST(ExpNegative, FlushesHugeArgumentsAndKeepsNaN) {
  for (const double x : {708.1, 1e3, 1e18, 1e300, infinity}) EXPECT_EQ(exp_negative(x), 0.0) << x;
  EXPECT_TRUE(std::isnan(exp_negative(std::numeric_limits<double>::quiet_NaN())));
}

TEST(LogMean, MatchesPlainSumAndFarApartTerms) {
  carbo::kernels::LogMean plain;
  double sum = 0;
  for (const double x : {-1.5, 0.25, -7.0, 2.0, 2.0}) {
    plain.add(x);
    sum += std::exp(x);
  }
  EXPECT_NEAR(plain.value(1), std::log(sum), 4 * epsilon * std::log(sum));
  carbo::kernels::LogMean far;
  far.add(-1e15);
  far.add(-3.0);
  far.add(-2e15);
  EXPECT_EQ(far.value(1), -3.0);
  carbo::kernels::LogMean nothing;
  nothing.add(-infinity);
  EXPECT_EQ(nothing.value(1), -infinity);
  carbo::kernels::LogMean poisoned;
  poisoned.add(1.0);
  poisoned.add(std::numeric_limits<double>::quiet_NaN());
  poisoned.add(2.0);
  EXPECT_TRUE(std::isnan(poisoned.value(1)));
}

TEST(LogCostTerm, FollowsItsThreeDefinitions) {
  using carbo::kernels::CostMoment;
  const auto term = [](double alpha, double log_cost, double variance, CostMoment moment) {
    return carbo::kernels::EiCool::cost_term({carbo::Acquisition::ei_cool, alpha, moment},
                                             {true, log_cost, variance});
  };
  EXPECT_DOUBLE_EQ(term(0.5, 3.0, 0.4, CostMoment::median), -1.5);
  EXPECT_DOUBLE_EQ(term(0.5, 3.0, 0.4, CostMoment::mean), -1.6);
  EXPECT_DOUBLE_EQ(term(0.5, 3.0, 0.4, CostMoment::exact), -1.45);
  EXPECT_EQ(term(0.0, 1e300, 1e300, CostMoment::exact), 0.0);
}

/// Costs c beside k others of a round of length C: max(c, C), times (c / C)^k where c is above C.
TEST(LogCostTerm, CountsWhatARoundLasts) {
  using carbo::kernels::CostMoment;
  constexpr double alpha = 0.7, variance = 0.3;
  for (const CostMoment moment : {CostMoment::median, CostMoment::mean, CostMoment::exact})
    for (const double length : {0.1, 1.0, 40.0})
      for (const int others : {0, 1, 6})
        for (const double median : {0.02, 0.5, 1.0, 3.0, 200.0}) {
          double cost = median;
          if (moment == CostMoment::mean) cost *= std::exp(variance / 2);
          if (moment == CostMoment::exact) cost *= std::exp(-alpha * variance / 2);
          double counted = std::max(cost, length);
          for (int i = 0; i < others; ++i) counted *= counted > length ? cost / length : 1.0;
          const double term = carbo::kernels::EiCool::cost_term(
              {carbo::Acquisition::ei_cool, alpha, moment, nullptr, std::log(length), double(others)},
              {true, std::log(median), variance});
          EXPECT_NEAR(term, -alpha * std::log(counted), 1e-12);
        }
}

TEST(LogCostTerm, AnAcquisitionThatScoresNoHigherIsKnown) {
  using carbo::kernels::scores_no_higher;
  carbo::kernels::AcquisitionSpec alone{carbo::Acquisition::ei_cool, 0.5}, joins = alone;
  joins.round_log_cost = 1.0;
  joins.waiting = 2;
  carbo::kernels::AcquisitionSpec more = joins, longer = joins, other = joins;
  more.waiting = 3;
  longer.round_log_cost = 1.5;
  other.parameter = 0.4;
  EXPECT_TRUE(scores_no_higher(joins, joins));
  EXPECT_TRUE(scores_no_higher(joins, alone));
  EXPECT_TRUE(scores_no_higher(more, joins));
  EXPECT_FALSE(scores_no_higher(joins, more));
  EXPECT_FALSE(scores_no_higher(alone, joins));
  EXPECT_FALSE(scores_no_higher(longer, joins)) << "what was beyond its length may have become less so";
  EXPECT_FALSE(scores_no_higher(other, joins));
}

TEST(BoundLog, IsTheLogarithmToTheLastBitsOverTheWholeRange) {
  for (double x = std::numeric_limits<double>::min(); x < 1e308; x *= 1.0173) {
    const long double exact = std::log(static_cast<long double>(x));
    const double tolerance = 2 * epsilon * std::max(1.0, std::abs(static_cast<double>(exact)));
    EXPECT_NEAR(carbo::kernels::bound_log(x), static_cast<double>(exact), tolerance) << x;
  }
  for (double x = 0.5; x < 2; x += 1e-4)  // where mantissas are split, and near its zero
    EXPECT_NEAR(carbo::kernels::bound_log(x), static_cast<double>(std::log(static_cast<long double>(x))), 2 * epsilon)
        << x;
}

TEST(BoundLog, IsNeverTooLowAtTheEnds) {
  using carbo::kernels::bound_log;
  constexpr double most = std::numeric_limits<double>::max();
  EXPECT_NEAR(bound_log(most), std::log(most), 1e-12);
  EXPECT_EQ(bound_log(infinity), infinity);
  EXPECT_TRUE(std::isnan(bound_log(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(bound_log(1.0), 0.0);
  for (const double below : {0.0, 5e-324, 1e-310})
    EXPECT_EQ(bound_log(below), bound_log(std::numeric_limits<double>::min()));
}
