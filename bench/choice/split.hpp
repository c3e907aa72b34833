#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"

/// By which the library's defaults are chosen and judged.
namespace carbo::choice {

/// Problems are split by learner and by function, never by data set or seed: what was chosen on one half is judged on
/// problems of which nothing was seen.
enum class Half {
  choosing,  ///< tables of the KNN, the network and the tree; functions 1, 3, 5 … in the order of bench/study
  end,       ///< tables of the SVM and the forest; functions 2, 4, 6 …
};

const char* to_string(Half half);
/// Throws std::invalid_argument where the text is neither.
Half parse_half(const std::string& text);

/// Names of the learners whose tables, and of the functions that belong to a half.
std::vector<std::string> learners_of(Half half);
std::vector<std::string> functions_of(Half half);

/// Tables of a half, from the folder `data`.
std::vector<hpo::MeasuredProblem> tables_of(Half half, const std::filesystem::path& data);
/// Problems of a half, tables first. `data` is the folder of the tables. Throws std::runtime_error where one is
/// missing or wrong.
std::vector<replay::Problem> problems_of(Half half, const std::filesystem::path& data);

}  // namespace carbo::choice
