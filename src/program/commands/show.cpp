#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <carbo/json.hpp>

#include "program/commands/commands.hpp"
#include "program/commands/opening.hpp"
#include "program/commands/records.hpp"
#include "program/evaluation/placeholders.hpp"
#include "program/file/amount.hpp"
#include "program/support/nearest.hpp"
#include "replay/csv.hpp"

namespace carbo::program {
namespace {

std::string value_cell(const Configuration& configuration, const Parameter& parameter) {
  const Value value = configuration.value(parameter.name());
  if (const auto* const label = std::get_if<std::string>(&value)) return printable(*label);
  return short_number(configuration.real(parameter.name()));
}

void line(Terminal& terminal, std::string_view title, const std::string& words) {
  terminal.out << "  " << terminal.dim(fmt::format("{:<9}", title)) << words << "\n";
}

std::string progress_text(const StudySummary& summary, const std::optional<std::size_t>& max_evaluations) {
  const std::size_t evaluations = summary.succeeded + summary.failed + summary.timed_out;
  std::string words;
  if (summary.budget < endless_budget) {
    const double share = summary.spent / summary.budget;
    words = fmt::format("{}  {} of {} ({:.0f} %)", bar_text(share, 24), amount_text(summary.spent, summary.cost_unit),
                        amount_text(summary.budget, summary.cost_unit), 100 * share);
  }
  if (max_evaluations) {
    const double share = static_cast<double>(evaluations) / static_cast<double>(*max_evaluations);
    if (words.empty()) words = bar_text(share, 24) + "  ";
    words += fmt::format("{}{} of {} evaluations", words.ends_with("  ") ? "" : ", ", evaluations, *max_evaluations);
  }
  return words;
}

/// Those that are pending though nobody runs them.
std::size_t interrupted_trials(const Study& study, const StudySummary& summary) {
  if (summary.running + summary.waiting == 0) return 0;
  const std::vector<Trial> pending = study.pending_trials();
  return static_cast<std::size_t>(std::ranges::count_if(
      pending, [](const Trial& trial) { return trial.lost && trial.state == TrialState::running; }));
}

std::string counts_text(const StudySummary& summary, std::size_t interrupted) {
  std::string words = fmt::format("{} succeeded", summary.succeeded);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) words += fmt::format(", {} {}", count, what);
  };
  add(summary.failed, "failed");
  add(summary.timed_out, "timed out");
  add(summary.running - std::min(summary.running, interrupted), "running");
  add(interrupted, "interrupted");
  add(summary.waiting, "waiting");
  add(summary.withdrawn, "withdrawn");
  add(summary.enqueued, "enqueued");
  add(summary.prior, "prior");
  return words;
}

std::string state_text(const Terminal& terminal, const StudySummary& summary) {
  if (summary.stop_reason != StopReason::running)
    return terminal.green("over") + fmt::format(": {}", to_string(summary.stop_reason));
  if (summary.paused)
    return terminal.yellow("paused") +
           fmt::format(" since {}, {}; carbo resume goes on", time_text(*summary.paused), to_string(summary.phase));
  return fmt::format("under way, {}", to_string(summary.phase));
}

void print_best(Terminal& terminal, const Study& study, const Trial& trial) {
  const std::string& unit = study.options().cost.unit;
  terminal.out << terminal.bold(replay::exact(*trial.objective));
  terminal.out << terminal.dim(fmt::format("  ({}, trial {}{}{})", to_string(study.options().goal), trial.number,
                                           trial.cost ? ", cost " + amount_text(*trial.cost, unit) : "",
                                           trial.origin == Origin::prior ? ", prior" : ""))
               << "\n";
  std::size_t widest = 0;
  for (const Parameter& parameter : study.space().parameters())
    widest = std::max(widest, width_of(printable(parameter.name())));
  for (const Parameter& parameter : study.space().parameters()) {
    const std::string name = printable(parameter.name());
    terminal.out << "  " << name << std::string(widest - width_of(name), ' ') << " = "
                 << printable(value_text(trial.configuration, parameter.name())) << "\n";
  }
}

