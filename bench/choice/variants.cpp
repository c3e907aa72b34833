#include "bench/choice/variants.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "bench/support/words.hpp"
#include "replay/methods.hpp"

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

/// The logarithm needs objectives above 0; where there may be others, they are left as they are.
void set_transform(Options& options, const replay::Problem& problem, Transform transform) {
  options.transform = transform == Transform::log && !(problem.optimum > 0) ? Transform::none : transform;
}

/// In names.
std::string whole_percent(double share) { return std::to_string(static_cast<int>(100 * share + 0.5)); }

/// A change for each of the shares: its name and title end with them, in per cent.
void add_shares(std::vector<Variant>& all, const std::string& name, const std::string& title, const std::string& why,
                std::initializer_list<double> shares, void (*set)(Options&, double)) {
  for (const double share : shares)
    all.push_back(variant(name + whole_percent(share), title + " " + whole_percent(share) + " %", why,
                          [=](Options& options, const replay::Problem&) { set(options, share); }));
}

void add_transforms(std::vector<Variant>& all) {
  const std::string why = "what the transform is worth";
  const auto transformed = [](Transform transform) -> Setting {
    return [=](Options& options, const replay::Problem& problem) { set_transform(options, problem, transform); };
  };
  all.push_back(variant("untransformed", "No transform", why, transformed(Transform::none)));
  all.push_back(variant("log", "Logarithm", why, transformed(Transform::log)));
  all.push_back(variant("rank", "Ranks", why, transformed(Transform::rank)));
}

void add_designs(std::vector<Variant>& all) {
  const std::string why = "cheap points that teach nothing cost most where costs span decades";
  for (const std::size_t warm : {1, 2, 3, 4, 5})
    all.push_back(variant("warm" + std::to_string(warm), "Uniform draws: " + std::to_string(warm), why,
                          [=](Options& options, const replay::Problem&) { options.design.warm_start = warm; }));
  add_shares(all, "share", "Design's share", why, {0.03, 0.06, 0.125, 0.25},
             [](Options& options, double share) { options.design.budget_share = share; });
  add_shares(all, "gain", "Design while it teaches", "when the design stops paying", {0, 0.25, 0.5, 0.75, 0.9},
             [](Options& options, double gain) { options.design.least_gain = gain; });
  all.push_back(
      variant("paper_design", "The paper's design", "what ending it early is worth",
              [](Options& options, const replay::Problem&) { options.initial_design = InitialDesign::paper; }));
  all.push_back(
      variant("no_design", "Uniform draws, no design", "is a design worth anything",
              [](Options& options, const replay::Problem&) { options.initial_design = InitialDesign::uniform; }));
}

void add_acquisitions(std::vector<Variant>& all) {
  add_shares(all, "cooling", "Cooling", "how long the cost should count", {0, 0.1, 0.25, 0.5, 1},
             [](Options& options, double cooling) { options.acquisition_parameters.cooling = cooling; });
  add_shares(all, "decay", "Decay of lambda", "how soon the Gittins index goes on to smaller gains", {0.25, 0.75},
             [](Options& options, double decay) { options.acquisition_parameters.lambda_decay = decay; });
  for (Variant& each : replay::acquisition_methods()) all.push_back(std::move(each));
}

void add_models(std::vector<Variant>& all) {
  add_shares(all, "local", "Local share", "candidates round the best points; says nothing on tables",
             {0, 0.2, 0.6, 0.8}, [](Options& options, double share) { options.candidates.local_share = share; });
  all.push_back(variant("likelihood", "Maximum likelihood", "hyperparameters as the paper fits them",
                        [](Options& options, const replay::Problem&) {
                          options.surrogate.estimation = options.cost.surrogate.estimation =
                              Estimation::maximum_likelihood;
                        }));
  all.push_back(
      variant("lowest_observed", "Incumbent by lowest observed", "what the paper measures improvement from",
              [](Options& options, const replay::Problem&) { options.incumbent = Incumbent::lowest_observed; }));
  all.push_back(
      variant("posterior_mean", "Incumbent by posterior mean", "noisy objectives mislead the lowest observed",
              [](Options& options, const replay::Problem&) { options.incumbent = Incumbent::posterior_mean; }));
  all.push_back(variant("expected_cost", "Mean of the cost", "costs that are little known count as higher",
                        [](Options& options, const replay::Problem&) { options.cost.weight = CostWeight::mean; }));
}

