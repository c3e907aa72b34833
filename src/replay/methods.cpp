#include "replay/methods.hpp"

#include <algorithm>
#include <utility>

#include <carbo/error.hpp>

namespace carbo::replay {

namespace {

Method method_of(std::string name, std::string title, Acquisition acquisition, InitialDesign design,
                 std::string why) {
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
                options.pick_cost = PickCost::own;
              },
          .ignores_budget = design == InitialDesign::uniform && !cooled,
          .why = std::move(why)};
}

/// EI or EIpu after five uniform draws, from the lowest observed and by the cost of every pick, otherwise as the
/// library's defaults are.
Method on_equal_terms(std::string name, std::string title, Acquisition acquisition, std::string why) {
  return {.name = std::move(name),
          .title = std::move(title),
          .configure =
              [=](Options& options, const Problem&) {
                options.acquisition = acquisition;
                options.initial_design = InitialDesign::uniform;
                options.design.warm_start = 5;
                options.incumbent = Incumbent::lowest_observed;
                options.pick_cost = PickCost::own;
              },
          .ignores_budget = true,
          .why = std::move(why)};
}

Method default_with(std::string name, std::string title, Acquisition acquisition, std::string why) {
  return {.name = std::move(name),
          .title = std::move(title),
          .configure = [=](Options& options, const Problem&) { options.acquisition = acquisition; },
          .why = std::move(why)};
}

}  // namespace

const std::vector<std::string> rivals = {"random", "ei", "eipu"};
const std::string ours = "carbo";

std::vector<Method> paper_methods() {
  return {method_of("random", "Random", Acquisition::random, InitialDesign::uniform, "uniform draws"),
          method_of("ei", "EI", Acquisition::ei, InitialDesign::uniform, "expected improvement, blind to the cost"),
          method_of("eipu", "EIpu", Acquisition::ei_per_cost, InitialDesign::uniform,
                    "expected improvement per unit of cost"),
          method_of("design_ei", "Design + EI", Acquisition::ei, InitialDesign::paper, "the paper's design, then EI"),
          method_of("design_eipu", "Design + EIpu", Acquisition::ei_per_cost, InitialDesign::paper,
                    "the paper's design, then EIpu"),
          method_of("carbo", "CArBO", Acquisition::ei_cool, InitialDesign::paper, "as the paper has it")};
}

std::vector<Method> default_methods() {
  return {
      {.name = "default",
       .title = "Default",
       .configure = [](Options&, const Problem&) {},
       .why = "what Carbo does unless it is told otherwise"},
      on_equal_terms("ei_default", "EI, default's transform", Acquisition::ei, "EI on equal terms"),
      on_equal_terms("eipu_default", "EIpu, default's transform", Acquisition::ei_per_cost, "EIpu on equal terms")};
}

std::vector<Method> acquisition_methods() {
  return {default_with("blind", "EI after the design", Acquisition::ei, "is the design all that pays"),
          default_with("mes", "MES-cool", Acquisition::mes_cool, "entropy instead of improvement"),
          default_with("gittins", "Gittins index", Acquisition::gittins, "a rule for costs that needs no cooling")};
}

std::vector<Method> known_methods() {
  std::vector<Method> all;
  for (const auto& group : {default_methods(), paper_methods(), acquisition_methods()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<Method> methods_named(const std::vector<std::string>& names) {
  const std::vector<Method> all = known_methods();
  std::vector<Method> chosen;
  for (const std::string& name : names) {
    const auto called = [&](const Method& method) { return method.name == name; };
    const auto found = std::find_if(all.begin(), all.end(), called);
    if (found == all.end()) {
      std::string known;
      for (const Method& method : all) known += (known.empty() ? "" : ", ") + method.name;
      throw InvalidOptions("there is no method '" + name + "' among " + known);
    }
    if (std::any_of(chosen.begin(), chosen.end(), called))
      throw InvalidOptions("method '" + name + "' is named twice; each is run once");
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace carbo::replay
