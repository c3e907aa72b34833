#pragma once

#include <string>
#include <vector>

#include <carbo/options.hpp>

namespace carbo::study {

/// An initial design and an acquisition.
struct Method {
  std::string name;   ///< in files and on the command line
  std::string title;  ///< in tables and figures
  Acquisition acquisition;
  InitialDesign design;
};

/// Methods that CArBO's savings are measured against: random, EI and EIpu.
inline const std::vector<std::string> rivals = {"random", "ei", "eipu"};
/// CArBO without cost-cooling.
inline const std::vector<std::string> ablations = {"design_ei", "design_eipu"};

/// In the order of tables and figures.
inline std::vector<Method> all_methods() {
  return {{"random", "Random", Acquisition::random, InitialDesign::uniform},
          {"ei", "EI", Acquisition::ei, InitialDesign::uniform},
          {"eipu", "EIpu", Acquisition::ei_per_cost, InitialDesign::uniform},
          {"design_ei", "Design + EI", Acquisition::ei, InitialDesign::cost_effective},
          {"design_eipu", "Design + EIpu", Acquisition::ei_per_cost, InitialDesign::cost_effective},
          {"carbo", "CArBO", Acquisition::ei_cool, InitialDesign::cost_effective}};
}

}  // namespace carbo::study
