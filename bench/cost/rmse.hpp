#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <carbo/cost.hpp>

#include "bench/cost/timings.hpp"

namespace carbo::cost_bench {

/// A learned cost model as the figures call it.
struct NamedModel {
  CostModelKind kind;
  std::string title{};
  std::string colour{};
};

/// Warped GP first: what the others are measured against.
const std::vector<NamedModel>& compared_models();

/// Root mean square of predicted minus observed logarithms. Throws std::invalid_argument where there are none, or
/// where the lengths differ.
double root_mean_square_error(std::span<const double> predicted_logs, std::span<const double> costs);

/// Rows 0 … count-1 in a random order, a pure function of its arguments.
std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed);

/// Teaches a new model the costs of `taught` rows and returns the error of its predicted log costs over `held_out`.
double held_out_error(const replay::Table& table, const DataSource& source, CostModelKind kind,
                      std::span<const std::size_t> taught, std::span<const std::size_t> held_out, std::uint64_t seed);

/// Quartiles over repeats, one entry a number of observations.
struct ErrorCurve {
  std::vector<double> lower{}, middle{}, upper{};
};

struct RmseSettings {
  std::vector<std::size_t> observations = {5, 7, 10, 15, 20, 30, 50, 70, 100};
  std::size_t held_out = 400;
  std::size_t repeats = 20;
};

/// Repeat r holds out the first rows of random order r and teaches the rows after them, so that all models and
/// numbers of observations see the same split. One curve a compared model.
std::vector<ErrorCurve> error_curves(const replay::Table& table, const DataSource& source,
                                     const RmseSettings& settings);

}  // namespace carbo::cost_bench
