#include "program/file/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <carbo/error.hpp>

#include "engine/options_tree.hpp"
#include "engine/time_unit.hpp"
#include "program/file/amount.hpp"
#include "program/file/cost_features.hpp"
#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;
using internal::Tree;

/// Settings of `[cost]` that say how it is read; the others are the library's.
bool is_reading(std::string_view key) {
  for (const char* const each : {"read", "factor", "json", "stdout", "stderr", "file", "key", "measure"})
    if (key == each) return true;
  return false;
}

/// As the library reads its settings: a tree without places.
class TreeMaker {
 public:
  TreeMaker(const Document& document, const PoolTable& pool, RestoreOptions& given)
      : document_(document), pool_(pool), given_(given) {}

  Tree plain(const Node& node) const {
    if (const bool* const truth = node.get<bool>()) return Tree(*truth);
    if (const double* const number = node.get<double>()) return Tree(*number);
    if (const auto* const words = node.get<std::string>()) return Tree(*words);
    if (const auto* const whole = node.get<std::int64_t>())
      return *whole >= 0 ? Tree(static_cast<std::uint64_t>(*whole)) : Tree(static_cast<double>(*whole));
    if (const auto* const elements = node.get<Node::Array>()) {
      Tree::Array all;
      for (const Node& element : *elements) all.push_back(plain(element));
      return Tree(std::move(all));
    }
    const auto* const members = node.get<Node::Table>();
    if (members == nullptr) document_.refuse(node.place, text(kind_of(node), " is no value of a setting"));
    Tree tree = Tree::object();
    for (const Node::Member& member : *members) tree.set(member.key, plain(member.value));
    return tree;
  }

  Tree cost(const Node& node) {
    Tree tree = Tree::object();
    for (const Node::Member& member : *node.get<Node::Table>()) {
      if (is_reading(member.key)) continue;
      if (member.key == "features")
        tree.set(member.key, features(member.value));
      else if (member.key == "known" || member.key == "known_part")
        tree.set(member.key, quantity(member.value, "cost." + member.key));
      else
        tree.set(member.key, plain(member.value));
    }
    return tree;
  }

 private:
  Tree quantity(const Node& node, const std::string& name) {
    return quantity_tree(document_, node, name, pool_, given_);
  }
  Tree features(const Node& node) { return features_tree(document_, node, pool_, given_); }

  const Document& document_;
  const PoolTable& pool_;
  RestoreOptions& given_;
};

/// Of a JSON pointer.
std::vector<std::string> path_of(std::string_view pointer) {
  std::vector<std::string> path;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    path.emplace_back(pointer.substr(0, end));
    pointer.remove_prefix(end);
  }
  return path;
}

std::string dotted(const std::vector<std::string>& path) {
  std::string name;
  for (const std::string& part : path) name += (name.empty() ? "" : ".") + part;
  return name;
}

/// The first member that the library did not ask for.
void refuse_unread(const Document& document, const Tree& tree, std::vector<std::string>& path) {
  const auto* const members = std::get_if<Tree::Object>(&tree.value());
  if (members == nullptr) return;
  const std::string group = dotted(path);
  for (const Tree::Member& member : *members) {
    path.push_back(member.key);
    if (!member.read) {
      std::vector<std::string> names;
      for (const std::string& name : internal::option_names()) {
        if (!name.starts_with(group + ".")) continue;
        const std::string inner = name.substr(group.size() + 1);
        names.push_back(inner.substr(0, inner.find('.')));
      }
      names.erase(std::unique(names.begin(), names.end()), names.end());
      const std::string hint = hint_of_file_setting(member.key);
      if (group == "cost") names.insert(names.end(), {"read", "factor"});
      document.refuse(place_of_path(document, path), text("there is no setting '", member.key, "' in [", group, "]",
                                                          suggestion_for(member.key, names)));
    }
    refuse_unread(document, member.value, path);
    path.pop_back();
  }
}

}  // namespace

const std::vector<std::string>& option_groups() {
  static const std::vector<std::string> groups = [] {
    std::vector<std::string> all;
    for (const std::string& name : internal::option_names()) {
      const std::string group = name.substr(0, name.find('.'));
      if (std::ranges::find(all, group) == all.end()) all.push_back(group);
    }
    return all;
  }();
  return groups;
}

std::string hint_of_file_setting(const std::string& name) {
  constexpr std::string_view own[] = {"name",
                                      "storage",
                                      "constraints",
                                      "prior",
                                      "pool",
                                      "command",
                                      "shell",
                                      "input",
                                      "objective",
                                      "environment",
                                      "directory",
                                      "workers",
                                      "gpus",
                                      "pin",
                                      "timeout",
                                      "grace",
                                      "retries",
                                      "retry_codes",
                                      "output_limit",
                                      "durability",
                                      "lease",
                                      "busy_wait",
                                      "lost",
                                      "parameters_in_environment",
                                      "charge_interrupted"};
  const bool known = std::ranges::find(own, name) != std::end(own) ||
                     std::ranges::find(option_groups(), name) != option_groups().end();
  return known ? text("; the setting '", name, "' of the file itself stands above the first [section]")
               : std::string();
}

