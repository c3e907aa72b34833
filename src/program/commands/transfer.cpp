#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <set>

#include <fmt/format.h>

#include "program/commands/commands.hpp"
#include "program/commands/opening.hpp"
#include "program/commands/records.hpp"
#include "program/file/tables.hpp"
#include "program/support/files.hpp"
#include "program/support/nearest.hpp"
#include "replay/csv.hpp"

namespace carbo::program {
namespace {

const std::vector<std::string>& own_columns() {
  static const std::vector<std::string> names{"number", "id",     "state",   "origin", "objective", "cost", "reason",
                                              "owner",  "worker", "started", "ended",  "batch",     "slot", "phase"};
  return names;
}

/// Names of columns that would be another's have a prefix.
std::string column_name(const char* prefix, const std::string& name) {
  const bool taken = std::ranges::find(own_columns(), name) != own_columns().end();
  return replay::csv_field(taken ? fmt::format("{}:{}", prefix, name) : name);
}

std::string exact_cell(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? replay::exact(*number) : "";
}

template <class T>
std::string whole_cell(const std::optional<T>& number) {
  return number ? std::to_string(*number) : "";
}

class CsvWriter {
 public:
  CsvWriter(const Study& study, const std::vector<Trial>& trials, std::ostream& out)
      : space_(study.space()), trials_(trials), out_(out) {
    for (const Trial& trial : trials)
      for (const auto& metric : trial.metrics) metrics_.insert(metric.first);
    for (const Parameter& parameter : space_.parameters()) parameters_.insert(parameter.name());
  }

  void write() const {
    out_ << "number,id,state,origin";
    for (const Parameter& parameter : space_.parameters()) out_ << ',' << column_name("parameter", parameter.name());
    out_ << ",objective,cost";
    for (const std::string& metric : metrics_)
      out_ << ','
           << (parameters_.contains(metric) ? replay::csv_field("metric:" + metric) : column_name("metric", metric));
    out_ << ",reason,owner,worker,started,ended,batch,slot,phase\n";
    for (const Trial& trial : trials_) write(trial);
  }

 private:
  void write(const Trial& trial) const {
    std::string line = fmt::format("{},{},{},{}", trial.number, whole_cell(trial.id), to_string(trial.state),
                                   to_string(trial.origin));
    for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
      const Parameter& parameter = space_.parameters()[i];
      const double number = trial.configuration.numbers()[i];
      line += ',';
      line += parameter.labels().empty() ? replay::exact(number)
                                         : replay::csv_field(parameter.labels()[static_cast<std::size_t>(number)]);
    }
    line += ',' + exact_cell(trial.objective) + ',' + exact_cell(trial.cost);
    for (const std::string& metric : metrics_) {
      const auto found = trial.metrics.find(metric);
      line += ',';
      if (found != trial.metrics.end()) line += exact_cell(found->second);
    }
    for (const std::string* const words : {&trial.reason, &trial.owner, &trial.worker})
      line += ',' + replay::csv_field(*words);
    line += ',' + exact_cell(trial.started) + ',' + exact_cell(trial.ended) + ',' + whole_cell(trial.batch) + ',' +
            whole_cell(trial.slot) + ',' + (trial.phase ? to_string(*trial.phase) : "") + '\n';
    out_ << line;
  }