std::string state_name(const Trial& trial) {
  return trial.lost && trial.state == TrialState::running ? "interrupted" : to_string(trial.state);
}

std::string state_cell(const Trial& trial) { return trial.origin == Origin::prior ? "prior" : state_name(trial); }

void print_trials(Terminal& terminal, const Space& space, const std::vector<Trial>& all) {
  std::vector<std::string> header{"trial", "id", "state", "objective", "cost"};
  for (const Parameter& parameter : space.parameters()) header.push_back(printable(parameter.name()));
  const bool reasons = std::ranges::any_of(all, [](const Trial& trial) { return !trial.reason.empty(); });
  if (reasons) header.emplace_back("reason");
  TextTable table(header);
  for (const Trial& trial : all) {
    std::vector<std::string> row{std::to_string(trial.number), trial.id ? std::to_string(*trial.id) : "–",
                                 state_cell(trial), short_number(trial.objective), short_number(trial.cost)};
    for (const Parameter& parameter : space.parameters()) row.push_back(value_cell(trial.configuration, parameter));
    if (reasons) row.push_back(printable(trial.reason));
    table.add(std::move(row));
  }
  terminal.out << table.text(terminal);
}

Exit print_one_trial(Terminal& terminal, const Study& study, std::uint64_t id) {
  const auto trial = study.trial(id);
  if (!trial) throw UnknownSuggestion(fmt::format("no trial has the id {}; carbo trials lists them", id));
  Json json = json_of(*trial);
  Json reports = Json::array();
  for (const Report& report : study.reports(id)) reports.push_back(json_of(report));
  if (!reports.empty()) json["reports"] = std::move(reports);
  if (const auto receipt = study.receipt(id)) json["receipt"] = Json::parse(to_json(*receipt));
  terminal.out << json_page(json) << "\n";
  return Exit::success;
}

}  // namespace

Exit status(Terminal& terminal, const StudyArgument& argument) {
  const Study study = open_to_read(argument.study, argument.name);
  const StudySummary summary = study.summary();
  const std::size_t interrupted = interrupted_trials(study, summary);
  const auto& most = study.options().max_evaluations;
  if (terminal.json) {
    Json json = json_of(summary, most);
    json["interrupted"] = interrupted;
    json["file"] = study.file().string();
    terminal.out << json_page(json) << "\n";
    return Exit::success;
  }
  terminal.out << terminal.bold(printable(summary.name)) << terminal.dim("  " + printable(study.file().string()))
               << "\n";
  line(terminal, "state", state_text(terminal, summary));
  line(terminal, "budget", progress_text(summary, most));
  line(terminal, "trials", counts_text(summary, interrupted));
  if (summary.best)
    line(terminal, "best",
         fmt::format("{} at {}", terminal.bold(short_number(summary.best->objective)),
                     printable(summary.best->configuration.to_string())));
  else
    line(terminal, "best", "none yet");
  line(terminal, "changed", time_text(summary.changed));
  return Exit::success;
}

