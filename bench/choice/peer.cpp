#include "bench/choice/peer.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "bench/hpo/line_process.hpp"
#include "replay/run.hpp"

namespace carbo::choice {

namespace {

using Json = nlohmann::ordered_json;

Json described(const Parameter& parameter) {
  if (parameter.kind() == ParameterKind::categorical)
    return {{"name", parameter.name()}, {"type", "categorical"}, {"choices", parameter.labels()}};
  const bool whole = parameter.kind() == ParameterKind::integer;
  if (!whole && parameter.kind() != ParameterKind::real)
    throw std::invalid_argument("parameter " + parameter.name() +
                                " is neither real, integer nor categorical: the peer knows no other");
  Json entry = {{"name", parameter.name()}, {"type", whole ? "integer" : "real"}};
  for (const auto& [key, bound] : {std::pair{"low", parameter.lower()}, std::pair{"high", parameter.upper()}})
    entry[key] = whole ? Json(static_cast<std::int64_t>(bound)) : Json(bound);
  entry["log"] = parameter.scale() == Scale::log;
  return entry;
}

Value value_of(const Parameter& parameter, const Json& said) {
  if (parameter.kind() == ParameterKind::categorical) return said.get<std::string>();
  if (parameter.kind() == ParameterKind::integer) return said.get<std::int64_t>();
  return said.get<double>();
}

replay::RunRecord run_peer(const replay::Problem& problem, const replay::RunKey& key, const std::string& sampler,
                           const std::vector<std::string>& command) {
  if (key.batch != 1) throw std::invalid_argument("a peer is run in sequence, not in batches of more than one");
  replay::RunRecord run{.key = key};
  hpo::LineProcess child(command);
  std::string line = start_line(problem.space, sampler, key.seed);
  while (run.spent < key.budget && run.steps.size() < problem.most_evaluations) {
    child.write_line(line);
    Proposal proposal = proposal_of(problem.space, child.read_line());
    run.seconds = proposal.seconds;
    Suggestion suggestion{.id = run.steps.size() + 1,
                          .configuration = std::move(proposal.configuration),
                          .pool_index = {},
                          .receipt = {}};
    suggestion.receipt.phase = Phase::search;
    const replay::Outcome outcome = problem.evaluate(suggestion, key.seed);
    run.steps.push_back(replay::step_of(problem, suggestion, outcome, run.spent));
    run.spent = run.steps.back().finished;
    line = told_line(outcome);
  }
  if (run.steps.empty()) throw std::runtime_error("the problem allows no evaluation");
  replay::fill_incumbents(run.steps);
  return run;
}

}  // namespace

std::string start_line(const Space& space, const std::string& sampler, std::uint64_t seed) {
  Json line = {{"sampler", sampler}, {"seed", seed}};
  for (const Parameter& parameter : space.parameters()) line["parameters"].push_back(described(parameter));
  return line.dump();
}

std::string told_line(const replay::Outcome& outcome) {
  if (!std::isfinite(outcome.objective)) return Json{{"failed", true}}.dump();
  return Json{{"objective", outcome.objective}}.dump();
}

Proposal proposal_of(const Space& space, const std::string& line) {
  const Json said = Json::parse(line, nullptr, false);
  try {
    std::map<std::string, Value> values;
    for (const Parameter& parameter : space.parameters())
      values[parameter.name()] = value_of(parameter, said.at("values").at(parameter.name()));
    return {.configuration = space.configuration(values), .seconds = said.at("seconds").get<double>()};
  } catch (const std::exception& fault) {
    throw std::runtime_error("this is no proposal (" + std::string(fault.what()) + "): " + line);
  }
}

Variant peer_variant(std::string name, std::string title, std::string sampler, std::vector<std::string> command) {
  Variant variant;
  variant.name = std::move(name);
  variant.title = std::move(title);
  variant.why = "a sampler that knows nothing of cost";
  variant.ignores_budget = true;
  variant.run = [sampler = std::move(sampler), command = std::move(command)](const replay::Problem& problem,
                                                                             const replay::RunKey& key) {
    return run_peer(problem, key, sampler, command);
  };
  return variant;
}

std::vector<Variant> optuna_variants() {
  const std::vector<std::string> command = {std::string(CARBO_CHOICE_FOLDER) + "/optuna_peer"};
  return {peer_variant("optuna_gp", "Optuna's GPSampler", "gp", command),
          peer_variant("optuna_tpe", "Optuna's TPE", "tpe", command)};
}

Rivals optuna_rivals(const std::vector<Variant>& samplers) {
  Rivals rivals;
  for (const Variant& sampler : samplers) {
    rivals.title += (rivals.title.empty() ? "" : " and ") + sampler.title;
    rivals.list.push_back({sampler.name, sampler.title});
  }
  rivals.title += ", all proposing freely";
  return rivals;
}

}  // namespace carbo::choice
