#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "replay/table.hpp"

namespace carbo::hpo {

/// One of scikit-learn's learners with its search space.
struct Learner {
  std::string name{};   ///< "knn"
  std::string title{};  ///< "KNN"
  Space space;
};

/// In the order of the file, which the collector reads too. Throws std::runtime_error naming file, learner and
/// parameter.
std::vector<Learner> read_learners(const std::filesystem::path& spaces_file);

struct DataSet {
  std::string name{};   ///< of its files and tables
  std::string title{};  ///< as results name it
};
/// The paper's, and those that settings are judged by.
const std::vector<DataSet>& data_sets();
const std::vector<DataSet>& verdict_sets();

/// No run evaluates more than this share of its table's rows.
inline constexpr double most_of_a_table = 0.25;

struct MeasuredProblem {
  Learner learner;
  DataSet data;
  std::shared_ptr<const replay::Table> table;  ///< in which the problem looks up
  replay::Problem problem;
  double cost_spread = 0;  ///< of ln(seconds) between measurements of one configuration: a standard deviation

  const std::string& name() const { return problem.name; }
};

/// From rows that were measured again: the standard deviation of ln(seconds) of one measurement, by the median of
/// |ln(seconds again / seconds in the table)| as of a normal distribution. Throws std::runtime_error naming the file
/// where it is missing or has no rows, and its line where that is no measurement of the table.
double repeated_cost_spread(const std::filesystem::path& repeats_file, const replay::Table& table);

/// LEARNER_SET.csv for every learner on every data set, in the order of both, with repeats_LEARNER_SET.csv. Throws
/// std::runtime_error where one is missing or wrong.
std::vector<MeasuredProblem> measured_problems(const std::filesystem::path& folder,
                                               const std::filesystem::path& spaces_file,
                                               const std::vector<DataSet>& sets = data_sets());

}  // namespace carbo::hpo
