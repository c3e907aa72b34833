#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <carbo/study.hpp>

#include "program/support/json.hpp"

namespace carbo::program {

Json json_of(const Trial& trial);
Json json_of(const StudySummary& summary, const std::optional<std::size_t>& max_evaluations);
/// `receipt`: whether it is a part of it.
Json json_of(const Suggestion& suggestion, bool receipt);
Json json_of(const Prediction& prediction);
Json json_of(const Importance& importance);
Json json_of(const Report& report);

/// What somebody reports of an evaluation.
struct ResultRecord {
  std::optional<std::uint64_t> id;
  std::optional<Configuration> configuration;  ///< where it was not suggested
  std::optional<double> objective, cost;
  std::optional<std::string> failed;  ///< the reason
  bool timed_out = false;
  bool prior = false;
  TrialNotes notes;
};

/// {"id": 7, "objective": 0.25, "cost": 12.5}, {"id": 7, "failed": "out of memory", "cost": 3}, or with
/// "configuration" in place of the id. Further numbers are metrics. Throws InvalidObservation that begins with
/// `what`.
ResultRecord result_of(const Space& space, const Json& json, const std::string& what);

/// Records it: a tell or a fail. Throws what these throw, and InvalidObservation where something is missing.
void record(Study& study, const ResultRecord& result);

/// NAME=VALUE of a command line. Throws InvalidConfiguration.
Configuration configuration_of(const Space& space, const std::vector<std::string>& values);

/// A JSON value of a text and what it is called in messages.
struct NamedRecord {
  std::string name;
  Json json;
};
/// The elements of an array, an object alone, or a value a line. Throws InvalidObservation naming the line.
std::vector<NamedRecord> records_of(std::string_view text, const std::string& name);

}  // namespace carbo::program
