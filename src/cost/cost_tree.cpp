#include <carbo/to_string.hpp>

#include "cost/cost_state.hpp"

namespace carbo::internal {
namespace {

Tree tree_of(const LinearTrendState& state) {
  Tree tree = Tree::object();
  tree.set("coefficients", state.coefficients);
  tree.set("intercept", state.intercept);
  tree.set("knee", state.knee);
  tree.set("spread", state.spread);
  tree.set("covariance", state.covariance);
  tree.set("calibration", internal::tree_of(state.calibration));
  return tree;
}

LinearTrendState read_linear_trend_state(const TreeReader& reader) {
  LinearTrendState state;
  state.coefficients = reader.get<std::vector<double>>("coefficients");
  state.intercept = reader.get<double>("intercept");
  state.knee = reader.get<double>("knee");
  state.spread = reader.get<double>("spread");
  state.covariance = reader.get<std::vector<double>>("covariance");
  state.calibration = read_calibration(reader.at("calibration"));
  return state;
}

Tree tree_of(const ResidualGpState& state) {
  Tree tree = Tree::object();
  tree.set("observations", state.observations);
  if (state.observations == 0) return tree;
  if (!state.offsets.empty()) tree.set("offsets", state.offsets);
  tree.set("units", internal::tree_of(state.units));
  if (!state.lowest.empty()) {
    tree.set("lowest", state.lowest);
    tree.set("highest", state.highest);
    tree.set("targets", state.targets);
  }
  tree.set("imputed", state.imputed);
  tree.set("surrogate", internal::tree_of(state.surrogate));
  return tree;
}

ResidualGpState read_residual_gp_state(const TreeReader& reader) {
  ResidualGpState state;
  state.observations = reader.get<std::uint64_t>("observations");
  if (state.observations == 0) return state;
  reader.read("offsets", state.offsets);
  state.units = read_standardisation(reader.at("units"));
  reader.read("lowest", state.lowest);
  reader.read("highest", state.highest);
  reader.read("targets", state.targets);
  state.imputed = reader.get<bool>("imputed");
  state.surrogate = read_surrogate_state(reader.at("surrogate"));
  return state;
}

}  // namespace

Tree tree_of(const CostModelScore& score) {
  Tree tree = Tree::object();
  tree.set("model", score.model);
  tree.set("log_density", score.log_density);
  return tree;
}

CostModelScore read_cost_model_score(const TreeReader& reader) {
  return {reader.get<CostModelKind>("model"), reader.get<double>("log_density")};
}

Tree tree_of(const CostModelState& state) {
  Tree tree = Tree::object();
  tree.set("learned", state.learned);
  tree.set("kind", state.kind);
  tree.set("chosen", state.chosen);
  tree.set("observations", state.observations);
  tree.set_all("scores", state.scores, tree_of);
  if (state.trend) tree.set("trend", tree_of(*state.trend));
  if (state.log_gp) tree.set("log_gp", tree_of(*state.log_gp));
  if (state.residual_gp) tree.set("residual_gp", tree_of(*state.residual_gp));
  return tree;
}

CostModelState read_cost_model_state(const TreeReader& reader) {
  CostModelState state;
  state.learned = reader.get<bool>("learned");
  state.kind = reader.get<CostModelKind>("kind");
  state.chosen = reader.get<bool>("chosen");
  state.observations = reader.get<std::uint64_t>("observations");
  for (const TreeReader& score : reader.elements("scores")) state.scores.push_back(read_cost_model_score(score));
  if (const auto trend = reader.find("trend")) state.trend = read_linear_trend_state(*trend);
  if (const auto log_gp = reader.find("log_gp")) state.log_gp = read_residual_gp_state(*log_gp);
  if (const auto residual = reader.find("residual_gp")) state.residual_gp = read_residual_gp_state(*residual);
  return state;
}

}  // namespace carbo::internal