Exit best(Terminal& terminal, const BestArguments& arguments) {
  if (arguments.recommend) {
    OpenedStudy opened = opened_to_change(terminal, arguments.which);
    const auto recommended = opened.study.recommend();
    if (!recommended) throw UnknownStudy("nothing succeeded yet, so nothing can be recommended");
    Json json = Json::object();
    json["configuration"] = json_of(recommended->configuration);
    json["successes"] = recommended->successes;
    json["prediction"] = json_of(recommended->prediction);
    if (terminal.json) {
      terminal.out << json_page(json) << "\n";
      return Exit::success;
    }
    const auto& objective = recommended->prediction.objective;
    terminal.out << printable(recommended->configuration.to_string()) << "\n";
    if (objective)
      terminal.out << fmt::format("  expected {} ({} to {}), observed {} times\n", short_number(objective->median),
                                  short_number(objective->lower), short_number(objective->upper),
                                  recommended->successes);
    return Exit::success;
  }
  const Study study = open_to_read(arguments.which.study, arguments.which.name);
  const auto trial = study.best();
  if (terminal.json) {
    terminal.out << json_page(trial ? json_of(*trial) : Json(nullptr)) << "\n";
    return trial ? Exit::success : Exit::failure;
  }
  if (!trial) {
    terminal.err << "carbo: nothing succeeded yet\n";
    return Exit::failure;
  }
  print_best(terminal, study, *trial);
  return Exit::success;
}

Exit trials(Terminal& terminal, const TrialsArguments& arguments) {
  const Study study = open_to_read(arguments.which.study, arguments.which.name);
  if (arguments.id) return print_one_trial(terminal, study, *arguments.id);
  std::vector<Trial> all = study.trials();
  if (!arguments.state.empty()) {
    const std::vector<std::string> states{"waiting", "running",   "interrupted", "succeeded",
                                          "failed",  "timed_out", "withdrawn"};
    if (std::ranges::find(states, arguments.state) == states.end())
      throw InvalidOptions(
          fmt::format("--state '{}' is none{}", arguments.state, suggestion_for(arguments.state, states)));
    std::erase_if(all, [&](const Trial& trial) { return state_name(trial) != arguments.state; });
  }
  if (arguments.last > 0 && all.size() > arguments.last)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(arguments.last));
  if (terminal.json) {
    terminal.out << "[";
    for (std::size_t i = 0; i < all.size(); ++i)
      terminal.out << (i > 0 ? ",\n " : "\n ") << json_line(json_of(all[i]));
    terminal.out << "\n]\n";
    return Exit::success;
  }
  if (all.empty()) {
    if (!terminal.quiet) terminal.err << "carbo: no trials\n";
    return Exit::success;
  }
  print_trials(terminal, study.space(), all);
  return Exit::success;
}

Exit list(Terminal& terminal, const std::vector<std::string>& files) {
  std::vector<std::filesystem::path> databases(files.begin(), files.end());
  if (files.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator("."))
      if (entry.path().extension() == ".db" && entry.is_regular_file())
        databases.push_back(entry.path().lexically_normal());
    std::ranges::sort(databases);
  }
  TextTable table({"study", "file", "state", "trials", "best", "spent", "changed"});
  Json json = Json::array();
  for (const std::filesystem::path& given : databases) {
    const std::filesystem::path file =
        given.extension() == ".toml" ? locate_study(given.string(), "").storage : given;
    try {
      for (const StudySummary& summary : Study::list(file)) {
        Json one = json_of(summary, std::nullopt);
        one["file"] = file.string();
        json.push_back(std::move(one));
        const bool over = summary.stop_reason != StopReason::running;
        table.add({printable(summary.name), printable(file.string()),
                   over             ? to_string(summary.stop_reason)
                   : summary.paused ? "paused"
                                    : to_string(summary.phase),
                   std::to_string(summary.succeeded + summary.failed + summary.timed_out),
                   summary.best ? short_number(summary.best->objective) : "–",
                   amount_text(summary.spent, summary.cost_unit), time_text(summary.changed)});
      }
    } catch (const StorageError& error) {
      if (!files.empty()) throw;
      if (terminal.verbose) terminal.err << "carbo: " << error.what() << "\n";  // a database of somebody else's
    }
  }
  if (terminal.json)
    terminal.out << json_page(json) << "\n";
  else if (!table.empty())
    terminal.out << table.text(terminal);
  else if (!terminal.quiet)
    terminal.err << "carbo: no studies here; name a database, or begin one: carbo init\n";
  return Exit::success;
}

}  // namespace carbo::program
