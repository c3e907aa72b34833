#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "faults/allocation_faults.hpp"
#include "support/sanitized.hpp"

namespace carbo::test {

/// What a scenario did and found, without addresses and times.
using Transcript = std::string;

struct SweepFigures {
  std::uint64_t allocations = 0;  ///< inside windows, undisturbed
  std::uint64_t runs = 0;
  std::uint64_t struck = 0;  ///< runs in which an allocation failed
};

/// Runs `scenario` undisturbed, and then with one allocation after the other failing, both kinds of Fault each. After
/// every run nothing more may be allocated than before; `check` gets the undisturbed transcript and that of the run.
/// A run that takes minutes ends the program and says which it was. About `runs` of them, evenly spaced; with
/// CARBO_FAULTS=whole in the environment every allocation has its two, and with a number about so many are made.
/// Stops at the first run that fails.
SweepFigures sweep(const std::string& name, const std::function<Transcript()>& scenario,
                   const std::function<void(const Transcript& undisturbed, const Transcript& disturbed)>& check,
                   std::uint64_t runs = cases(300));

}  // namespace carbo::test
