#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/hpo/problems.hpp"

/// By which the library's defaults are chosen and judged.
namespace carbo::choice {

/// Sets differ in learners and in functions, not only in data sets or seeds: what was chosen on one is judged on
/// problems of which nothing was seen.
enum class ProblemSet {
  choosing,  ///< tables of the KNN, the network and the tree; functions 1, 3, 5 … in the order of bench/study
  end,       ///< tables of the SVM and the forest; functions 2, 4, 6 …
  verdict,   ///< the tables of bench/hpo/verdict; the functions that the study does not have
};
inline constexpr std::array all_sets = {ProblemSet::choosing, ProblemSet::end, ProblemSet::verdict};

const char* to_string(ProblemSet set);
/// Throws std::invalid_argument where the text is none.
ProblemSet parse_set(const std::string& text);

/// Names of the learners whose tables, and of the functions that belong to a set.
std::vector<std::string> learners_of(ProblemSet set);
std::vector<std::string> functions_of(ProblemSet set);

/// Where the tables of a set are.
std::filesystem::path tables_folder(ProblemSet set);
/// Tables of a set, from the folder `data`.
std::vector<hpo::MeasuredProblem> tables_of(ProblemSet set, const std::filesystem::path& data);
/// Problems of a set, tables first. `data` is the folder of the tables. Throws std::runtime_error where one is
/// missing or wrong.
std::vector<replay::Problem> problems_of(ProblemSet set, const std::filesystem::path& data);

}  // namespace carbo::choice
