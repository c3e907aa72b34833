#include "program/commands/control.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include <carbo/error.hpp>

#include "engine/time_unit.hpp"
#include "program/commands/opening.hpp"
#include "program/commands/records.hpp"
#include "program/file/amount.hpp"

namespace carbo::program {
namespace {

/// What a command says of a study that it has changed.
Exit say_state(Terminal& terminal, const Study& study, const std::string& words) {
  if (terminal.json)
    terminal.out << json_page(json_of(study.summary(), study.options().max_evaluations)) << "\n";
  else if (!terminal.quiet)
    terminal.out << words << "\n";
  return Exit::success;
}

}  // namespace

StudyLimits limits_of(const std::string& words, const Options& options) {
  std::string fault;
  const auto amount = parse_amount(words, fault);
  if (!amount) throw InvalidOptions("budget " + fault);
  StudyLimits limits;
  if (counts_evaluations(amount->unit) || (amount->unit.empty() && options.budget >= endless_budget)) {
    if (!(amount->number >= 1 && amount->number <= 9e15 && amount->number == std::trunc(amount->number)))
      throw InvalidOptions(fmt::format("budget is {} evaluations; give a whole number from 1 on", amount->number));
    limits.max_evaluations = static_cast<std::size_t>(amount->number);
    return limits;
  }
  const std::string& unit = options.cost.unit;
  const double seconds = internal::seconds_per_unit(amount->unit), unit_seconds = internal::seconds_per_unit(unit);
  if (seconds > 0 && unit_seconds > 0)
    limits.budget = amount->number * seconds / unit_seconds;
  else if (amount->unit.empty() || amount->unit == unit)
    limits.budget = amount->number;
  else
    throw InvalidOptions(
        fmt::format("budget is in {}, but the study counts in {}; give it in {}", amount->unit, unit, unit));
  return limits;
}

StudyLimits limits_of(const Json& request, const Options& options) {
  const auto found = request.is_object() ? request.find("budget") : request.end();
  if (found == request.end() || !(found->is_string() || found->is_number()))
    throw InvalidOptions(R"('budget' is missing; give an amount, such as {"budget": "2h"} or {"budget": 7200})");
  return limits_of(found->is_string() ? found->get<std::string>() : json_line(*found), options);
}

Exit pause(Terminal& terminal, const StudyArgument& argument) {
  Study study = open_to_read(argument.study, argument.name);
  study.pause();
  return say_state(terminal, study, "paused: what runs ends, and nothing begins until carbo resume");
}

Exit resume(Terminal& terminal, const StudyArgument& argument) {
  Study study = open_to_read(argument.study, argument.name);
  study.resume();
  return say_state(terminal, study, "resumed");
}

Exit change_budget(Terminal& terminal, const BudgetArguments& arguments) {
  Study study = open_to_read(arguments.which.study, arguments.which.name);
  const StudyLimits limits = limits_of(arguments.amount, study.options());
  study.change_limits(limits);
  const StudySummary summary = study.summary();
  return say_state(
      terminal, study,
      limits.budget ? fmt::format("the budget is {}, {} of it spent", amount_text(summary.budget, summary.cost_unit),
                                  amount_text(summary.spent, summary.cost_unit))
                    : fmt::format("the budget is {} evaluations", *limits.max_evaluations));
}

OpenedStudy opened_to_change(Terminal& terminal, const StudyArgument& which, const std::string& owner,
                             std::optional<std::chrono::milliseconds> lease, Changes changes) {
  OpenedStudy opened = open_to_change(which.study, which.name, owner, lease, changes);
  if (!opened.note.empty() && !terminal.quiet) terminal.err << "carbo: " << opened.note << "\n";
  return opened;
}

}  // namespace carbo::program
