#include "replay/methods.hpp"

#include <utility>

namespace carbo::replay {

namespace {

Method method_of(std::string name, std::string title, Acquisition acquisition, InitialDesign design) {
  const bool cooled = acquisition == Acquisition::ei_cool;
  return {.name = std::move(name),
          .title = std::move(title),
          .configure =
              [=](Options& options, const Problem&) {
                options.acquisition = acquisition;
                options.acquisition_parameters.cooling = 1;
                options.initial_design = design;
                options.design.budget_share = 1.0 / 8.0;
                options.design.warm_start = 5;
                options.transform = Transform::none;
                options.incumbent = Incumbent::lowest_observed;
              },
          .ignores_budget = design == InitialDesign::uniform && !cooled};
}

}  // namespace

const std::vector<std::string> rivals = {"random", "ei", "eipu"};
const std::string ours = "carbo";

std::vector<Method> paper_methods() {
  return {method_of("random", "Random", Acquisition::random, InitialDesign::uniform),
          method_of("ei", "EI", Acquisition::ei, InitialDesign::uniform),
          method_of("eipu", "EIpu", Acquisition::ei_per_cost, InitialDesign::uniform),
          method_of("design_ei", "Design + EI", Acquisition::ei, InitialDesign::paper),
          method_of("design_eipu", "Design + EIpu", Acquisition::ei_per_cost, InitialDesign::paper),
          method_of("carbo", "CArBO", Acquisition::ei_cool, InitialDesign::paper)};
}

}  // namespace carbo::replay
