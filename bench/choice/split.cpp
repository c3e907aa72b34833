#include "bench/choice/split.hpp"

#include <stdexcept>
#include <utility>

#include "bench/study/problem.hpp"
#include "bench/support/words.hpp"

namespace carbo::choice {

namespace {

constexpr std::size_t function_candidates = 2048;  ///< as in bench/study

const std::filesystem::path paper_folder = CARBO_HPO_FOLDER, verdict_folder = paper_folder / "verdict";

std::vector<study::Problem> functions_in(ProblemSet set) {
  if (set == ProblemSet::verdict) return study::verdict_problems();
  const std::vector<study::Problem> all = study::all_problems();
  std::vector<study::Problem> functions;
  for (std::size_t i = set == ProblemSet::choosing ? 0 : 1; i < all.size(); i += 2) functions.push_back(all[i]);
  return functions;
}

}  // namespace

const char* to_string(ProblemSet set) {
  switch (set) {
    case ProblemSet::choosing:
      return "choosing";
    case ProblemSet::end:
      return "end";
    case ProblemSet::verdict:
      return "verdict";
  }
  throw std::invalid_argument("no set of problems has this number");
}

ProblemSet parse_set(const std::string& text) {
  for (const ProblemSet set : all_sets)
    if (text == to_string(set)) return set;
  throw std::invalid_argument("'" + text + "' is no set of problems; there are choosing, end and verdict");
}

std::vector<std::string> learners_of(ProblemSet set) {
  if (set == ProblemSet::verdict) return {"boost", "extra", "logistic", "nystroem"};
  if (set == ProblemSet::choosing) return {"knn", "mlp", "dt"};
  return {"svm", "rf"};
}

std::vector<std::string> functions_of(ProblemSet set) {
  std::vector<std::string> names;
  for (const study::Problem& function : functions_in(set)) names.push_back(function.name);
  return names;
}

std::filesystem::path tables_folder(ProblemSet set) {
  return set == ProblemSet::verdict ? verdict_folder : paper_folder / "data";
}

std::vector<hpo::MeasuredProblem> tables_of(ProblemSet set, const std::filesystem::path& data) {
  const bool verdict = set == ProblemSet::verdict;
  const auto learners = learners_of(set);
  std::vector<hpo::MeasuredProblem> tables;
  for (hpo::MeasuredProblem& measured :
       hpo::measured_problems(data, (verdict ? verdict_folder : paper_folder) / "spaces.json",
                              verdict ? hpo::verdict_sets() : hpo::data_sets()))
    if (bench::wanted(learners, measured.learner.name)) tables.push_back(std::move(measured));
  return tables;
}

std::vector<replay::Problem> problems_of(ProblemSet set, const std::filesystem::path& data) {
  std::vector<replay::Problem> problems;
  for (hpo::MeasuredProblem& measured : tables_of(set, data)) problems.push_back(std::move(measured.problem));
  for (const study::Problem& function : functions_in(set))
    problems.push_back(study::replayed(function, study::cost_profile(function), function_candidates));
  return problems;
}

}  // namespace carbo::choice
