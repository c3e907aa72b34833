#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/hpo/results.hpp"
#include "replay/replay_support.hpp"

namespace carbo::hpo {

/// Cost and error of each evaluation of a run.
using Evaluations = std::vector<std::pair<double, double>>;

/// Two problems of the paper's on tables of five rows, whose lowest error is 0.1, and runs made by hand: with a
/// budget of 10, three seeds that are all the same.
class HandMadeResults : public replay::ReplayFolder {
 protected:
  void SetUp() override {
    ReplayFolder::SetUp();
    problems.reserve(2);
    // The best row of the first costs more than three of five, that of the second more than none.
    add_problem("knn_a1a", {{1, 0.5}, {2, 0.4}, {3, 0.3}, {4, 0.1}, {5, 0.1}});
    add_problem("knn_w2a", {{1, 0.1}, {2, 0.4}, {3, 0.3}, {4, 0.2}, {8, 0.5}});
  }

  void add_problem(const std::string& name, const Evaluations& rows) {
    replay::Table table{.space = Space({real("x", 0, 10)})};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      table.numbers.push_back(static_cast<double>(i));
      table.cost.push_back(rows[i].first);
      table.objective.push_back(rows[i].second);
    }
    const std::string set = name.substr(4);
    const auto shared = std::make_shared<const replay::Table>(std::move(table));
    problems.push_back({.learner = {"knn", "KNN", shared->space},
                        .data = {set, set},
                        .table = shared,
                        .problem = replay::table_problem(name, "KNN " + set, shared)});
  }

  /// By problem and method.
  using Runs = std::map<std::string, std::map<std::string, Evaluations>>;

  /// Summaries of all runs with these batches; a run with evaluations of less than the budget was cut short.
  std::vector<replay::Summary> summaries(const Runs& runs, const std::vector<std::string>& methods, std::size_t batch,
                                         double budget) {
    std::vector<replay::Method> wanted;
    for (const std::string& name : methods) wanted.push_back({.name = name, .title = "T" + name, .configure = {}});
    std::vector<replay::Summary> result;
    for (const MeasuredProblem& problem : problems) {
      for (const replay::Method& method : wanted)
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
          add_run(replay::key_of(problem.problem, method, batch, budget, seed),
                  runs.at(problem.name()).at(method.name));
      result.push_back(replay::summarise({&problem.problem, batch, budget, 3}, wanted, *store));
    }
    return result;
  }

  void add_run(const replay::RunKey& key, const Evaluations& evaluations) {
    if (!store) store.emplace(path);
    if (store->contains(key)) return;
    replay::RunRecord run{.key = key};
    for (const auto& [cost, error] : evaluations) {
      run.spent += cost;
      replay::Step& step = run.steps.emplace_back();
      step.cost = cost;
      step.finished = run.spent;
      step.objective = error;
      step.regret = error - 0.1;
    }
    replay::fill_incumbents(run.steps);
    store->add(std::move(run));
  }

  /// On the first CArBO has EI's end after 2 of 10, on the second EI has CArBO's after 5.
  const Runs four_methods = {{"knn_a1a",
                              {{"random", {{1, 0.5}, {1, 0.4}, {8, 0.6}}},
                               {"ei", {{1, 0.5}, {4, 0.3}, {5, 0.6}}},
                               {"eipu", {{1, 0.5}, {3, 0.35}, {6, 0.6}}},
                               {"carbo", {{1, 0.5}, {1, 0.3}, {1, 0.6}, {3, 0.2}, {4, 0.6}}}}},
                             {"knn_w2a",
                              {{"random", {{1, 0.5}, {5, 0.5}}},
                               {"ei", {{5, 0.3}, {1, 0.2}, {4, 0.6}}},
                               {"eipu", {{2, 0.4}, {8, 0.6}}},
                               {"carbo", {{8, 0.3}, {2, 0.6}}}}}};

  std::vector<MeasuredProblem> problems;
  std::optional<replay::RunStore> store;
};

/// Cells of the first row of a Markdown text whose first cell is `name`, without the padding.
inline std::vector<std::string> cells_of_row(const std::string& text, const std::string& name) {
  const std::size_t start = text.find("| " + name + " ");
  if (start == std::string::npos) return {};
  std::vector<std::string> cells;
  std::string line = text.substr(start, text.find('\n', start) - start);
  for (std::size_t from = 1, bar = line.find('|', 1); bar != std::string::npos;
       from = bar + 1, bar = line.find('|', from)) {
    const std::string cell = line.substr(from, bar - from);
    const std::size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

}  // namespace carbo::hpo
