#include "bench/cost/contenders.hpp"

#include <stdexcept>
#include <utility>

#include <carbo/to_string.hpp>

#include "replay/methods.hpp"
#include "replay/summary.hpp"

namespace carbo::cost_bench {

namespace {

Contender contender(const replay::Method& family, const NamedModel& model, std::string name) {
  replay::Method method{.name = std::move(name), .title = family.title + ", " + model.title};
  method.configure = [configure = family.configure, kind = model.kind](Options& options,
                                                                       const replay::Problem& problem) {
    configure(options, problem);
    options.cost.model = kind;
    options.cost.features = problem.features;
  };
  return {.family = family.name, .title = family.title, .model = model, .method = std::move(method)};
}

}  // namespace

replay::Problem timing_problem(const DataSource& source, replay::Table table) {
  replay::Problem problem = replay::table_problem("mlp_" + source.name, source.title,
                                                  std::make_shared<const replay::Table>(std::move(table)));
  problem.features = mlp_cost_features(source);
  return problem;
}

std::vector<Contender> all_contenders() {
  std::vector<Contender> result;
  for (const replay::Method& family : replay::paper_methods()) {
    if (family.name == "ei") result.push_back(contender(family, compared_models().front(), family.name));
    if (family.name != "eipu" && family.name != "carbo") continue;
    for (const NamedModel& model : compared_models())
      result.push_back(contender(family, model, family.name + "_" + to_string(model.kind)));
  }
  return result;
}

std::vector<ContenderSummary> run_contenders(const replay::Problem& problem, const StudySettings& settings,
                                             replay::RunStore& store) {
  const std::vector<Contender> contenders = all_contenders();
  std::vector<replay::Method> methods;
  for (const Contender& each : contenders) methods.push_back(each.method);
  const replay::Cell cell{
      .problem = &problem, .batch = 1, .budget = settings.budget * problem.mean_cost, .seeds = settings.seeds};
  if (replay::make_runs(replay::jobs_of({cell}, methods), store, {}) > 0)
    throw std::runtime_error(problem.name + ": some runs failed");
  replay::Summary summary = replay::summarise(cell, methods, store);

  std::vector<ContenderSummary> result;
  std::size_t warped = 0;  // the last family's first contender
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    result.push_back({.curves = std::move(summary.methods[c])});
    if (contenders[c].model.kind == CostModelKind::log_gp)
      warped = c;
    else
      result[c].saving = replay::estimate_savings(result[c].curves.traces, {result[warped].curves.traces});
  }
  return result;
}

}  // namespace carbo::cost_bench
