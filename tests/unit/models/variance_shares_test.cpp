#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

#include "models/variance_shares.hpp"
#include "support/continuous_space.hpp"

// Estimates of variance shares of plain functions, without a model in between.
namespace carbo::internal {
namespace {

using PlainFunction = std::function<double(std::span<const double>)>;

VarianceShares estimated(const Space& space, std::size_t points, std::size_t sequences, const PlainFunction& f) {
  const std::size_t parameters = space.parameters().size();
  VarianceShares shares(parameters);
  const auto values = [&](std::span<const double> numbers) {
    std::vector<double> found;
    for (std::size_t i = 0; i < numbers.size(); i += parameters) found.push_back(f(numbers.subspan(i, parameters)));
    return found;
  };
  for (std::size_t s = 0; s < sequences; ++s) {
    const PairedSample sample(space, points, 7, s);
    const std::vector<double> first = values(sample.first()), second = values(sample.second());
    shares.add_samples(first, second);
    for (std::size_t p = 0; p < parameters; ++p) shares.add_mixed(p, first, second, values(sample.mixed(p)));
  }
  return shares;
}

TEST(VarianceShares, OfIshigamisFunctionToThreeDigits) {
  constexpr double pi = std::numbers::pi;
  const Space space{real("x", -pi, pi), real("y", -pi, pi), real("z", -pi, pi)};
  const VarianceShares found = estimated(space, 4096, 8, [](std::span<const double> at) {
    return std::sin(at[0]) + 7 * std::pow(std::sin(at[1]), 2) + 0.1 * std::pow(at[2], 4) * std::sin(at[0]);
  });
  // Published: Saltelli and others, Sensitivity Analysis (2000).
  EXPECT_NEAR(found.variance(), 13.8446, 0.02);
  const double first_order[] = {0.3139, 0.4424, 0.0}, total[] = {0.5576, 0.4424, 0.2437};
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_NEAR(found.first_order(p), first_order[p], 2e-3);
    EXPECT_NEAR(found.total(p), total[p], 2e-3);
  }
}

TEST(VarianceShares, OfAProductOfTwo) {
  // x·y on [0, 1]²: V = 1/9 − 1/16, V_x = 1/48.
  const VarianceShares found =
      estimated(test::continuous(2), 4096, 4, [](std::span<const double> at) { return at[0] * at[1]; });
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_NEAR(found.first_order(p), 3.0 / 7, 1e-3);
    EXPECT_NEAR(found.total(p), 4.0 / 7, 1e-3);
  }
}

TEST(VarianceShares, OfMoreParametersThanTheSequenceHasDimensionsForTwice) {
  for (const std::size_t parameters : {50, 51, 100}) {
    const VarianceShares found = estimated(test::continuous(parameters), 1024, 4,
                                           [](std::span<const double> at) { return 3 * at[0] + at.back(); });
    EXPECT_NEAR(found.first_order(0), 0.9, 0.03) << parameters;
    EXPECT_NEAR(found.total(0), 0.9, 0.03) << parameters;
    EXPECT_NEAR(found.first_order(parameters - 1), 0.1, 0.05) << parameters;
    EXPECT_NEAR(found.total(parameters - 1), 0.1, 0.01) << parameters;
    EXPECT_EQ(found.total(1), 0);
  }
}

TEST(VarianceShares, OfConstantsAndOfWhatDiffersByRoundingAlone) {
  const Space space = test::continuous(2);
  for (const double size : {0.0, 1.0, 1e9}) {
    const VarianceShares found =
        estimated(space, 64, 2, [&](std::span<const double> at) { return size * (1 + (at[0] > 0.5 ? 2e-16 : 0.0)); });
    EXPECT_EQ(found.variance(), 0) << size;
    EXPECT_EQ(found.first_order(0), 0);
    EXPECT_EQ(found.total(0), 0);
  }
  EXPECT_EQ(VarianceShares(2).variance(), 0);
}

TEST(PairedSample, FillsEveryAxisEvenlyAndMixesOneColumn) {
  const Space space{real("x", 0, 1), categorical("c", {"a", "b"}), integer("k", 1, 4)};
  const PairedSample sample(space, 64, 3, 1), other(space, 64, 3, 2);
  EXPECT_FALSE(std::equal(sample.first().begin(), sample.first().end(), other.first().begin()));
  for (const auto& numbers : {sample.first(), sample.second()}) {
    std::vector<int> strata(64), categories(2), levels(4);
    for (std::size_t i = 0; i < 64; ++i) {
      ++strata[static_cast<std::size_t>(64 * numbers[3 * i])];
      ++categories[static_cast<std::size_t>(numbers[3 * i + 1])];
      ++levels[static_cast<std::size_t>(numbers[3 * i + 2]) - 1];
    }
    EXPECT_EQ(strata, std::vector<int>(64, 1));
    EXPECT_EQ(categories, std::vector<int>(2, 32));
    EXPECT_EQ(levels, std::vector<int>(4, 16));
  }
  const std::vector<double> mixed = sample.mixed(2);
  for (std::size_t i = 0; i < mixed.size(); ++i)
    EXPECT_EQ(mixed[i], i % 3 == 2 ? sample.second()[i] : sample.first()[i]);
}

}  // namespace
}  // namespace carbo::internal
