#include "bench/hpo/budgets.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "bench/hpo/paper.hpp"
#include "bench/support/markdown.hpp"
#include "bench/support/words.hpp"
#include "replay/methods.hpp"
#include "replay/statistics.hpp"

namespace carbo::hpo {

namespace {

constexpr std::uint64_t first_pilot_seed = 100001;
constexpr std::size_t pilot_runs = 11;

double three_digits(double value) { return std::strtod(bench::format("%.3g", value).c_str(), nullptr); }

}  // namespace

std::size_t paper_sequence(const std::string& problem) {
  return static_cast<std::size_t>(std::lround(paper_row(problem).ei.front().evaluations / 3));
}

std::map<std::string, double> pilot_budgets(const std::vector<MeasuredProblem>& problems,
                                            const std::filesystem::path& folder, const replay::Workers& workers) {
  const std::vector<replay::Method> ei = bench::named(replay::paper_methods(), {"ei"});
  std::vector<replay::Problem> pilots;
  for (const MeasuredProblem& measured : problems) {
    pilots.push_back(measured.problem);
    pilots.back().most_evaluations = paper_sequence(measured.name());
  }
  std::vector<replay::Job> jobs;
  for (const replay::Problem& pilot : pilots)
    for (std::size_t run = 0; run < pilot_runs; ++run) {
      // More than any row costs, so that the number of evaluations ends the run.
      const double unlimited = three_digits(1e3 * pilot.mean_cost * static_cast<double>(pilot.most_evaluations));
      jobs.push_back({&pilot, &ei.front(), replay::key_of(pilot, ei.front(), 1, unlimited, first_pilot_seed + run)});
    }
  replay::RunStore store(folder);
  if (replay::make_runs(jobs, store, workers) > 0) throw std::runtime_error("pilot runs failed; no budget is known");
  std::map<std::string, std::vector<double>> spent;
  for (const replay::Job& job : jobs) spent[job.key.problem].push_back(store.runs().at(job.key).spent);
  std::map<std::string, double> budgets;
  for (const auto& [name, totals] : spent) budgets[name] = three_digits(replay::median(totals));
  return budgets;
}

}  // namespace carbo::hpo
