#include "bench/choice/split.hpp"

#include <stdexcept>
#include <utility>

#include "bench/study/problem.hpp"
#include "bench/support/words.hpp"

namespace carbo::choice {

namespace {

constexpr std::size_t function_candidates = 2048;  ///< as in bench/study

}  // namespace

const char* to_string(Half half) { return half == Half::choosing ? "choosing" : "end"; }

Half parse_half(const std::string& text) {
  for (const Half half : {Half::choosing, Half::end})
    if (text == to_string(half)) return half;
  throw std::invalid_argument("'" + text + "' is no half; there are choosing and end");
}

std::vector<std::string> learners_of(Half half) {
  if (half == Half::choosing) return {"knn", "mlp", "dt"};
  return {"svm", "rf"};
}

std::vector<std::string> functions_of(Half half) {
  const std::vector<study::Problem> all = study::all_problems();
  std::vector<std::string> names;
  for (std::size_t i = half == Half::choosing ? 0 : 1; i < all.size(); i += 2) names.push_back(all[i].name);
  return names;
}

std::vector<hpo::MeasuredProblem> tables_of(Half half, const std::filesystem::path& data) {
  std::vector<hpo::MeasuredProblem> tables;
  const auto learners = learners_of(half);
  for (hpo::MeasuredProblem& measured :
       hpo::measured_problems(data, std::filesystem::path(CARBO_HPO_FOLDER) / "spaces.json"))
    if (bench::wanted(learners, measured.learner.name)) tables.push_back(std::move(measured));
  return tables;
}

std::vector<replay::Problem> problems_of(Half half, const std::filesystem::path& data) {
  std::vector<replay::Problem> problems;
  for (hpo::MeasuredProblem& measured : tables_of(half, data)) problems.push_back(std::move(measured.problem));
  for (const study::Problem& function : bench::named(study::all_problems(), functions_of(half)))
    problems.push_back(study::replayed(function, study::cost_profile(function), function_candidates));
  return problems;
}

}  // namespace carbo::choice
