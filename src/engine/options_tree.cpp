#include "engine/options_tree.hpp"

#include <utility>

#include <carbo/to_string.hpp>

#include "cost/quantity_tree.hpp"
#include "gp/surrogate_state.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// Settings, written to a tree or read from one by the same list of them.
class Writer {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    tree_.set(key, value);
  }
  void operator()(const char* key, int value) { tree_.set(key, static_cast<double>(value)); }
  void operator()(const char* key, const std::optional<Hyperparameters>& value) {
    if (value) tree_.set(key, tree_of(*value));
  }
  void operator()(const char* key, const std::optional<Quantity>& value) {
    if (value) tree_.set(key, tree_of(*value));
  }
  void operator()(const char* key, const std::vector<CostFeature>& values) { tree_.set_all(key, values, tree_of); }
  void operator()(const char* key, const std::vector<Configuration>& values) { tree_.set_all(key, values, tree_of); }
  template <class Visit>
  void group(const char* key, const Visit& visit) {
    Writer inner;
    visit(inner);
    tree_.set(key, inner.take());
  }
  Tree take() { return std::move(tree_); }

 private:
  Tree tree_ = Tree::object();
};

class Reader {
 public:
  /// `name`: of the group, as settings are named in messages.
  Reader(const TreeReader& tree, const Space& space, GivenAgain& given, std::string name = "")
      : tree_(tree), space_(space), given_(given), name_(std::move(name)) {}

  template <class T>
  void operator()(const char* key, T& value) {
    tree_.read(key, value);
  }
  void operator()(const char* key, std::optional<Hyperparameters>& value) {
    if (const auto member = tree_.find(key)) value = read_hyperparameters(*member);
  }
  void operator()(const char* key, std::optional<Quantity>& value) {
    if (const auto member = tree_.find(key)) value = read_quantity(*member, name_ + key, given_);
  }
  void operator()(const char* key, std::vector<CostFeature>& values) {
    for (const TreeReader& one : tree_.elements(key))
      values.push_back(read_feature(one, text(name_, key, "[", values.size(), "]"), given_));
  }
  void operator()(const char* key, std::vector<Configuration>& values) {
    for (const TreeReader& one : tree_.elements(key)) values.push_back(read_configuration(one, space_));
  }
  template <class Visit>
  void group(const char* key, const Visit& visit) {
    const auto member = tree_.find(key);
    if (!member) return;
    Reader inner(*member, space_, given_, text(name_, key, "."));
    visit(inner);
  }

 private:
  const TreeReader& tree_;
  const Space& space_;
  GivenAgain& given_;
  std::string name_;
};

class Names {
 public:
  Names(std::vector<std::string>& names, std::string group = "") : names_(names), group_(std::move(group)) {}

  template <class T>
  void operator()(const char* key, const T&) {
    names_.push_back(group_ + key);
  }
  template <class Visit>
  void group(const char* key, const Visit& visit) {
    Names inner(names_, text(group_, key, "."));
    visit(inner);
  }

 private:
  std::vector<std::string>& names_;
  std::string group_;
};

template <class Visit, class Group>
void visit_surrogate(Visit& visit, Group& surrogate) {
  visit("estimation", surrogate.estimation);
  visit("noise_floor", surrogate.noise_floor);
  visit("restarts", surrogate.restarts);
  visit("fixed", surrogate.fixed);
  visit("max_points", surrogate.max_points);
}

template <class Visit, class Group>
void visit_candidates(Visit& visit, Group& candidates) {
  visit("source", candidates.source);
  visit("count", candidates.count);
  visit("enumeration_limit", candidates.enumeration_limit);
  visit("renew", candidates.renew);
  visit("local_share", candidates.local_share);
  visit("allow_repeats", candidates.allow_repeats);
}

template <class Visit, class Group>
void visit_cost(Visit& visit, Group& cost) {
  visit("model", cost.model);
  visit("features", cost.features);
  visit("error", cost.error);
  visit("known", cost.known);
  visit("known_part", cost.known_part);
  visit("robust", cost.robust);
  visit("weight", cost.weight);
  visit.group("surrogate", [&](Visit& in) { visit_surrogate(in, cost.surrogate); });
  visit("unit", cost.unit);
}

template <class Visit, class Group>
void visit_backend(Visit& visit, Group& backend) {
  visit("kind", backend.kind);
  visit("threads", backend.threads);
  visit("tile", backend.tile);
  visit("memory_bytes", backend.memory_bytes);
  visit("device", backend.device);
}

template <class Visit, class Group>
void visit_run(Visit& visit, Group& options) {
  visit("budget", options.budget);
  visit("batch_size", options.batch_size);
  visit("seed", options.seed);
  visit("acquisition", options.acquisition);
  visit.group("acquisition_parameters", [&](Visit& in) {
#define CARBO_VISIT(name, standard, lowest, highest) in(#name, options.acquisition_parameters.name);
    CARBO_ACQUISITION_PARAMETERS(CARBO_VISIT)
#undef CARBO_VISIT
  });
  visit("initial_design", options.initial_design);
  visit("goal", options.goal);
  visit("execution", options.execution);
  visit("accounting", options.accounting);
  visit("batches", options.batches);
  visit("pick_cost", options.pick_cost);
  visit("strict", options.strict);
  visit("max_evaluations", options.max_evaluations);
  visit("target", options.target);
  visit("transform", options.transform);
  visit("incumbent", options.incumbent);
}

template <class Visit, class Group>
void visit_options(Visit& visit, Group& options) {
  visit_run(visit, options);
  visit.group("surrogate", [&](Visit& in) { visit_surrogate(in, options.surrogate); });
  visit.group("design", [&](Visit& in) {
    in("budget_share", options.design.budget_share);
    in("warm_start", options.design.warm_start);
    in("least_gain", options.design.least_gain);
    in("points", options.design.points);
  });
  visit.group("candidates", [&](Visit& in) { visit_candidates(in, options.candidates); });
  visit.group("cost", [&](Visit& in) { visit_cost(in, options.cost); });
  visit.group("fantasies", [&](Visit& in) {
    in("count", options.fantasies.count);
    in("mode", options.fantasies.mode);
  });
  visit.group("failures", [&](Visit& in) {
    in("penalize", options.failures.penalize);
    in("max_consecutive", options.failures.max_consecutive);
  });
  visit.group("backend", [&](Visit& in) { visit_backend(in, options.backend); });
  visit.group("evaluation", [&](Visit& in) {
    in("timeout", options.evaluation.timeout);
    in("timeout_factor", options.evaluation.timeout_factor);
  });
  visit.group("stopping", [&](Visit& in) {
    in("price", options.stopping.price);
    in("enforce", options.stopping.enforce);
  });
}

}  // namespace

Tree tree_of(const Options& options) {
  Writer writer;
  visit_options(writer, options);
  return writer.take();
}

Options read_options(const TreeReader& tree, const Space& space, GivenAgain& given) {
  Options options;
  Reader reader(tree, space, given);
  visit_options(reader, options);
  return options;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  Names list(names);
  const Options options;
  visit_options(list, options);
  return names;
}

}  // namespace carbo::internal
