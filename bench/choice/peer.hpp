#pragma once

#include <string>
#include <vector>

#include "bench/choice/variants.hpp"

namespace carbo::choice {

/// The first line for the child: sampler, seed and the space, as JSON.
std::string start_line(const Space& space, const std::string& sampler, std::uint64_t seed);
/// What came of its proposal, as JSON.
std::string told_line(const replay::Outcome& outcome);
/// A configuration that it proposed, {"values": {name: value}, "seconds": CPU time so far}.
struct Proposal {
  Configuration configuration;
  double seconds = 0;
};
/// Throws std::runtime_error where the line is none, or no configuration of the space.
Proposal proposal_of(const Space& space, const std::string& line);

/// A sampler in a child process that is asked and told line by line, one child a run; in sequence alone. It knows
/// nothing of cost or budget.
Variant peer_variant(std::string name, std::string title, std::string sampler, std::vector<std::string> command);

/// Optuna's samplers, by bench/choice/optuna_peer.
std::vector<Variant> optuna_variants();
/// Some of them, as what savings are measured against.
Rivals optuna_rivals(const std::vector<Variant>& samplers);

}  // namespace carbo::choice
