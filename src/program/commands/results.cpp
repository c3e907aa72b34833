#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "program/commands/commands.hpp"
#include "program/commands/intake.hpp"
#include "program/commands/opening.hpp"
#include "program/commands/records.hpp"
#include "program/commands/spool.hpp"
#include "program/evaluation/json_text.hpp"
#include "program/evaluation/placeholders.hpp"
#include "program/file/amount.hpp"
#include "program/support/files.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

/// Somebody at a shell, who outlives this process.
std::string shell_owner() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  const passwd* const user = ::getpwuid(::geteuid());
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : "somebody", host);
}

std::optional<std::chrono::milliseconds> lease_of(const std::string& words) {
  if (words.empty()) return std::nullopt;
  std::string fault;
  const auto amount = parse_amount(words, fault);
  const double seconds = amount ? amount->number * (amount->unit.empty() ? 1 : seconds_in(amount->unit)) : 0;
  if (!(seconds >= 1 && seconds <= 1e9))
    throw InvalidOptions(fmt::format("--lease is '{}'; give a time from 1 s on, such as 2h", words));
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

void print_suggestions(Terminal& terminal, const Space& space, const std::vector<Suggestion>& suggestions) {
  std::vector<std::string> header{"id"};
  for (const Parameter& parameter : space.parameters()) header.push_back(printable(parameter.name()));
  header.emplace_back("phase");
  if (terminal.verbose) header.insert(header.end(), {"expected", "cost"});
  TextTable table(header);
  for (const Suggestion& each : suggestions) {
    std::vector<std::string> row{std::to_string(each.id)};
    for (const Parameter& parameter : space.parameters())
      row.push_back(printable(value_text(each.configuration, parameter.name())));
    row.emplace_back(to_string(each.receipt.phase));
    if (terminal.verbose) {
      row.push_back(short_number(each.receipt.predicted_objective));
      row.push_back(short_number(each.receipt.predicted_cost));
    }
    table.add(std::move(row));
  }
  terminal.out << table.text(terminal);
}

std::string read_input(const std::string& from) {
  if (from != "-") return read_whole_file(from);
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

void note(Terminal& terminal, const std::string& words) {
  if (!terminal.quiet && !terminal.json) terminal.out << words << "\n";
}

ResultRecord record_of(const TellArguments& arguments, const Space& space) {
  ResultRecord result;
  result.id = arguments.id;
  if (!arguments.values.empty()) result.configuration = configuration_of(space, arguments.values);
  result.objective = arguments.objective;
  result.cost = arguments.cost;
  result.timed_out = arguments.timed_out;
  result.prior = arguments.prior;
  for (const std::string& pair : arguments.metrics) {
    const std::size_t sign = pair.find('=');
    const auto number = sign == std::string::npos ? std::nullopt : read_number(pair.substr(sign + 1));
    if (!number) throw InvalidObservation(fmt::format("--metric '{}' is none; write NAME=NUMBER", pair));
    result.notes.metrics[pair.substr(0, sign)] = *number;
  }
  return result;
}

Exit tell_records(Terminal& terminal, Study& study, const std::string& from) {
  Intake intake(terminal);
  const std::string name = from == "-" ? "standard input" : from;
  for (const NamedRecord& each : records_of(read_input(from), name))
    intake.take(each.name, [&] {
      record(study, result_of(study.space(), each.json, each.name));
      return true;
    });
  return intake.end();
}

std::string subject_of(const TellArguments& arguments) {
  return arguments.id ? fmt::format("{}", *arguments.id) : "the configuration";
}

void print_told(Terminal& terminal, const Study& study, const std::string& what) {
  const StudySummary summary = study.summary();
  if (terminal.json) {
    terminal.out << json_line({{"spent", summary.spent}, {"stop_reason", to_string(summary.stop_reason)}}) << "\n";
    return;
  }
  note(terminal, fmt::format("{}; {} of {} spent", what, amount_text(summary.spent, summary.cost_unit),
                             amount_text(summary.budget, summary.cost_unit)));
}

}  // namespace

Exit ask(Terminal& terminal, const AskArguments& arguments) {
  const std::string owner = arguments.owner.empty() ? shell_owner() : arguments.owner;
  OpenedStudy opened = opened_to_change(terminal, arguments.which, owner, lease_of(arguments.lease),
                                        arguments.accept_changes ? Changes::accept : Changes::refuse);
  Study& study = opened.study;
  const std::vector<Suggestion> suggestions = arguments.count > 0 ? study.ask(arguments.count) : study.ask();
  const StopReason reason = study.stop_reason();
  if (terminal.json) {
    Json list = Json::array();
    for (const Suggestion& each : suggestions) list.push_back(json_of(each, arguments.receipts));
    terminal.out << json_page({{"suggestions", std::move(list)}, {"stop_reason", to_string(reason)}}) << "\n";
  } else if (!suggestions.empty()) {
    print_suggestions(terminal, study.space(), suggestions);
  }
  if (!suggestions.empty()) return Exit::success;
  const std::string why = reason == StopReason::running
                              ? "nothing can be suggested while what was asked for before is not told"
                              : fmt::format("the study is over: {}", to_string(reason));
  if (!terminal.quiet) terminal.err << "carbo: " << why << "\n";
  return Exit::over;
}

Exit tell(Terminal& terminal, const TellArguments& arguments) {
  Study study = std::move(opened_to_change(terminal, arguments.which, shell_owner()).study);
  if (!arguments.spool.empty()) return take_in_spool(terminal, study, arguments.spool);
  if (!arguments.from.empty()) return tell_records(terminal, study, arguments.from);
  record(study, record_of(arguments, study.space()));
  print_told(terminal, study, fmt::format("told {}", subject_of(arguments)));
  return Exit::success;
}

Exit fail(Terminal& terminal, const TellArguments& arguments) {
  Study study = std::move(opened_to_change(terminal, arguments.which, shell_owner()).study);
  ResultRecord result = record_of(arguments, study.space());
  result.failed = arguments.reason.empty() ? arguments.timed_out ? "timed out" : "failed" : arguments.reason;
  record(study, result);
  print_told(terminal, study, fmt::format("{} failed", subject_of(arguments)));
  return Exit::success;
}

Exit withdraw(Terminal& terminal, const TellArguments& arguments) {
  Study study = std::move(opened_to_change(terminal, arguments.which, shell_owner()).study);
  study.withdraw(*arguments.id);
  note(terminal, fmt::format("withdrew {}", *arguments.id));
  return Exit::success;
}

Exit adopt(Terminal& terminal, const TellArguments& arguments) {
  Study study = std::move(opened_to_change(terminal, arguments.which, shell_owner()).study);
  const std::uint64_t id = study.adopt(configuration_of(study.space(), arguments.values));
  if (terminal.json)
    terminal.out << json_line({{"id", id}}) << "\n";
  else
    terminal.out << id << "\n";
  return Exit::success;
}

Exit enqueue(Terminal& terminal, const TellArguments& arguments) {
  Study study = std::move(opened_to_change(terminal, arguments.which, shell_owner()).study);
  study.enqueue(configuration_of(study.space(), arguments.values));
  note(terminal, fmt::format("{} wait to be suggested", study.enqueued().size()));
  return Exit::success;
}

}  // namespace carbo::program
