// The optimizer that a page asks: a copy, so that the study is not touched.
#include <algorithm>

#include "program/file/amount.hpp"
#include "program/report/page_data.hpp"
#include "study/trial_rows.hpp"

namespace carbo::program {
namespace {

/// An optimizer that has seen only some of a study's results.
Optimizer optimizer_of(const Study& study, const Options& options, std::span<const Trial> trials,
                       std::span<const std::size_t> chosen) {
  Optimizer optimizer(study.space(), options);
  for (const std::size_t i : chosen) optimizer.tell(internal::observation_of(trials[i]));
  for (const Trial& trial : trials)
    if (internal::is_pending(trial.state)) optimizer.adopt(trial.configuration);
  for (const Configuration& configuration : study.enqueued()) optimizer.enqueue(configuration);
  return optimizer;
}

/// It is as far as the study is: budget and number of evaluations are cut as its results are.
Optimizer thinned_copy(const Study& study, std::span<const Trial> trials, std::span<const std::size_t> chosen) {
  const StudySummary summary = study.summary();
  Options options = study.options();
  options.budget = endless_budget;
  options.max_evaluations.reset();
  const double spent = optimizer_of(study, options, trials, chosen).spent();
  options.budget = summary.spent > 0 && spent > 0 ? summary.budget * (spent / summary.spent) : summary.budget;
  if (const auto most = study.options().max_evaluations) {
    const std::size_t evaluated = summary.succeeded + summary.failed + summary.timed_out;
    options.max_evaluations = chosen.size() + (*most > evaluated ? *most - evaluated : 0);
  }
  return optimizer_of(study, options, trials, chosen);
}

}  // namespace

std::vector<std::size_t> modelled_trials(std::span<const Trial> trials, Goal goal, std::size_t most) {
  std::vector<std::size_t> all, best;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    const bool success = trial.state == TrialState::succeeded;
    if (success) best.push_back(i);
    if (success || trial.state == TrialState::failed || trial.state == TrialState::timed_out) all.push_back(i);
  }
  if (all.size() <= most) return all;
  std::ranges::stable_sort(
      best, {}, [&](std::size_t i) { return goal == Goal::minimize ? *trials[i].objective : -*trials[i].objective; });
  best.resize(std::min(best.size(), most / 4));
  std::vector<bool> is_best(trials.size());
  for (const std::size_t i : best) is_best[i] = true;
  std::erase_if(all, [&](std::size_t i) { return is_best[i]; });
  std::vector<std::size_t> chosen = best;
  const std::size_t others = most - best.size();
  for (std::size_t k = 0; k < others; ++k) chosen.push_back(all[k * all.size() / others]);
  std::ranges::sort(chosen);
  return chosen;
}

ModelCopy copy_to_ask(OpenedStudy& opened, std::span<const Trial> trials, std::size_t most) {
  const StudySummary summary = opened.study.summary();
  const std::size_t results = summary.succeeded + summary.failed + summary.timed_out + summary.prior;
  if (results > most) {
    const std::vector<std::size_t> chosen = modelled_trials(trials, summary.goal, most);
    return {thinned_copy(opened.study, trials, chosen), chosen.size(), results};
  }
  RestoreOptions given;
  if (opened.file) given = opened.file->how.given;
  return {Optimizer::restore(opened.study.save(), given), results, results};
}

}  // namespace carbo::program
