#include <algorithm>
#include <cmath>

#include "gp/surrogate_state.hpp"

namespace carbo::internal {

Tree tree_of(const Hyperparameters& hyperparameters) {
  Tree tree = Tree::object();
  tree.set("lengthscales", hyperparameters.lengthscales);
  tree.set("signal_variance", hyperparameters.signal_variance);
  tree.set("noise_variance", hyperparameters.noise_variance);
  tree.set("mean", hyperparameters.mean);
  return tree;
}

Hyperparameters read_hyperparameters(const TreeReader& reader) {
  Hyperparameters read;
  read.lengthscales = reader.get<std::vector<double>>("lengthscales");
  read.signal_variance = reader.get<double>("signal_variance");
  read.noise_variance = reader.get<double>("noise_variance");
  reader.read("mean", read.mean);
  return read;
}

Tree tree_of(const Calibration& calibration) {
  Tree tree = Tree::object();
  tree.set("log_density", calibration.log_density);
  tree.set("coverage", calibration.coverage);
  tree.set("squared_residual", calibration.squared_residual);
  return tree;
}

Calibration read_calibration(const TreeReader& reader) {
  return {reader.get<double>("log_density"), reader.get<double>("coverage"), reader.get<double>("squared_residual")};
}

Tree tree_of(const Standardisation& units) {
  Tree tree = Tree::object();
  tree.set("shift", units.shift);
  tree.set("scale", units.scale);
  return tree;
}

Standardisation read_standardisation(const TreeReader& reader) {
  const Standardisation units{reader.get<double>("shift"), reader.get<double>("scale")};
  reader.require(std::isfinite(units.shift) && std::isfinite(units.scale) && units.scale > 0,
                 "expected a finite shift and a finite scale above 0");
  return units;
}

namespace {

Tree tree_of(const FactorState& factor) {
  Tree tree = Tree::object();
  tree.set("rows", factor.rows);
  tree.set("order", factor.order);
  if (!factor.counts.empty()) tree.set("counts", factor.counts);
  if (!factor.targets.empty()) tree.set("targets", factor.targets);
  return tree;
}

FactorState read_factor_state(const TreeReader& reader) {
  FactorState factor;
  factor.rows = reader.get<std::uint64_t>("rows");
  factor.order = reader.get<std::vector<std::size_t>>("order");
  reader.read("counts", factor.counts);
  reader.read("targets", factor.targets);
  return factor;
}

}  // namespace

Tree tree_of(const SurrogateState& state) {
  Tree tree = Tree::object();
  tree.set("observations", state.observations);
  if (state.observations == 0) return tree;
  tree.set("hyperparameters", tree_of(state.hyperparameters));
  tree.set("rows_at_fit", state.rows_at_fit);
  tree.set("rows_at_full_fit", state.rows_at_full_fit);
  if (state.most_points != std::numeric_limits<std::size_t>::max()) tree.set("most_points", state.most_points);
  if (!state.chosen_rows.empty()) {
    tree.set("chosen_rows", state.chosen_rows);
    tree.set("chosen_of", state.chosen_of);
    tree.set("chosen", state.chosen);
    tree.set("background_weights", state.background_weights);
  }
  if (state.sampled > 0) tree.set("sampled", state.sampled);
  if (state.calibration) tree.set("calibration", tree_of(*state.calibration));
  if (state.factor) tree.set("factor", tree_of(*state.factor));
  return tree;
}

SurrogateState read_surrogate_state(const TreeReader& reader) {
  SurrogateState state;
  state.observations = reader.get<std::uint64_t>("observations");
  if (state.observations == 0) return state;
  state.hyperparameters = read_hyperparameters(reader.at("hyperparameters"));
  state.rows_at_fit = reader.get<std::uint64_t>("rows_at_fit");
  state.rows_at_full_fit = reader.get<std::uint64_t>("rows_at_full_fit");
  reader.read("most_points", state.most_points);
  reader.read("chosen_rows", state.chosen_rows);
  reader.read("chosen_of", state.chosen_of);
  reader.read("chosen", state.chosen);
  reader.read("background_weights", state.background_weights);
  reader.read("sampled", state.sampled);
  if (const auto calibration = reader.find("calibration")) state.calibration = read_calibration(*calibration);
  if (const auto factor = reader.find("factor")) state.factor = read_factor_state(*factor);
  return state;
}

}  // namespace carbo::internal
