// What a study changes of the state that its optimizer has saved, without making an optimizer.
#include "study/state_text.hpp"

#include <algorithm>
#include <utility>

#include "study/definition.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {
namespace {

/// Calls `change` with the members of an object in an object; nothing happens where there is none.
template <class Change>
void change_object(Tree::Object& whole, std::string_view key, const Change& change) {
  Tree* const found = member_of(whole, key);
  if (found == nullptr || !std::holds_alternative<Tree::Object>(found->value())) return;
  Tree::Object members = std::get<Tree::Object>(found->value());
  change(members);
  *found = Tree(std::move(members));
}

}  // namespace

std::string later(const std::string& state, double seconds) {
  Tree::Object whole = std::get<Tree::Object>(parse_tree(state).value());
  change_object(whole, "ledger", [&](Tree::Object& ledger) {
    if (Tree* const elapsed = member_of(ledger, "elapsed"))
      *elapsed = Tree(TreeReader(*elapsed).as<double>() + seconds);
  });
  return to_text(Tree(std::move(whole)));
}

std::string with_limits_of(const std::string& state, const std::string& options) {
  Tree::Object given = std::get<Tree::Object>(parse_tree(options).value());
  Tree::Object whole = std::get<Tree::Object>(parse_tree(state).value());
  change_object(whole, "options", [&](Tree::Object& stored) {
    for (const std::string_view name : limit_names) {
      const Tree* const value = member_of(given, name);
      Tree* const place = member_of(stored, name);
      if (value == nullptr)
        std::erase_if(stored, [&](const Tree::Member& member) { return member.key == name; });
      else if (place == nullptr)
        stored.push_back({std::string(name), *value});
      else
        *place = *value;
    }
  });
  change_object(whole, "run", [](Tree::Object& run) {
    std::erase_if(run, [](const Tree::Member& member) { return member.key == "blocked"; });
  });
  return to_text(Tree(std::move(whole))) + "\n";
}

}  // namespace carbo::internal
