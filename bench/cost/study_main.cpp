#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cost/study_report.hpp"
#include "replay/csv.hpp"

namespace {

using namespace carbo::cost_bench;

constexpr const char* usage =
    "carbo_cost_study [OUT_FOLDER [SEEDS [BUDGETS [DATA_FOLDER]]]]\n"
    "\n"
    "EIpu and CArBO with each cost model on the measured trainings in DATA_FOLDER (the project's own), replayed "
    "from\n"
    "the table: SEEDS runs (51) for each of BUDGETS, in mean costs of the table (40,20). Writes report.md,\n"
    "savings.csv, and for the first budget curves.csv, eipu.svg and carbo.svg, to OUT_FOLDER (.). Finished runs "
    "stay\n"
    "there and are not made again.\n";

double above_zero(const std::string& text) {
  const double number = carbo::replay::to_double(text);
  if (!(number > 0 && number <= 1e6)) throw std::invalid_argument("'" + text + "' is not above 0 and at most 10^6");
  return number;
}

std::vector<double> budgets_of(const std::string& list) {
  std::vector<double> budgets;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) budgets.push_back(above_zero(word));
  if (budgets.empty()) throw std::invalid_argument("at least one budget is needed");
  return budgets;
}

BudgetSummary run_budget(const StudySettings& settings, const std::filesystem::path& data,
                         carbo::replay::RunStore& store) {
  BudgetSummary summary{.settings = settings};
  for (const DataSource& source : data_sources()) {
    const carbo::replay::Problem problem = timing_problem(source, read_timings(data, source));
    summary.replays.push_back(
        {.source = source, .lowest_error = problem.optimum, .contenders = run_contenders(problem, settings, store)});
    std::fprintf(stderr, "%s with a budget of %g mean costs is done\n", source.name.c_str(), settings.budget);
  }
  return summary;
}

void run_study(const std::vector<std::string>& words) {
  const std::filesystem::path out = words.empty() ? "." : words[0];
  const auto seeds = static_cast<std::size_t>(std::max(1.0, above_zero(words.size() > 1 ? words[1] : "51")));
  const std::filesystem::path data = words.size() > 3 ? words[3] : CARBO_COST_DATA;
  carbo::replay::RunStore store(out);
  std::vector<BudgetSummary> studies;
  for (const double budget : budgets_of(words.size() > 2 ? words[2] : "40,20")) {
    studies.push_back(run_budget({.seeds = seeds, .budget = budget}, data, store));
    write_report(out, studies);
  }
  std::printf("%s\n", report_text(studies).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 4 || (!words.empty() && words[0].starts_with("--"))) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    run_study(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_cost_study: %s\n", error.what());
    return 1;
  }
}