void add_rounds(std::vector<Variant>& all) {
  const std::string why = "workers with a short evaluation wait for the longest";
  const auto queued = [](Batches batches) -> Setting {
    return [=](Options& options, const replay::Problem&) { options.batches = batches; };
  };
  all.push_back(variant("fill", "Rounds as long as their first pick", why, queued(Batches::fill)));
  all.push_back(variant("top_up", "Fixed batches, topped up", why, queued(Batches::top_up)));
  all.push_back(variant("own_cost", "The cost of every pick its own", "what begins together ends together",
                        [](Options& options, const replay::Problem&) { options.pick_cost = PickCost::own; }));
}

void add_caution(std::vector<Variant>& all) {
  all.push_back(variant("strict", "Nothing that ends late", "what is not predicted to end in time is worth nothing",
                        [](Options& options, const replay::Problem&) { options.strict = true; }));
  all.push_back(variant("moment", "Mean of 1 / cost", "what a unit of cost buys, where costs are little known",
                        [](Options& options, const replay::Problem&) { options.cost.weight = CostWeight::moment; }));
  all.push_back(
      variant("batched", "Hyperparameters drawn", "improvement over what they may be, not what they most likely are",
              [](Options& options, const replay::Problem&) { options.fantasies.mode = FantasyMode::batched; }));
}

/// One thing each that differs from the default.
std::vector<Variant> all_changes() {
  std::vector<Variant> all;
  add_transforms(all);
  add_designs(all);
  add_acquisitions(all);
  add_models(all);
  add_rounds(all);
  add_caution(all);
  return all;
}

/// One change after the other. What is made of several is run with every budget.
Variant joined(Variant first, const Variant& then) {
  first.name += "+" + then.name;
  first.title += "; " + then.title;
  first.why += "; " + then.why;
  first.ignores_budget = false;
  first.configure = [one = std::move(first.configure), other = then.configure](Options& options,
                                                                               const replay::Problem& problem) {
    one(options, problem);
    other(options, problem);
  };
  return first;
}

}  // namespace

const Rivals paper_rivals{"the paper's EI and EIpu", {{"ei", "EI"}, {"eipu", "EIpu"}}};
const Rivals equal_rivals{"EI and EIpu with the default's transform",
                          {{"ei_default", "EI"}, {"eipu_default", "EIpu"}}};

std::vector<Variant> all_variants() {
  std::vector<Variant> all = replay::paper_methods();
  for (Variant& each : replay::default_methods()) all.push_back(std::move(each));
  for (Variant& change : all_changes()) all.push_back(std::move(change));
  return all;
}

std::vector<Variant> variants_named(const std::vector<std::string>& names) {
  const std::vector<Variant> all = all_variants(), changes = all_changes();
  std::vector<Variant> result;
  for (const std::string& name : names) {
    if (std::any_of(result.begin(), result.end(), [&](const Variant& known) { return known.name == name; })) continue;
    const std::vector<std::string> parts = bench::split_names(name, '+');
    Variant made = bench::named(all, {parts.empty() ? name : parts.front()}).front();
    for (std::size_t i = 1; i < parts.size(); ++i) made = joined(made, bench::named(changes, {parts[i]}).front());
    if (made.name != name) throw std::invalid_argument("'" + name + "' joins a setting with nothing");
    result.push_back(std::move(made));
  }
  return result;
}

}  // namespace carbo::choice
