#include "bench/choice/variants.hpp"

#include <functional>
#include <utility>

#include "bench/replay/methods.hpp"

namespace carbo::choice {

namespace {

using Setting = std::function<void(Options&, const replay::Problem&)>;

/// The library's defaults with what `set` changes of them.
Variant variant(std::string name, std::string title, std::string why, Setting set) {
  Variant result;
  result.name = std::move(name);
  result.title = std::move(title);
  result.why = std::move(why);
  result.configure = std::move(set);
  return result;
}

/// EI or EIpu after five uniform draws, otherwise as the library's defaults are.
Variant plain(std::string name, std::string title, std::string why, Acquisition acquisition, Setting set) {
  Variant result = variant(std::move(name), std::move(title), std::move(why),
                           [=](Options& options, const replay::Problem& problem) {
                             options.acquisition = acquisition;
                             options.initial_design = InitialDesign::uniform;
                             options.design.warm_start = 5;
                             set(options, problem);
                           });
  result.ignores_budget = true;
  return result;
}

/// The logarithm needs objectives above 0; where there may be others, they are left as they are.
void set_transform(Options& options, const replay::Problem& problem, Transform transform) {
  options.transform = transform == Transform::log && !(problem.optimum > 0) ? Transform::none : transform;
}

struct NamedTransform {
  const char* name;
  Transform transform;
};
constexpr NamedTransform transforms[] = {
    {"none", Transform::none}, {"log", Transform::log}, {"rank", Transform::rank}};

Setting transformed(Transform transform) {
  return [=](Options& options, const replay::Problem& problem) { set_transform(options, problem, transform); };
}

void add_paper(std::vector<Variant>& all) {
  for (replay::Method& method : replay::paper_methods()) {
    Variant& added = all.emplace_back();
    static_cast<replay::Method&>(added) = std::move(method);
    added.why = "as the paper has it";
  }
}

/// Designs of three sizes and two warm starts with each of the transforms.
void add_designs(std::vector<Variant>& all) {
  struct Design {
    const char* name;
    const char* title;
    double share;
  };
  constexpr Design designs[] = {{"_d3", "3 %", 0.03}, {"_d6", "6 %", 0.0625}, {"", "12.5 %", 0.125}};
  for (const NamedTransform& named : transforms)
    for (const Design& design : designs)
      for (const std::size_t warm : {5, 3})
        all.push_back(variant(std::string(named.name) + design.name + (warm == 5 ? "" : "_w3"),
                              std::string("Transform ") + named.name + ", design " + design.title + ", warm start " +
                                  std::to_string(warm),
                              "cheap points that teach nothing cost most where costs span decades",
                              [=](Options& options, const replay::Problem& problem) {
                                set_transform(options, problem, named.transform);
                                options.design.budget_share = design.share;
                                options.design.warm_start = warm;
                              }));
}

void add_acquisitions(std::vector<Variant>& all) {
  for (const NamedTransform& named : transforms) {
    const std::string suffix = std::string("_") + named.name, title = std::string(", transform ") + named.name;
    const auto with = [&](Acquisition acquisition) {
      return [acquisition, transform = named.transform](Options& options, const replay::Problem& problem) {
        set_transform(options, problem, transform);
        options.acquisition = acquisition;
      };
    };
    all.push_back(variant("per_cost" + suffix, "EI per cost to the end" + title, "does cooling pay at all",
                          with(Acquisition::ei_per_cost)));
    all.push_back(variant("blind" + suffix, "EI after the design" + title, "is the design all that pays",
                          with(Acquisition::ei)));
    all.push_back(variant("gittins" + suffix, "Gittins index" + title, "a rule for costs that needs no cooling",
                          with(Acquisition::gittins)));
    all.push_back(plain("ei" + suffix, "EI" + title, "what a transform alone is worth to EI", Acquisition::ei,
                        transformed(named.transform)));
    all.push_back(plain("eipu" + suffix, "EIpu" + title, "what a transform alone is worth to EIpu",
                        Acquisition::ei_per_cost, transformed(named.transform)));
  }
}

void add_models(std::vector<Variant>& all) {
  for (const double share : {0.0, 0.2, 0.6, 0.8})
    all.push_back(variant("local" + std::to_string(static_cast<int>(100 * share + 0.5)),
                          "Local share " + std::to_string(static_cast<int>(100 * share + 0.5)) + " %",
                          "candidates round the best points; says nothing on tables",
                          [=](Options& options, const replay::Problem&) { options.candidates.local_share = share; }));
  all.push_back(variant("likelihood", "Maximum likelihood", "hyperparameters as the paper fits them",
                        [](Options& options, const replay::Problem&) {
                          options.surrogate.estimation = options.cost.surrogate.estimation =
                              Estimation::maximum_likelihood;
                        }));
  all.push_back(
      variant("posterior_mean", "Incumbent by posterior mean", "noisy objectives mislead the lowest observed",
              [](Options& options, const replay::Problem&) { options.incumbent = Incumbent::posterior_mean; }));
}

/// One thing at a time beside the defaults.
void add_changes(std::vector<Variant>& all) {
  for (const double cooling : {0.0, 0.25, 0.5, 1.0})
    all.push_back(
        variant("cooling" + std::to_string(static_cast<int>(100 * cooling)),
                "Cooling " + std::to_string(static_cast<int>(100 * cooling)) + " %", "how long the cost should count",
                [=](Options& options, const replay::Problem&) { options.acquisition_parameters.cooling = cooling; }));
  for (const double gain : {0.0, 0.25, 0.75, 0.9})
    all.push_back(variant("gain" + std::to_string(static_cast<int>(100 * gain + 0.5)),
                          "Design while it teaches " + std::to_string(static_cast<int>(100 * gain + 0.5)) + " %",
                          "when the design stops paying",
                          [=](Options& options, const replay::Problem&) { options.design.least_gain = gain; }));
  all.push_back(variant("untransformed", "No transform", "what the transform is worth",
                        [](Options& options, const replay::Problem&) { options.transform = Transform::none; }));
  all.push_back(
      variant("paper_design", "The paper's design", "what ending it early is worth",
              [](Options& options, const replay::Problem&) { options.initial_design = InitialDesign::paper; }));
  all.push_back(variant("draws3", "Three uniform draws, no design", "is a design worth anything",
                        [](Options& options, const replay::Problem&) {
                          options.initial_design = InitialDesign::uniform;
                          options.design.warm_start = 3;
                        }));
  all.push_back(
      variant("mes", "MES-cool", "entropy instead of improvement",
              [](Options& options, const replay::Problem&) { options.acquisition = Acquisition::mes_cool; }));
  all.push_back(
      variant("gittins", "Gittins index", "a rule for costs that needs no cooling",
              [](Options& options, const replay::Problem&) { options.acquisition = Acquisition::gittins; }));
}

}  // namespace

const Rivals paper_rivals{"the paper's EI and EIpu", {{"ei", "EI"}, {"eipu", "EIpu"}}};
const Rivals equal_rivals{"EI and EIpu with the default's transform",
                          {{"ei_default", "EI"}, {"eipu_default", "EIpu"}}};

std::vector<Variant> all_variants() {
  std::vector<Variant> all;
  const Setting nothing = [](Options&, const replay::Problem&) {};
  add_paper(all);
  all.push_back(variant("default", "Default", "what a caller gets", nothing));
  all.push_back(plain("ei_default", "EI, default's transform", "rival on equal terms", Acquisition::ei, nothing));
  all.push_back(
      plain("eipu_default", "EIpu, default's transform", "rival on equal terms", Acquisition::ei_per_cost, nothing));
  add_designs(all);
  add_acquisitions(all);
  add_models(all);
  add_changes(all);
  return all;
}

}  // namespace carbo::choice
