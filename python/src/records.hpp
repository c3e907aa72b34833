#pragma once

#include <nanobind/nanobind.h>

#include <carbo/optimizer.hpp>
#include <carbo/study.hpp>

namespace carbo::python {

namespace nb = nanobind;

/// What the engine returns, as dicts that the classes of carbo/_records.py are made of: keys are names of members,
/// enumerations texts, what is absent None. Configurations are tuples of numbers under "numbers".
nb::dict record_of(const Suggestion& suggestion);
nb::dict record_of(const Trial& trial);
/// `number`: its place among all.
nb::dict record_of(const Observation& observation, std::size_t number);
/// Of a suggestion that is not told, as the trial that it is.
nb::dict running_record(const Suggestion& suggestion, std::size_t number);
nb::dict record_of(const ObjectivePrediction& objective);
nb::dict record_of(const CostPrediction& cost);
nb::dict record_of(const Prediction& prediction);
nb::dict record_of(const Recommendation& recommendation);
nb::dict record_of(const RankedCandidate& candidate);
nb::dict record_of(const Importance& importance);
nb::dict record_of(const PointsLearned& points);
nb::dict record_of(const FittedModel& model);
nb::dict record_of(const FittedModels& models);
nb::dict record_of(const StudySummary& summary);
nb::dict record_of(const MemoryPlan& plan);

/// A list of the records of all.
template <class Values>
nb::list records_of(const Values& values) {
  nb::list all;
  for (const auto& value : values) all.append(record_of(value));
  return all;
}

/// None where there is none.
template <class Value>
nb::object record_of(const std::optional<Value>& value) {
  if (!value) return nb::none();
  return record_of(*value);
}

}  // namespace carbo::python
