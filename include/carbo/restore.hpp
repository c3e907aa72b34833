#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <carbo/cost.hpp>
#include <carbo/options.hpp>
#include <carbo/space.hpp>

namespace carbo {

/// What the text of a state cannot hold, given again to Optimizer::restore under the names that the state has for it,
/// and what may differ from then on.
struct RestoreOptions {
  /// By the descriptions that Space::constrain was given; the second of one description is "description (2)".
  std::map<std::string, Space::Predicate> constraints{};
  /// Functions, and columns of a pool that is not in the state, by the settings that they are: "cost.known",
  /// "cost.known_part", "cost.features[2]", or a part of a ready-made feature, "cost.features[2], layers[1]".
  std::map<std::string, Quantity> quantities{};
  /// Where the state has no more of the pool than its size and its hash.
  std::shared_ptr<const Pool> pool{};
  /// In place of the state's, for another machine; a `memory_bytes` of 0 stands for the state's.
  std::optional<BackendOptions> backend{};
  /// Whether the time between save and restore counts, by the clock of the calendar; for Accounting::wall_clock.
  bool count_time_between = false;
};

}  // namespace carbo