  const Space& space_;
  const std::vector<Trial>& trials_;
  std::ostream& out_;
  std::set<std::string> metrics_, parameters_;
};

void write_json(const std::vector<Trial>& trials, std::ostream& out) {
  out << "[";
  for (std::size_t i = 0; i < trials.size(); ++i) out << (i > 0 ? ",\n " : "\n ") << json_line(json_of(trials[i]));
  out << "\n]\n";
}

/// Of what `carbo export` writes as JSON: trials that ended, as prior data.
ObservedTable observations_of(const Space& space, const std::vector<NamedRecord>& records) {
  ObservedTable table;
  for (const NamedRecord& each : records) {
    const std::string state = each.json.is_object() ? each.json.value("state", "succeeded") : "succeeded";
    if (state == "waiting" || state == "running" || state == "withdrawn") {
      ++table.unfinished;
      continue;
    }
    Json plain = each.json;
    for (const std::string& own : own_columns())
      if (own != "objective" && own != "cost" && plain.is_object()) plain.erase(own);
    const ResultRecord result = result_of(space, plain, each.name);
    if (!result.configuration) throw InvalidObservation(fmt::format("{}: 'configuration' is missing", each.name));
    Observation seen;
    seen.configuration = *result.configuration;
    seen.origin = Origin::prior;
    const bool failed = state != "succeeded" || result.failed.has_value();
    if (failed)
      seen.status =
          state == "timed_out" || result.timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
    if (!failed && !result.objective) throw InvalidObservation(fmt::format("{}: 'objective' is missing", each.name));
    seen.objective = failed ? std::nan("") : *result.objective;
    seen.cost = result.cost.value_or(failed ? 0 : std::nan(""));
    seen.reason = each.json.value("reason", result.failed.value_or(""));
    table.observations.push_back(std::move(seen));
  }
  return table;
}

}  // namespace

Exit export_trials(Terminal& terminal, const ExportArguments& arguments) {
  const std::vector<std::string> formats{"csv", "json"};
  const bool named_json = arguments.output.ends_with(".json");
  const std::string format = !arguments.format.empty()     ? arguments.format
                             : named_json || terminal.json ? "json"
                                                           : "csv";
  if (std::ranges::find(formats, format) == formats.end())
    throw InvalidOptions(fmt::format("--format is '{}'; give csv or json", format));
  const Study study = open_to_read(arguments.which.study, arguments.which.name);
  const std::vector<Trial> trials = study.trials();
  std::ofstream file;
  if (!arguments.output.empty()) {
    file.open(arguments.output, std::ios::binary | std::ios::trunc);
    if (!file)
      throw Error(
          fmt::format("{} cannot be written; name a file in a folder that you may write to", arguments.output));
  }
  std::ostream& out = arguments.output.empty() ? terminal.out : file;
  if (format == "json")
    write_json(trials, out);
  else
    CsvWriter(study, trials, out).write();
  out.flush();
  if (!out)
    throw Error(fmt::format("{} cannot be written: is the disk full?",
                            arguments.output.empty() ? "standard output" : arguments.output));
  if (!arguments.output.empty() && !terminal.quiet)
    terminal.err << fmt::format("{} trials in {}\n", trials.size(), arguments.output);
  return Exit::success;
}

Exit import_results(Terminal& terminal, const ImportArguments& arguments) {
  OpenedStudy opened = opened_to_change(terminal, arguments.which);
  Study& study = opened.study;
  const std::string text = read_whole_file(arguments.file);
  const bool json = arguments.file.ends_with(".json") || arguments.file.ends_with(".jsonl");
  const ObservedTable table = json ? observations_of(study.space(), records_of(text, arguments.file))
                                   : read_observations(study.space(), arguments.file, text);
  study.at_once([&] {
    for (const Observation& seen : table.observations) {
      if (std::isnan(seen.cost))
        study.tell_prior(seen.configuration, seen.objective);
      else
        study.tell(seen);
    }
  });
  if (terminal.json) {
    terminal.out << json_line({{"imported", table.observations.size()},
                               {"unfinished", table.unfinished},
                               {"ignored_columns", table.ignored}})
                 << "\n";
    return Exit::success;
  }
  if (terminal.quiet) return Exit::success;
  terminal.out << fmt::format("{} results imported as prior data", table.observations.size());
  if (table.unfinished > 0) terminal.out << fmt::format(", {} without one left out", table.unfinished);
  if (!table.ignored.empty()) terminal.out << fmt::format("; columns not used: {}", printable(joined(table.ignored)));
  terminal.out << "\n";
  return Exit::success;
}

}  // namespace carbo::program
