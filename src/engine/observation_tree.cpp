#include "engine/observation_tree.hpp"

#include <cmath>
#include <limits>

#include <carbo/to_string.hpp>

#include "cost/cost_state.hpp"
#include "gp/surrogate_state.hpp"
#include "gp/transform_tree.hpp"
#include "space/space_tree.hpp"

namespace carbo::internal {
namespace {

Tree points_tree(const PointsLearned& points) {
  Tree tree = Tree::object();
  tree.set("used", points.used);
  tree.set("known", points.known);
  return tree;
}

void read_points(const TreeReader& reader, const char* key, PointsLearned& points) {
  if (const auto member = reader.find(key))
    points = {member->get<std::uint64_t>("used"), member->get<std::uint64_t>("known")};
}

Tree seconds_tree(const StageSeconds& seconds) {
  Tree tree = Tree::object();
  tree.set("candidates", seconds.candidates);
  tree.set("fit", seconds.fit);
  tree.set("sweep", seconds.sweep);
  tree.set("pick", seconds.pick);
  return tree;
}

void read_seconds(const TreeReader& reader, StageSeconds& seconds) {
  reader.read("candidates", seconds.candidates);
  reader.read("fit", seconds.fit);
  reader.read("sweep", seconds.sweep);
  reader.read("pick", seconds.pick);
}

void read_calibration(const TreeReader& reader, const char* key, std::optional<Calibration>& calibration) {
  if (const auto member = reader.find(key)) calibration = internal::read_calibration(*member);
}

}  // namespace

Tree tree_of(const Observation& observation) {
  Tree tree = Tree::object();
  tree.set("id", observation.id);
  tree.set("configuration", tree_of(observation.configuration));
  tree.set("status", observation.status);
  if (observation.origin != Origin::this_run) tree.set("origin", observation.origin);
  if (!std::isnan(observation.objective)) tree.set("objective", observation.objective);
  if (!std::isnan(observation.cost)) tree.set("cost", observation.cost);
  if (!observation.reason.empty()) tree.set("reason", observation.reason);
  tree.set("batch", observation.batch);
  tree.set("slot", observation.slot);
  tree.set("phase", observation.phase);
  return tree;
}

Observation read_observation(const TreeReader& reader, const Space& space) {
  Observation observation;
  reader.read("id", observation.id);
  observation.configuration = read_configuration(reader.at("configuration"), space);
  observation.status = reader.get<ObservationStatus>("status");
  reader.read("origin", observation.origin);
  observation.objective = observation.cost = std::numeric_limits<double>::quiet_NaN();
  reader.read("objective", observation.objective);
  reader.read("cost", observation.cost);
  reader.read("reason", observation.reason);
  reader.read("batch", observation.batch);
  reader.read("slot", observation.slot);
  reader.read("phase", observation.phase);
  return observation;
}

Tree tree_of(const Receipt& receipt) {
  Tree tree = Tree::object();
  tree.set("phase", receipt.phase);
  if (receipt.enqueued) tree.set("enqueued", true);
  if (!receipt.backend.empty()) tree.set("backend", receipt.backend);
  if (!receipt.backend_reason.empty()) tree.set("backend_reason", receipt.backend_reason);
  tree.set("alpha", receipt.alpha);
  tree.set("acquisition_parameter", receipt.acquisition_parameter);
  tree.set("spent", receipt.spent);
  tree.set("committed", receipt.committed);
  tree.set("progress", receipt.progress);
  tree.set("predicted_cost", receipt.predicted_cost);
  tree.set("predicted_log_cost_sd", receipt.predicted_log_cost_sd);
  tree.set("predicted_objective", receipt.predicted_objective);
  tree.set("predicted_objective_sd", receipt.predicted_objective_sd);
  tree.set("predicted_objective_lower", receipt.predicted_objective_lower);
  tree.set("predicted_objective_upper", receipt.predicted_objective_upper);
  tree.set("log_score", receipt.log_score);
  tree.set("runner_up_log_score", receipt.runner_up_log_score);
  tree.set("break_even_price", receipt.break_even_price);
  tree.set("would_stop", receipt.would_stop);
  tree.set("round_length", receipt.round_length);
  tree.set("fill", receipt.fill);
  tree.set("design_gain", receipt.design_gain);
  tree.set("design_end", receipt.design_end);
  tree.set("objective_jitter", receipt.objective_jitter);
  tree.set("cost_jitter", receipt.cost_jitter);
  if (receipt.objective_calibration) tree.set("objective_calibration", tree_of(*receipt.objective_calibration));
  if (receipt.cost_calibration) tree.set("cost_calibration", tree_of(*receipt.cost_calibration));
  tree.set("objective_points", points_tree(receipt.objective_points));
  tree.set("cost_points", points_tree(receipt.cost_points));
  tree.set("transform", receipt.transform);
  tree.set_all("transform_scores", receipt.transform_scores, tree_of);
  tree.set("cost_model", receipt.cost_model);
  tree.set_all("cost_model_scores", receipt.cost_model_scores, tree_of);
  tree.set("candidates", receipt.candidates);
  tree.set("finished_share", receipt.finished_share);
  tree.set("refreshed_share", receipt.refreshed_share);
  tree.set("low_precision_share", receipt.low_precision_share);
  tree.set("seconds", seconds_tree(receipt.seconds));
  return tree;
}

Receipt read_receipt(const TreeReader& reader) {
  Receipt receipt;
  receipt.phase = reader.get<Phase>("phase");
  reader.read("enqueued", receipt.enqueued);
  reader.read("backend", receipt.backend);
  reader.read("backend_reason", receipt.backend_reason);
  reader.read("alpha", receipt.alpha);
  reader.read("acquisition_parameter", receipt.acquisition_parameter);
  reader.read("spent", receipt.spent);
  reader.read("committed", receipt.committed);
  reader.read("progress", receipt.progress);
  reader.read("predicted_cost", receipt.predicted_cost);
  reader.read("predicted_log_cost_sd", receipt.predicted_log_cost_sd);
  reader.read("predicted_objective", receipt.predicted_objective);
  reader.read("predicted_objective_sd", receipt.predicted_objective_sd);
  reader.read("predicted_objective_lower", receipt.predicted_objective_lower);
  reader.read("predicted_objective_upper", receipt.predicted_objective_upper);
  reader.read("log_score", receipt.log_score);
  reader.read("runner_up_log_score", receipt.runner_up_log_score);
  reader.read("break_even_price", receipt.break_even_price);
  reader.read("would_stop", receipt.would_stop);
  reader.read("round_length", receipt.round_length);
  reader.read("fill", receipt.fill);
  reader.read("design_gain", receipt.design_gain);
  reader.read("design_end", receipt.design_end);
  reader.read("objective_jitter", receipt.objective_jitter);
  reader.read("cost_jitter", receipt.cost_jitter);
  read_calibration(reader, "objective_calibration", receipt.objective_calibration);
  read_calibration(reader, "cost_calibration", receipt.cost_calibration);
  read_points(reader, "objective_points", receipt.objective_points);
  read_points(reader, "cost_points", receipt.cost_points);
  reader.read("transform", receipt.transform);
  for (const TreeReader& score : reader.elements("transform_scores"))
    receipt.transform_scores.push_back(read_transform_score(score));
  reader.read("cost_model", receipt.cost_model);
  for (const TreeReader& score : reader.elements("cost_model_scores"))
    receipt.cost_model_scores.push_back(read_cost_model_score(score));
  reader.read("candidates", receipt.candidates);
  reader.read("finished_share", receipt.finished_share);
  reader.read("refreshed_share", receipt.refreshed_share);
  reader.read("low_precision_share", receipt.low_precision_share);
  if (const auto seconds = reader.find("seconds")) read_seconds(*seconds, receipt.seconds);
  return receipt;
}

Tree tree_of(const Suggestion& suggestion) {
  Tree tree = Tree::object();
  tree.set("id", suggestion.id);
  tree.set("configuration", tree_of(suggestion.configuration));
  tree.set("pool_index", suggestion.pool_index);
  tree.set("timeout", suggestion.timeout);
  if (suggestion.slot != 0) tree.set("slot", suggestion.slot);
  if (suggestion.order != 0) tree.set("order", suggestion.order);
  tree.set("receipt", tree_of(suggestion.receipt));
  return tree;
}

Suggestion read_suggestion(const TreeReader& reader, const Space& space) {
  Suggestion suggestion;
  suggestion.id = reader.get<std::uint64_t>("id");
  suggestion.configuration = read_configuration(reader.at("configuration"), space);
  reader.read("pool_index", suggestion.pool_index);
  reader.read("timeout", suggestion.timeout);
  reader.read("slot", suggestion.slot);
  reader.read("order", suggestion.order);
  suggestion.receipt = read_receipt(reader.at("receipt"));
  return suggestion;
}

}  // namespace carbo::internal
