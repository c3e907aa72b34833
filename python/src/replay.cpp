#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "module.hpp"
#include "named.hpp"
#include "python_tree.hpp"
#include "replay/columns.hpp"
#include "replay/methods.hpp"
#include "replay/schedule.hpp"
#include "replay/summary.hpp"
#include "replay/table.hpp"
#include "replay/usual.hpp"
#include "support/text.hpp"

namespace carbo::python {
namespace {

using Names = std::vector<std::string>;

/// A data frame as a problem: its cells as texts, those of categories as their labels.
class ReplayTable {
 public:
  ReplayTable(replay::CsvTable csv, const replay::TableColumns& columns, std::optional<Space> space,
              replay::ColumnChoice choice, std::optional<double> share) {
    csv.lines.resize(csv.rows.size());
    for (std::size_t row = 0; row < csv.rows.size(); ++row) csv.lines[row] = row;
    if (!space) {
      choice.others.push_back(columns.objective);
      if (!columns.cost.empty()) choice.others.push_back(columns.cost);
      replay::GuessedSpace guessed = replay::guess_space(called, csv, choice);
      space = std::move(guessed.space);
      notes_ = std::move(guessed.notes);
    }
    table_ = std::make_shared<const replay::Table>(replay::read_table(called, csv, *space, columns));
    const double part = share.value_or(replay::usual_share(table_->rows()));
    const auto most = static_cast<std::size_t>(part * static_cast<double>(table_->rows()));
    if (!(part > 0 && part <= 1))
      throw InvalidOptions(internal::text("share is ", part, "; give a share of the rows, above 0 and at most 1"));
    if (most < replay::fewest_evaluations)
      throw InvalidOptions(internal::text("a run could evaluate ", most, " of ", table_->rows(),
                                          " rows (share=", part, "), and needs at least ", replay::fewest_evaluations,
                                          "; measure more rows, or give a larger share"));
    problem_ = std::make_unique<const replay::Problem>(replay::table_problem(called, called, table_, part));
  }

  const replay::Table& table() const { return *table_; }
  const replay::Problem& problem() const { return *problem_; }
  const Names& notes() const { return notes_; }

 private:
  static constexpr const char* called = "frame";