Place place_of_path(const Document& document, const std::vector<std::string>& path) {
  const Node* node = &document.root;
  Place place = node->place;
  for (const std::string& part : path) {
    if (const auto* const members = node->get<Node::Table>()) {
      const auto found = std::ranges::find(*members, part, &Node::Member::key);
      if (found == members->end()) return place;
      place = found->place;
      node = &found->value;
    } else if (const auto* const elements = node->get<Node::Array>()) {
      std::size_t index = elements->size();
      std::from_chars(part.data(), part.data() + part.size(), index);
      if (index >= elements->size()) return place;
      node = &(*elements)[index];
      place = node->place;
    } else {
      return place;
    }
  }
  return place;
}

Options read_options(Section& file, const Space& space, const PoolTable& pool, RestoreOptions& given) {
  TreeMaker maker(file.document(), pool, given);
  Tree tree = Tree::object();
  for (const std::string& group : option_groups()) {
    const Node* const node = file.find(group);
    if (node == nullptr || group == "budget") continue;
    if (group == "cost") {
      if (node->get<Node::Table>() != nullptr) tree.set(group, maker.cost(*node));
      continue;
    }
    tree.set(group, maker.plain(*node));
  }
  internal::GivenAgain again{given};
  try {
    Options options = internal::read_options(internal::TreeReader(tree), space, again);
    std::vector<std::string> path;
    refuse_unread(file.document(), tree, path);
    options.candidates.pool = pool.pool;
    return options;
  } catch (const StudyFileError&) {
    throw;
  } catch (const Error& error) {  // "/group/name: what"
    const std::string_view message = error.what();
    const std::size_t end = std::min(message.find(": "), message.size());
    const std::vector<std::string> path = path_of(message.substr(0, end));
    file.document().refuse(place_of_path(file.document(), path), text(dotted(path), message.substr(end)));
  }
}

namespace {

void set_number_of_evaluations(Section& file, const Node& node, double number, Options& options) {
  const bool whole = number >= 1 && number <= 9e15 && number == std::trunc(number);
  if (!whole)
    file.document().refuse(node.place, text("budget is ", number, " evaluations; give a whole number from 1 on"));
  const auto count = static_cast<std::size_t>(number);
  if (options.max_evaluations && *options.max_evaluations != count)
    file.document().refuse(node.place, text("budget is ", count, " evaluations, but max_evaluations is ",
                                            *options.max_evaluations, "; give one of them"));
  options.max_evaluations = count;
}

/// Time is counted in seconds unless `cost.unit` says otherwise, so that what a command reports needs no unit.
void set_amount(Section& file, const Node& node, const Amount& amount, Options& options) {
  const Node* const cost = file.find("cost");
  const bool unit_given = cost != nullptr && cost->find("unit") != nullptr;
  std::string& unit = options.cost.unit;
  const double seconds = internal::seconds_per_unit(amount.unit);
  if (seconds > 0) {
    const double unit_seconds = internal::seconds_per_unit(unit);
    if (unit_seconds == 0)
      file.document().refuse(node.place, text("budget is in ", amount.unit, ", but cost.unit is '", unit,
                                              "', which is no time; give the budget in ", unit));
    options.budget = amount.number * seconds / unit_seconds;
    return;
  }
  options.budget = amount.number;
  if (amount.unit.empty() || amount.unit == unit) return;
  if (unit_given)
    file.document().refuse(node.place, text("budget is in ", amount.unit, ", but cost.unit is '", unit,
                                            "'; give both in one unit, or leave cost.unit out"));
  unit = amount.unit;
}

}  // namespace

bool read_budget(Section& file, Options& options) {
  const Node* const node = file.find("budget");
  if (node == nullptr) {
    if (!options.max_evaluations) {
      file.refuse_mistyped("budget");
      file.refuse_mistyped("max_evaluations");
      file.document().refuse(
          file.node().place,
          "budget is missing; give one, such as budget = \"2h\", \"40 GPUh\" or \"200 evaluations\"");
    }
    options.budget = endless_budget;
    return true;
  }
  Amount amount;
  if (const auto* const words = node->get<std::string>()) {
    std::string fault;
    const auto parsed = parse_amount(*words, fault);
    if (!parsed) file.document().refuse(node->place, "budget " + fault);
    amount = *parsed;
  } else {
    amount.number = number_of(file.document(), *node, "budget");
  }
  if (counts_evaluations(amount.unit)) {
    set_number_of_evaluations(file, *node, amount.number, options);
    options.budget = endless_budget;
    return true;
  }
  if (!(std::isfinite(amount.number) && amount.number > 0))
    file.document().refuse(node->place, text("budget is ", amount.number, "; give a finite number above 0"));
  set_amount(file, *node, amount, options);
  return false;
}

}  // namespace carbo::program
