#include "program/commands/records.hpp"

#include <algorithm>
#include <cmath>

#include <carbo/json.hpp>

#include "program/evaluation/json_text.hpp"
#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {

using internal::text;

namespace {

template <class T>
void set(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

Json json_of_numbers(const std::map<std::string, double>& numbers) {
  Json json = Json::object();
  for (const auto& [name, number] : numbers) json[name] = json_of(std::optional(number));
  return json;
}

double finite_number(const Json& value, const std::string& what, const char* key) {
  if (!value.is_number())
    throw InvalidObservation(text(what, ": '", key, "' is ", json_line(value), "; give a number"));
  const double number = value.get<double>();
  if (!std::isfinite(number))
    throw InvalidObservation(text(what, ": '", key, "' is not finite; report the evaluation as failed instead"));
  return number;
}

const std::vector<std::string>& result_keys() {
  static const std::vector<std::string> keys{"id",        "configuration", "objective", "cost",    "failed",
                                             "timed_out", "prior",         "metrics",   "started", "ended"};
  return keys;
}

/// What a result has beside its own members.
void take_further(const Json& json, const std::string& what, TrialNotes& notes) {
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(result_keys(), key) != result_keys().end()) continue;
    if (!value.is_number())
      throw InvalidObservation(text(what, ": '", key, "' is ", value.type_name(),
                                    "; further members are metrics, which are numbers",
                                    suggestion_for(key, result_keys())));
    notes.metrics[key] = value.get<double>();
  }
}

}  // namespace

Json json_of(const Trial& trial) {
  Json json = Json::object();
  json["number"] = trial.number;
  set(json, "id", trial.id);
  json["state"] = to_string(trial.state);
  if (trial.lost) json["interrupted"] = true;
  json["origin"] = to_string(trial.origin);
  json["configuration"] = json_of(trial.configuration);
  set(json, "objective", trial.objective);
  set(json, "cost", trial.cost);
  if (!trial.reason.empty()) json["reason"] = trial.reason;
  if (!trial.metrics.empty()) json["metrics"] = json_of_numbers(trial.metrics);
  if (!trial.owner.empty()) json["owner"] = trial.owner;
  if (!trial.worker.empty()) json["worker"] = trial.worker;
  set(json, "started", trial.started);
  set(json, "ended", trial.ended);
  set(json, "lease_end", trial.lease_end);
  set(json, "batch", trial.batch);
  set(json, "slot", trial.slot);
  if (trial.phase) json["phase"] = to_string(*trial.phase);
  return json;
}

Json json_of(const StudySummary& summary, const std::optional<std::size_t>& max_evaluations) {
  Json json = Json::object();
  json["name"] = summary.name;
  json["stop_reason"] = to_string(summary.stop_reason);
  json["done"] = summary.stop_reason != StopReason::running;
  json["phase"] = to_string(summary.phase);
  json["goal"] = to_string(summary.goal);
  json["budget"] = summary.budget;
  json["spent"] = summary.spent;
  json["cost_unit"] = summary.cost_unit;
  set(json, "max_evaluations", max_evaluations);
  json["succeeded"] = summary.succeeded;
  json["failed"] = summary.failed;
  json["timed_out"] = summary.timed_out;
  json["running"] = summary.running;
  json["waiting"] = summary.waiting;
  json["withdrawn"] = summary.withdrawn;
  json["prior"] = summary.prior;
  json["enqueued"] = summary.enqueued;
  json["paused"] = summary.paused ? Json(*summary.paused) : Json(nullptr);
  json["created"] = summary.created;
  json["changed"] = summary.changed;
  json["best"] = summary.best ? json_of(*summary.best) : Json(nullptr);
  return json;
}

Json json_of(const Suggestion& suggestion, bool receipt) {
  Json json = Json::object();
  json["id"] = suggestion.id;
  json["configuration"] = json_of(suggestion.configuration);
  json["phase"] = to_string(suggestion.receipt.phase);
  set(json, "pool_index", suggestion.pool_index);
  set(json, "timeout", suggestion.timeout);
  json["slot"] = suggestion.slot;
  json["order"] = suggestion.order;
  set(json, "predicted_objective", suggestion.receipt.predicted_objective);
  set(json, "predicted_cost", suggestion.receipt.predicted_cost);
  if (receipt) json["receipt"] = Json::parse(to_json(suggestion.receipt));
  return json;
}

Json json_of(const Prediction& prediction) {
  Json json = Json::object();
  if (prediction.objective) {
    const ObjectivePrediction& objective = *prediction.objective;
    json["objective"] = {{"median", objective.median}, {"lower", objective.lower}, {"upper", objective.upper}};
    set(json["objective"], "standard_deviation", objective.standard_deviation);
  }
  if (prediction.cost)
    json["cost"] = {{"median", prediction.cost->median},
                    {"log_standard_deviation", prediction.cost->log_standard_deviation}};
  return json;
}

Json json_of(const Importance& importance) {
  Json json = Json::object();
  json["parameters"] = Json::array();
  for (const ParameterImportance& each : importance.parameters)
    json["parameters"].push_back({{"name", each.name},
                                  {"first_order", each.first_order},
                                  {"total", each.total},
                                  {"first_order_spread", each.first_order_spread},
                                  {"total_spread", each.total_spread}});
  json["standard_deviation"] = importance.standard_deviation;
  return json;
}

Json json_of(const Report& report) {
  Json json = Json::object();
  json["step"] = report.step;
  set(json, "time", report.time);
  json["values"] = json_of_numbers(report.values);
  return json;
}

