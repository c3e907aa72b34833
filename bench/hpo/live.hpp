#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"
#include "replay/schedule.hpp"
#include "replay/summary.hpp"

namespace carbo::hpo {

/// Problems of the live check: a learner each, over all four data sets.
inline const std::vector<std::string> live_names = {"knn_a1a", "mlp_a1a", "svm_splice", "dt_w2a", "rf_a2a"};

/// The configuration as one line of JSON, values as the tables print them.
std::string json_line(const Configuration& configuration);
/// What the child's answer says; a failed evaluation has no finite objective. Throws std::runtime_error where it
/// refused the configuration or said something else.
replay::Outcome outcome_of(const std::string& answer);

/// The problem with scikit-learn in a child process (`server` NAME) in place of the table: the whole space, and
/// seconds as they are. The child is started by the first evaluation. One thread.
replay::Problem live_problem(const MeasuredProblem& measured, std::vector<std::string> server);

/// A replay and a live study of the same problem: EI against CArBO, in sequence.
struct LiveComparison {
  replay::Summary replayed{};
  replay::Summary live{};
};

}  // namespace carbo::hpo
