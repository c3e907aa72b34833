#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "replay/summary.hpp"

namespace carbo::study {

/// One number a parameter, as in Configuration::numbers.
using Numbers = std::span<const double>;

/// A function with a known optimum and a price for every point.
struct Problem {
  std::string name{};   ///< in files and on the command line
  std::string title{};  ///< in tables and figures
  std::string price{};  ///< what the cost imitates
  Space space;
  std::function<double(Numbers)> value;  ///< without noise; minimised
  std::function<double(Numbers)> cost;   ///< without noise; above 0
  double optimum = 0;                    ///< lowest value over the space
  std::vector<std::vector<double>> minimisers{};
  double value_noise = 0;     ///< standard deviation added to an observed value
  double log_cost_noise = 0;  ///< standard deviation of the logarithm of an observed cost
};

/// How costs are spread over a space, from uniform draws with a fixed seed.
struct CostProfile {
  double mean = 0;
  double ratio = 0;          ///< dearest over cheapest
  double spread = 0;         ///< 95 % quantile over 5 % quantile
  double optimum_share = 0;  ///< share of the space that is cheaper than the cheapest minimiser, in [0, 1]
};

CostProfile cost_profile(const Problem& problem);
/// "cheap", "middling" or "dear": the third of the space by cost in which the cheapest minimiser lies.
const char* optimum_class(const CostProfile& profile);

/// Budget in mean costs of a uniform draw: ten a parameter, the size that is often advised for an initial design
/// alone, so that no method has the time to polish an optimum to the last digit.
double affordable(const Problem& problem);

/// The same as affordable() in units of cost; a batch of b gets 1/√b of that on the clock, so that evaluations grow
/// by about √b.
double budget_of(const Problem& problem, const CostProfile& profile, std::size_t batch);

/// What a run sees: noise added to value and cost, and so many candidates in every iteration.
replay::Problem replayed(const Problem& problem, const CostProfile& profile, std::size_t candidates);

/// A problem with what all methods did on it.
struct ProblemSummary : replay::Summary {
  Problem problem;
  CostProfile profile;
};

/// All problems in the order of tables and figures: published functions that were given a cost, cheap optima first,
/// then stand-ins for tuning a learner.
std::vector<Problem> all_problems();

/// Published functions with a cost that are not among all_problems(): only settings are judged by them.
std::vector<Problem> verdict_problems();

}  // namespace carbo::study
