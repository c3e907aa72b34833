#pragma once

#include <string>
#include <vector>

#include "replay/problem.hpp"

namespace carbo::replay {

/// Methods that CArBO's savings are measured against: random, EI and EIpu, which start from five uniform draws.
extern const std::vector<std::string> rivals;
/// The method whose savings are measured.
extern const std::string ours;

/// As the paper has them, whatever the library's defaults are: five uniform draws, a design of an eighth of the
/// budget, objectives as they are, improvement below the lowest of them, the cost of every pick its own. Random, EI,
/// EIpu, the cost-effective design with EI and with EIpu to the end, and CArBO, in the order of tables and figures.
std::vector<Method> paper_methods();

/// The library's defaults, and EI and EIpu with the default's transform.
std::vector<Method> default_methods();

/// The library's defaults with another acquisition each.
std::vector<Method> acquisition_methods();

/// All of them, the default first.
std::vector<Method> known_methods();

/// Those of these names, in their order. Throws InvalidOptions where one is unknown, with those that there are, or
/// stands there twice.
std::vector<Method> methods_named(const std::vector<std::string>& names);

}  // namespace carbo::replay
