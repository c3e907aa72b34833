#include "study/definition.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <carbo/to_string.hpp>

#include "engine/options_tree.hpp"
#include "space/space_tree.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

using Lines = std::vector<std::string>;

/// What may differ without being another run; the backend, without being another optimizer.
constexpr std::array<std::string_view, 4> may_change{"budget", "batch_size", "max_evaluations", "target"};
constexpr std::string_view of_machine = "backend.";

std::string words_of(const Tree* tree) { return tree == nullptr ? "none" : to_line(*tree); }

const Tree* member(const Tree& tree, std::string_view key) {
  const auto* const object = std::get_if<Tree::Object>(&tree.value());
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, &Tree::Member::key);
  return found == object->end() ? nullptr : &found->value;
}

bool is_object(const Tree* tree) { return tree != nullptr && std::holds_alternative<Tree::Object>(tree->value()); }

/// Calls back with the path of each setting that differs, and both values; null where there is none.
template <class Differs>
void compare(const Tree* given, const Tree* stored, const std::string& path, const Differs& differs) {
  if (!is_object(given) || !is_object(stored)) {
    if (words_of(given) != words_of(stored)) differs(path, given, stored);
    return;
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const Tree::Member& one : std::get<Tree::Object>(given->value()))
    compare(&one.value, member(*stored, one.key), prefix + one.key, differs);
  for (const Tree::Member& one : std::get<Tree::Object>(stored->value()))
    if (member(*given, one.key) == nullptr) compare(nullptr, &one.value, prefix + one.key, differs);
}

/// Whether two definitions differ in nothing but settings that `may`.
template <class May>
bool same_but(const DefinitionText& a, const DefinitionText& b, const May& may) {
  if (a.space != b.space || a.pool != b.pool) return false;
  const Tree ours = parse_tree(a.options);
  const Tree theirs = parse_tree(b.options);
  bool same = true;
  compare(&ours, &theirs, "", [&](const std::string& path, const Tree*, const Tree*) { same = same && may(path); });
  return same;
}

template <class T>
bool contains_in_order(const std::vector<T>& all, const std::vector<T>& part) {
  auto next = all.begin();
  for (const T& one : part) {
    next = std::find(next, all.end(), one);
    if (next == all.end()) return false;
    ++next;
  }
  return true;
}

template <class T>
std::string listed(const std::vector<T>& values) {
  std::string all;
  for (const T& value : values) all += text(all.empty() ? "" : ", ", value);
  return all;
}

bool keeps_labels(const Parameter& given, const Parameter& stored) {
  if (given.kind() == ParameterKind::ordinal) return contains_in_order(given.labels(), stored.labels());
  return std::ranges::all_of(stored.labels(), [&](const std::string& label) {
    return std::ranges::find(given.labels(), label) != given.labels().end();
  });
}

/// The same parameter, or one that has room for more.
void compare(const Parameter& given, const Parameter& stored, Lines& lines) {
  const std::string of = text("parameter '", stored.name(), "': ");
  const auto add = [&](const char* what, const auto& one, const auto& other) {
    lines.push_back(text(of, what, " ", one, ", in the study ", other));
  };
  if (given.kind() != stored.kind()) return add("kind", to_string(given.kind()), to_string(stored.kind()));
  if (given.scale() != stored.scale()) add("scale", to_string(given.scale()), to_string(stored.scale()));
  const bool bounded = given.kind() == ParameterKind::real || given.kind() == ParameterKind::integer;
  if (bounded && given.lower() > stored.lower()) add("lower", given.lower(), stored.lower());
  if (bounded && given.upper() < stored.upper()) add("upper", given.upper(), stored.upper());
  if (!keeps_labels(given, stored)) add("categories", listed(given.labels()), listed(stored.labels()));
  if (!contains_in_order(given.values(), stored.values()))
    add("values", listed(given.values()), listed(stored.values()));
}

