#include "records.hpp"

#include <cmath>

#include "callables.hpp"
#include "engine/observation_tree.hpp"
#include "gp/surrogate_state.hpp"
#include "python_tree.hpp"

namespace carbo::python {
namespace {

/// A dict that is filled by the names of members.
class Record {
 public:
  template <class Value>
  Record& operator()(const char* key, const Value& value) {
    dict_[key] = made(value);
    return *this;
  }
  nb::dict take() { return std::move(dict_); }

 private:
  static nb::object made(bool truth) { return nb::bool_(truth); }
  static nb::object made(double number) { return nb::float_(number); }
  static nb::object made(std::uint64_t whole) { return nb::int_(whole); }
  static nb::object made(const std::string& text) { return to_python(text); }
  static nb::object made(const Configuration& point) { return to_tuple(point.numbers()); }
  static nb::object made(const nb::object& object) { return object; }
  static nb::object made(const std::map<std::string, double>& numbers) {
    nb::dict all;
    for (const auto& [name, number] : numbers) all[to_python(name)] = number;
    return all;
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static nb::object made(Enum value) { return to_python(std::string(to_string(value))); }
  template <class Value>
  static nb::object made(const std::optional<Value>& value) {
    if (!value) return nb::none();
    return made(*value);
  }

  nb::dict dict_;
};

std::optional<double> known(double number) {
  return std::isnan(number) ? std::nullopt : std::optional<double>(number);
}

TrialState state_of(ObservationStatus status) {
  switch (status) {
    case ObservationStatus::failed:
      return TrialState::failed;
    case ObservationStatus::timed_out:
      return TrialState::timed_out;
    default:
      return TrialState::succeeded;
  }
}

}  // namespace

nb::dict record_of(const ObjectivePrediction& objective) {
  return Record()("median", objective.median)("lower", objective.lower)("upper", objective.upper)(
             "standard_deviation", objective.standard_deviation)("standardised_mean", objective.standardised_mean)(
             "standardised_deviation", objective.standardised_deviation)
      .take();
}

nb::dict record_of(const CostPrediction& cost) {
  return Record()("median", cost.median)("log_standard_deviation", cost.log_standard_deviation).take();
}

nb::dict record_of(const PointsLearned& points) {
  return Record()("used", points.used)("known", points.known).take();
}

nb::dict record_of(const FittedModel& model) {
  return Record()("hyperparameters", to_python(internal::tree_of(model.hyperparameters)))("shift", model.shift)(
             "scale", model.scale)("jitter", model.jitter)("points", nb::object(record_of(model.points)))
      .take();
}

nb::dict record_of(const Suggestion& suggestion) {
  return Record()("id", suggestion.id)("numbers", suggestion.configuration)("pool_index", suggestion.pool_index)(
             "timeout", suggestion.timeout)("slot", suggestion.slot)("order", suggestion.order)(
             "receipt", to_python(internal::tree_of(suggestion.receipt)))
      .take();
}

nb::dict record_of(const Trial& trial) {
  return Record()("number", trial.number)("id", trial.id)("state", trial.state)("origin", trial.origin)(
             "numbers", trial.configuration)("objective", trial.objective)("cost", trial.cost)(
             "reason", trial.reason)("owner", trial.owner)("worker", trial.worker)("started", trial.started)(
             "ended", trial.ended)("lease_end", trial.lease_end)("lost", trial.lost)("handed_out", trial.handed_out)(
             "batch", trial.batch)("slot", trial.slot)("phase", trial.phase)("sequence", trial.sequence)(
             "metrics", trial.metrics)
      .take();
}

nb::dict record_of(const Observation& observation, std::size_t number) {
  Trial trial;
  trial.number = number;
  trial.id = observation.id;
  trial.state = state_of(observation.status);
  trial.origin = observation.origin;
  trial.configuration = observation.configuration;
  trial.objective = known(observation.objective);
  trial.cost = known(observation.cost);
  trial.reason = observation.reason;
  trial.batch = observation.batch;
  trial.slot = observation.slot;
  trial.phase = observation.phase;
  trial.sequence = number;
  trial.handed_out = observation.id ? 1 : 0;
  return record_of(trial);
}

nb::dict running_record(const Suggestion& suggestion, std::size_t number) {
  Trial trial;
  trial.number = number;
  trial.id = suggestion.id;
  trial.configuration = suggestion.configuration;
  trial.slot = suggestion.slot;
  trial.phase = suggestion.receipt.phase;
  trial.handed_out = 1;
  return record_of(trial);
}

nb::dict record_of(const Prediction& prediction) {
  return Record()("objective", record_of(prediction.objective))("cost", record_of(prediction.cost)).take();
}

nb::dict record_of(const Recommendation& recommendation) {
  return Record()("numbers", recommendation.configuration)("successes", recommendation.successes)(
             "prediction", nb::object(record_of(recommendation.prediction)))
      .take();
}

nb::dict record_of(const RankedCandidate& candidate) {
  return Record()("numbers", candidate.configuration)("pool_index", candidate.pool_index)("log_score",
                                                                                          candidate.log_score)
      .take();
}

nb::dict record_of(const Importance& importance) {
  nb::list parameters;
  for (const ParameterImportance& each : importance.parameters) {
    parameters.append(Record()("name", each.name)("first_order", each.first_order)("total", each.total)(
                          "first_order_spread", each.first_order_spread)("total_spread", each.total_spread)
                          .take());
  }
  return Record()("parameters", nb::object(parameters))("standard_deviation", importance.standard_deviation).take();
}

nb::dict record_of(const FittedModels& models) {
  return Record()("objective", record_of(models.objective))("cost_model", models.cost_model)("cost",
                                                                                             record_of(models.cost))
      .take();
}

nb::dict record_of(const StudySummary& summary) {
  return Record()("name", summary.name)("created", summary.created)("changed", summary.changed)(
             "budget", summary.budget)("spent", summary.spent)("cost_unit", summary.cost_unit)("goal", summary.goal)(
             "stop_reason", summary.stop_reason)("phase", summary.phase)("succeeded", summary.succeeded)(
             "failed", summary.failed)("timed_out", summary.timed_out)("running", summary.running)(
             "waiting", summary.waiting)("withdrawn", summary.withdrawn)("prior", summary.prior)(
             "enqueued", summary.enqueued)("best", record_of(summary.best))
      .take();
}

nb::dict record_of(const MemoryPlan& plan) {
  return Record()("streamed", plan.streamed)("on_device", plan.on_device)("candidates", plan.candidates)(
             "points", plan.points)("model_points", plan.model_points)("threads", plan.threads)("tile", plan.tile)(
             "sample", plan.sample)("total_bytes", plan.total_bytes())("description", plan.describe())
      .take();
}

}  // namespace carbo::python
