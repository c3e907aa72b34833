#include "bench/replay/methods.hpp"

#include <utility>

namespace carbo::replay {

namespace {

Method method_of(std::string name, std::string title, Acquisition acquisition, InitialDesign design) {
  return {.name = std::move(name), .title = std::move(title), .configure = [=](Options& options, const Problem&) {
            options.acquisition = acquisition;
            options.initial_design = design;
            options.transform = Transform::none;
            options.design.budget_share = 1.0 / 8.0;
            options.design.warm_start = 5;
          }};
}

}  // namespace

const std::vector<std::string> rivals = {"random", "ei", "eipu"};
const std::string ours = "carbo";

std::vector<Method> paper_methods() {
  return {method_of("random", "Random", Acquisition::random, InitialDesign::uniform),
          method_of("ei", "EI", Acquisition::ei, InitialDesign::uniform),
          method_of("eipu", "EIpu", Acquisition::ei_per_cost, InitialDesign::uniform),
          method_of("design_ei", "Design + EI", Acquisition::ei, InitialDesign::cost_effective),
          method_of("design_eipu", "Design + EIpu", Acquisition::ei_per_cost, InitialDesign::cost_effective),
          method_of("carbo", "CArBO", Acquisition::ei_cool, InitialDesign::cost_effective)};
}

}  // namespace carbo::replay
