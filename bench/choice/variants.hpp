#pragma once

#include <string>
#include <vector>

#include "replay/problem.hpp"

namespace carbo::choice {

/// One way to optimise that is tried. Runs are stored by its name, so a name stands for one setting; what is derived
/// from the library's defaults wants a new folder once they change.
using Variant = replay::Method;

/// What has a name of one word: the paper's methods, the default, and one thing each that differs from it.
std::vector<Variant> all_variants();
/// Those of these names, in their order, each once. Changes of the default are joined by a plus, and come one after
/// the other: "cooling0+warm2". Throws std::invalid_argument naming what is unknown, with what there is.
std::vector<Variant> variants_named(const std::vector<std::string>& names);

/// A method that savings are measured against.
struct Rival {
  std::string name{};   ///< of the method
  std::string title{};  ///< in tables
};
/// One or more of them, in the order of tables.
struct Rivals {
  std::string title{};
  std::vector<Rival> list{};
};
/// EI and EIpu of the paper: five uniform draws, objectives as they are, the same GP otherwise.
extern const Rivals paper_rivals;
/// The same with the default's transform: what the cost side alone saves.
extern const Rivals equal_rivals;

}  // namespace carbo::choice