ResultRecord result_of(const Space& space, const Json& json, const std::string& what) {
  if (!json.is_object())
    throw InvalidObservation(text(what, ": it is ", json.type_name(), "; give an object such as ",
                                  R"({"id": 7, "objective": 0.25, "cost": 12.5})"));
  ResultRecord result;
  const auto number = [&](const char* key) -> std::optional<double> {
    if (!json.contains(key) || json[key].is_null()) return std::nullopt;
    return finite_number(json[key], what, key);
  };
  const auto truth = [&](const char* key) {
    if (!json.contains(key)) return false;
    if (!json[key].is_boolean())
      throw InvalidObservation(text(what, ": '", key, "' is ", json_line(json[key]), "; give true or false"));
    return json[key].get<bool>();
  };
  if (json.contains("id")) {
    if (!json["id"].is_number_unsigned())
      throw InvalidObservation(text(what, ": 'id' is ", json_line(json["id"]), "; give the number that ask gave"));
    result.id = json["id"].get<std::uint64_t>();
  }
  if (json.contains("configuration")) result.configuration = configuration_of(space, json["configuration"]);
  result.objective = number("objective");
  result.cost = number("cost");
  result.notes.started = number("started");
  result.notes.ended = number("ended");
  result.timed_out = truth("timed_out");
  result.prior = truth("prior");
  if (json.contains("failed")) {
    if (!json["failed"].is_string())
      throw InvalidObservation(
          text(what, ": 'failed' is ", json_line(json["failed"]), "; give the reason as a text"));
    result.failed = json["failed"].get<std::string>();
  }
  if (json.contains("metrics")) {
    if (!json["metrics"].is_object())
      throw InvalidObservation(
          text(what, ": 'metrics' is ", json["metrics"].type_name(), "; give an object of numbers"));
    for (const auto& [key, value] : json["metrics"].items())
      result.notes.metrics[key] = finite_number(value, what, key.c_str());
  }
  take_further(json, what, result.notes);
  return result;
}

namespace {

void record_failure(Study& study, const ResultRecord& result, const std::string& reason) {
  if (result.id) {
    study.fail(*result.id, *result.cost, reason, result.timed_out, result.notes);
    return;
  }
  Observation seen;
  seen.configuration = *result.configuration;
  seen.status = result.timed_out ? ObservationStatus::timed_out : ObservationStatus::failed;
  seen.origin = result.prior ? Origin::prior : Origin::this_run;
  seen.objective = std::nan("");
  seen.cost = result.cost.value_or(0);
  seen.reason = reason;
  study.tell(seen, result.notes);
}

}  // namespace

void record(Study& study, const ResultRecord& result) {
  if (result.id.has_value() == result.configuration.has_value())
    throw InvalidObservation(
        "a result belongs to a suggestion or to a configuration of your own; give either its id "
        "or its configuration");
  if (result.failed && result.objective)
    throw InvalidObservation("a result has an objective and a failure; give one of them");
  const bool failed = result.failed || result.timed_out;
  if (!failed && !result.objective)
    throw InvalidObservation("the objective is missing; give it, or say that it failed and why");
  const bool unpaid = result.prior && result.configuration;
  if (!result.cost && !unpaid)
    throw InvalidObservation(text("the cost is missing; give what it took, in ", study.options().cost.unit));
  if (failed) {
    record_failure(study, result, result.failed.value_or("timed out"));
    return;
  }
  if (result.id) {
    study.tell(*result.id, {.objective = *result.objective, .cost = *result.cost}, result.notes);
  } else if (!result.cost) {
    study.tell_prior(*result.configuration, *result.objective);
  } else {
    Observation seen;
    seen.configuration = *result.configuration;
    seen.origin = result.prior ? Origin::prior : Origin::this_run;
    seen.objective = *result.objective;
    seen.cost = *result.cost;
    study.tell(seen, result.notes);
  }
}

Configuration configuration_of(const Space& space, const std::vector<std::string>& values) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name());
  std::map<std::string, Value> all;
  for (const std::string& pair : values) {
    const std::size_t sign = pair.find('=');
    const std::string name = pair.substr(0, sign);
    if (sign == std::string::npos) throw InvalidConfiguration(text("'", pair, "' is no value; write NAME=VALUE"));
    const auto found = std::ranges::find(space.parameters(), name, &Parameter::name);
    if (found == space.parameters().end())
      throw InvalidConfiguration(text("the space has no parameter '", name, "'", suggestion_for(name, names)));
    const std::string value = pair.substr(sign + 1);
    const auto number = found->labels().empty() ? read_number(value) : std::nullopt;
    const bool given = !(number ? all.emplace(name, *number) : all.emplace(name, value)).second;
    if (given) throw InvalidConfiguration(text("parameter '", name, "' is given twice"));
  }
  return space.configuration(all);
}

std::vector<NamedRecord> records_of(std::string_view words, const std::string& name) {
  std::vector<NamedRecord> all;
  const std::size_t begin = words.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && words[begin] == '[') {
    const Json list = parse_json(words, name);
    for (const Json& each : list) all.push_back({text(name, ", element ", all.size() + 1), each});
    return all;
  }
  std::size_t number = 0;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find('\n', at), words.size());
    const std::string_view line = words.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::string place = text(name, ":", number);
    Json json = parse_json(line, place);
    all.push_back({std::move(place), std::move(json)});
  }
  return all;
}

}  // namespace carbo::program
