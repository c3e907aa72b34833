#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cost/rmse.hpp"
#include "bench/cost/timings.hpp"
#include "replay/curves.hpp"
#include "replay/summary.hpp"
#include "replay/table.hpp"

namespace carbo::cost_bench {

/// The measured trainings of one data set, with the features of their cost.
replay::Problem timing_problem(const DataSource& source, replay::Table table);

/// Method and model of one curve.
struct Contender {
  std::string family{};  ///< "ei", "eipu" or "carbo"
  std::string title{};   ///< of the family
  NamedModel model;
  replay::Method method;  ///< the family with the model
};

/// Expected improvement, which no cost model enters; then EIpu and CArBO, each with every compared model.
std::vector<Contender> all_contenders();

/// What one contender did on one data set, over all seeds.
struct ContenderSummary {
  replay::MethodSummary curves{};
  /// Against the same method with the warped GP; absent for the warped GP itself, and so for EI.
  std::optional<replay::SavingsEstimate> saving{};
};

struct StudySettings {
  std::size_t seeds = 51;
  /// In mean costs of the table. EI then makes about as many evaluations as in the paper (33 to 50).
  double budget = 40;
};

/// One summary a contender, in the order of `all_contenders`. Runs that the store lacks are made on all cores; throws
/// std::runtime_error where one fails.
std::vector<ContenderSummary> run_contenders(const replay::Problem& problem, const StudySettings& settings,
                                             replay::RunStore& store);

}  // namespace carbo::cost_bench