  std::shared_ptr<const replay::Table> table_;
  std::unique_ptr<const replay::Problem> problem_;
  Names notes_;
};

replay::Repeats repeats_of(const std::string& name) {
  if (name == "mean") return replay::Repeats::mean;
  if (name == "first") return replay::Repeats::first;
  if (name == "refuse") return replay::Repeats::refuse;
  throw InvalidOptions("repeats is '" + name + "'; give \"refuse\", \"mean\" or \"first\"");
}

void make_table(ReplayTable* self, const Names& header, const std::vector<Names>& rows, const std::string& objective,
                const std::string& cost, const nb::str& goal, const std::string& repeats, bool leave_out,
                std::optional<Space> space, const Names& parameters, const Names& ignored, const Names& logarithmic,
                const Names& categorical, std::optional<double> share) {
  const replay::TableColumns columns{
      .objective = objective,
      .cost = cost,
      .missing_fails = true,
      .leave_out = leave_out,
      .goal = named<Goal>(goal, "goal"),
      .repeats = repeats_of(repeats),
      .advice_missing = "give it, or leave such rows out with leave_out=True",
      .advice_repeats = "repeats=\"mean\" takes the mean of its rows, repeats=\"first\" the first"};
  new (self) ReplayTable({.header = header, .rows = rows}, columns, std::move(space),
                         {.parameters = parameters,
                          .others = ignored,
                          .logarithmic = logarithmic,
                          .categorical = categorical,
                          .advice = "ignore=[…] leaves the column out, categorical=[…] takes its values as names"},
                         share);
}

/// Ctrl-C ends what runs, and is raised.
std::size_t make_runs_patiently(const std::vector<replay::Job>& jobs, replay::RunStore& store,
                                replay::Workers workers) {
  std::stop_source stop;
  workers.stop = stop.get_token();
  std::future<std::size_t> made =
      std::async(std::launch::async, [&] { return replay::make_runs(jobs, store, workers); });
  const auto over = [&] {
    const nb::gil_scoped_release free;
    return made.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  while (!over()) {
    if (PyErr_CheckSignals() == 0) continue;
    stop.request_stop();
    const nb::python_error raised;
    {
      const nb::gil_scoped_release free;
      made.wait();
    }
    throw raised;
  }
  return made.get();
}

nb::list curve_list(const std::vector<double>& numbers) {
  nb::list all;
  for (const double number : numbers) all.append(number);
  return all;
}

nb::list steps_of(const replay::RunRecord& run) {
  nb::list all;
  for (const replay::Step& step : run.steps) {
    const nb::object row = step.row ? nb::object(nb::int_(*step.row)) : nb::object(nb::none());
    all.append(nb::make_tuple(row, to_string(step.phase), step.cost, step.finished, step.objective));
  }
  return all;
}

nb::dict method_record(const replay::MethodSummary& method) {
  nb::dict record;
  record["method"] = to_python(method.name);
  record["lower"] = curve_list(method.lower);
  record["median"] = curve_list(method.middle);
  record["upper"] = curve_list(method.upper);
  record["evaluations"] = method.evaluations;
  record["seconds"] = method.seconds;
  record["cut_short"] = method.cut_short;
  nb::list runs;
  for (const replay::RunRecord* const run : method.runs)
    runs.append(nb::make_tuple(run->key.seed, run->spent, steps_of(*run)));
  record["runs"] = std::move(runs);
  return record;
}

nb::dict cell_record(const replay::Summary& summary) {
  nb::dict record;
  record["batch"] = summary.cell.batch;
  record["budget"] = summary.cell.budget;
  nb::list methods, savings;
  for (const replay::MethodSummary& method : summary.methods) methods.append(method_record(method));
  for (const replay::PairSavings& pair : replay::pairwise_savings(summary)) {
    savings.append(nb::make_tuple(to_python(summary.methods[pair.ours].name),
                                  to_python(summary.methods[pair.rival].name), pair.share, pair.low, pair.high));
  }
  record["methods"] = std::move(methods);
  record["savings"] = std::move(savings);
  return record;
}

/// Runs all methods with each batch size and budget; `folder` is for the records of the runs.
nb::list run_methods(const ReplayTable& table, const Names& names, const std::vector<std::size_t>& batches,
                     const std::vector<double>& budgets, std::size_t seeds, std::size_t jobs, bool progress,
                     const std::string& folder) {
  const std::vector<replay::Method> methods = replay::methods_named(names);
  std::vector<replay::Cell> cells;
  for (const std::size_t batch : batches) {
    if (batch == 0 || batch > table.problem().most_evaluations)
      throw InvalidOptions(internal::text("a batch of ", batch, ": a run may evaluate ",
                                          table.problem().most_evaluations, " rows; give 1 to so many"));
    for (const double budget : budgets)
      cells.push_back({.problem = &table.problem(), .batch = batch, .budget = budget, .seeds = seeds});
  }
  replay::RunStore store(folder);
  const std::size_t failures =
      make_runs_patiently(replay::jobs_of(cells, methods), store, {.threads = jobs, .progress = progress});
  if (failures > 0)
    throw Error(internal::text(failures, " runs failed; nothing is said of a replay that is not whole"));
  nb::list all;
  for (const replay::Cell& cell : cells) all.append(cell_record(replay::summarise(cell, methods, store)));
  return all;
}

nb::dict table_record(const ReplayTable& replayed) {
  const replay::Table& table = replayed.table();
  nb::dict record;
  record["rows"] = table.rows();
  record["failed"] = table.failures();
  record["left_out"] = table.left_out;
  record["repeated"] = table.repeated;
  record["optimum"] = replayed.problem().optimum;
  record["mean_cost"] = replayed.problem().mean_cost;
  record["cost_spread"] = replayed.problem().cost_spread;
  record["most_evaluations"] = replayed.problem().most_evaluations;
  record["usual_budget"] = replay::usual_budget(replayed.problem());
  nb::list notes;
  for (const std::string& note : replayed.notes()) notes.append(to_python(note));
  record["notes"] = std::move(notes);
  return record;
}

}  // namespace

void bind_replay(nb::module_& module) {
  module.def("usual_methods", [] { return replay::usual_methods(); });
  module.attr("usual_seeds") = replay::usual_seeds;
  nb::class_<ReplayTable>(module, "ReplayTable")
      .def("__init__", make_table, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("record", table_record)
      .def("space", [](const ReplayTable& table) { return table.table().space; })
      .def("run", run_methods);
}

}  // namespace carbo::python
