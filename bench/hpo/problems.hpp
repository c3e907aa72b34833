#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "bench/replay/table.hpp"

namespace carbo::hpo {

/// One of scikit-learn's learners with the paper's search space.
struct Learner {
  std::string name{};   ///< "knn"
  std::string title{};  ///< "KNN"
  Space space;
};

/// In the order of the file, which the collector reads too. Throws std::runtime_error naming file, learner and
/// parameter.
std::vector<Learner> read_learners(const std::filesystem::path& spaces_file);

/// A data set of the paper's.
struct DataSet {
  std::string name{};   ///< of its files and tables
  std::string title{};  ///< as results name it
};
const std::vector<DataSet>& data_sets();

/// No run evaluates more than this share of its table's rows.
inline constexpr double most_of_a_table = 0.25;

struct MeasuredProblem {
  Learner learner;
  DataSet data;
  std::shared_ptr<const replay::Table> table;  ///< in which the problem looks up
  replay::Problem problem;

  const std::string& name() const { return problem.name; }
};

/// LEARNER_SET.csv for every learner on every data set, in the paper's order. Throws std::runtime_error where one is
/// missing or wrong.
std::vector<MeasuredProblem> measured_problems(const std::filesystem::path& folder,
                                               const std::filesystem::path& spaces_file);

}  // namespace carbo::hpo
