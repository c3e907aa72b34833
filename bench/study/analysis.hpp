#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/study/curves.hpp"
#include "bench/study/method.hpp"
#include "bench/study/problem.hpp"
#include "bench/study/store.hpp"

namespace carbo::study {

/// What one method did on one problem, over all seeds.
struct MethodSummary {
  Method method;
  Traces traces{};
  std::vector<double> lower{};  ///< quartile curves and the median on the grid
  std::vector<double> middle{};
  std::vector<double> upper{};
  std::vector<double> cost{};  ///< median over seeds of the mean cost of the evaluations near each grid point
  double evaluations = 0;      ///< median number that finished inside the budget
  double seconds = 0;          ///< mean CPU seconds a run
};

struct ProblemSummary {
  Problem problem;
  CostProfile profile;
  std::size_t seeds = 0;
  double budget = 0;
  std::vector<MethodSummary> methods{};
  /// Of CArBO against the best of random, EI and EIpu; absent where one of the four was not run.
  std::optional<SavingsEstimate> savings{};
  /// Savings of CArBO against each method, in the order of `methods`; absent for CArBO itself.
  std::vector<std::optional<double>> against{};

  const MethodSummary* find(const std::string& name) const;
};

/// Summarises the runs of one problem with seeds 1 … `seeds`; throws std::runtime_error where one is missing.
ProblemSummary summarise(const Problem& problem, const std::vector<Method>& methods, const Settings& settings,
                         std::size_t seeds, const RunStore& store);

RunKey key_of(const Problem& problem, const CostProfile& profile, const Method& method, const Settings& settings,
              std::uint64_t seed);

}  // namespace carbo::study
