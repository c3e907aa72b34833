#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carbo/optimizer.hpp>

namespace carbo::internal {

/// What the warnings of a run look at.
struct RunFacts {
  const Space& space;
  const Options& options;
  std::span<const Observation> observations;
  bool accounting_automatic = false;  ///< as the caller gave it; `options` has what it stands for
  double spent = 0;
  bool searched = false;                      ///< whether the initial design is over
  std::uint64_t suggested = 0;                ///< suggestions made
  std::optional<std::uint64_t> candidates{};  ///< where there is a fixed number of them
  StopReason reason = StopReason::running;
};

/// One sentence for each thing that is legal and was probably not meant, with what would be right.
std::vector<std::string> warnings_of(const RunFacts& facts);

}  // namespace carbo::internal