void compare_spaces(const Space& given, const Tree& stored_tree, Lines& lines) {
  const RestoreOptions nothing;
  GivenAgain code{nothing};
  const Space stored = read_space(TreeReader(stored_tree), code);
  const auto& ours = given.parameters();
  const auto& theirs = stored.parameters();
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    const std::string name = i < ours.size() ? text("'", ours[i].name(), "'") : "none";
    const std::string stored_name = i < theirs.size() ? text("'", theirs[i].name(), "'") : "none";
    if (name != stored_name)
      lines.push_back(text("parameter ", i + 1, " is ", name, ", in the study ", stored_name));
    else
      compare(ours[i], theirs[i], lines);
  }
  Lines constraints;
  TreeReader(stored_tree).read("constraints", constraints);
  if (constraints != given.constraint_names())
    lines.push_back(text("constraints: ", given.constrained() ? listed(given.constraint_names()) : "none",
                         ", in the study ", constraints.empty() ? "none" : listed(constraints)));
}

}  // namespace

DefinitionText text_of(const Space& space, const Options& options) {
  DefinitionText definition;
  definition.space = to_line(tree_of(space));
  definition.options = to_line(tree_of(options));
  if (const auto& pool = options.candidates.pool) definition.pool = to_line(tree_of(*pool, content_hash(*pool)));
  return definition;
}

Definition read_definition(const DefinitionText& definition, const RestoreOptions& given) {
  GivenAgain again{given};
  const Tree space_tree = parse_tree(definition.space);
  Space space = read_space(TreeReader(space_tree), again);
  const Tree options_tree = parse_tree(definition.options);
  Options options = read_options(TreeReader(options_tree), space, again);
  if (definition.pool) {
    const Tree pool_tree = parse_tree(*definition.pool);
    options.candidates.pool = read_pool(TreeReader(pool_tree), space, again);
  }
  if (given.backend) options.backend = *given.backend;
  return {std::move(space), std::move(options), std::move(again.missing)};
}

std::vector<std::string> conflicts(const DefinitionText& stored, const Space& space, const Options& options) {
  Lines lines;
  compare_spaces(space, parse_tree(stored.space), lines);
  const Tree given_options = tree_of(options);
  const Tree stored_options = parse_tree(stored.options);
  compare(&given_options, &stored_options, "", [&](const std::string& path, const Tree* one, const Tree* other) {
    const bool free = std::ranges::find(may_change, path) != may_change.end() || path.starts_with(of_machine);
    if (!free) lines.push_back(text(path, ": ", words_of(one), ", in the study ", words_of(other)));
  });
  const auto& pool = options.candidates.pool;
  const auto given_pool = pool ? std::optional(to_line(tree_of(*pool, content_hash(*pool)))) : std::nullopt;
  if (given_pool != stored.pool) lines.emplace_back("candidates.pool: its rows are not those of the study");
  return lines;
}

bool same_run(const DefinitionText& a, const DefinitionText& b) {
  return same_but(a, b, [](const std::string& path) { return path.starts_with(of_machine); });
}

bool same_but_limits(const DefinitionText& a, const DefinitionText& b) {
  return same_but(a, b, [](const std::string& path) {
    return path.starts_with(of_machine) || std::ranges::find(limit_names, path) != limit_names.end();
  });
}

StudyLimits limits_of(const DefinitionText& definition) {
  const Tree options = parse_tree(definition.options);
  StudyLimits limits;
  limits.budget = TreeReader(options).get<double>("budget");
  TreeReader(options).read("max_evaluations", limits.max_evaluations);
  return limits;
}

DefinitionText with_limits(DefinitionText definition, const StudyLimits& limits) {
  Tree::Object options = std::get<Tree::Object>(parse_tree(definition.options).value());
  const auto set = [&](const char* name, const auto& limit) {
    if (!limit) return;
    if (Tree* const place = member_of(options, name))
      *place = Tree(*limit);
    else
      options.push_back({name, Tree(*limit)});
  };
  set("budget", limits.budget);
  set("max_evaluations", limits.max_evaluations);
  definition.options = to_line(Tree(std::move(options)));
  return definition;
}

Tree* member_of(Tree::Object& object, std::string_view key) {
  const auto found = std::ranges::find(object, key, &Tree::Member::key);
  return found == object.end() ? nullptr : &found->value;
}

}  // namespace carbo::internal
