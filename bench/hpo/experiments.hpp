#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"
#include "replay/schedule.hpp"

namespace carbo::hpo {

/// The problem on which the paper made the experiments of its section 5.
inline const std::string paper_example = "mlp_a1a";

/// Runs that belong together: all methods in all cells. Methods of one name are the same within one store.
struct Experiment {
  std::string name{};  ///< on the command line
  std::string title{};
  std::string store = "runs";  ///< folder of its runs
  std::vector<replay::Cell> cells{};
  std::vector<replay::Method> methods{};
  std::vector<std::shared_ptr<const replay::Problem>> problems{};  ///< those of its cells that it made itself
};

/// How many runs a cell gets.
struct Seeds {
  std::size_t many = 51;  ///< where the paper has 51 and runs are short
  std::size_t few = 15;   ///< large batches, and experiments over all twenty problems that the paper made on one
};

/// Random, EI, EIpu and CArBO with the paper's batch sizes: Tables 1 and 2, Figures 2, 3 and 5.
Experiment tables_experiment(const std::vector<MeasuredProblem>& problems,
                             const std::map<std::string, double>& budgets, const Seeds& seeds);
/// EI, EIpu, CArBO, and CArBO's design with EI and with EIpu, in sequence.
Experiment ablation_experiment(const std::vector<MeasuredProblem>& problems,
                               const std::map<std::string, double>& budgets, const Seeds& seeds);
/// CArBO with batches of 1, 2, 4, 8 and 16 on equal compute: four times the budget, divided by the batch size.
Experiment scaling_experiment(const std::vector<MeasuredProblem>& problems,
                              const std::map<std::string, double>& budgets, const Seeds& seeds);
/// CArBO with an initial design of 1/8 to 6/8 of the budget, in sequence.
Experiment share_experiment(const std::vector<MeasuredProblem>& problems,
                            const std::map<std::string, double>& budgets, const Seeds& seeds);
/// CArBO with five, three and two uniform draws before its design, EI and EIpu with five, in sequence.
Experiment draws_experiment(const std::vector<MeasuredProblem>& problems,
                            const std::map<std::string, double>& budgets, const Seeds& seeds);
/// A problem whose costs are the table's times exp(spread · z − spread² / 2): z is normal and a pure function of seed
/// and row.
replay::Problem disturbed_problem(replay::Problem problem, double spread);

/// Random, EI, EIpu and CArBO in sequence as they might differ from the paper's, with few seeds: as in the tables
/// (the same runs), half and twice the budget, hyperparameters by maximum likelihood as the paper's were, GPyOpt's
/// settings as far as there are such options, candidates from the whole space instead of the table's rows, and costs
/// that are disturbed as much as a second measurement differs from the first, and three times as much.
std::vector<Experiment> difference_experiments(const std::vector<MeasuredProblem>& problems,
                                               const std::map<std::string, double>& budgets, const Seeds& seeds);

}  // namespace carbo::hpo
