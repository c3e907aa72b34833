#include "program/file/file_changes.hpp"

#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

/// What decides what a result means. Of `cost` only how it is read: the store compares the rest.
constexpr const char* meaning[] = {"command",   "shell",    "input", "environment", "parameters_in_environment",
                                   "directory", "objective"};
constexpr const char* cost_meaning[] = {"read", "json", "stdout", "stderr", "file", "key", "measure", "factor"};

std::string shown(const Node* node) { return node == nullptr ? "absent" : to_toml(*node); }

void compare(const Node* before, const Node* now, const std::string& name, std::string& differences) {
  const std::string old_text = shown(before), new_text = shown(now);
  if (old_text != new_text) differences += text("\n  ", name, "\n    was ", old_text, "\n    is  ", new_text);
}

}  // namespace

std::string differences_in_meaning(const Node& before, const Node& now) {
  std::string differences;
  for (const char* const key : meaning) compare(before.find(key), now.find(key), key, differences);
  const Node* const old_cost = before.find("cost");
  const Node* const new_cost = now.find("cost");
  const auto table = [](const Node* node) { return node != nullptr && node->get<Node::Table>() != nullptr; };
  if (!table(old_cost) && !table(new_cost)) {
    compare(old_cost, new_cost, "cost", differences);
    return differences;
  }
  for (const char* const key : cost_meaning) {
    const auto part = [&](const Node* cost) -> const Node* {
      if (table(cost)) return cost->find(key);
      return cost != nullptr && std::string_view(key) == "read" ? cost : nullptr;
    };
    compare(part(old_cost), part(new_cost), text("cost.", key), differences);
  }
  return differences;
}

std::string changed_settings(const Node& before, const Node& now) {
  std::string names;
  const auto note = [&](const std::string& name, const Node* one, const Node* other) {
    if (shown(one) != shown(other)) names += (names.empty() ? "" : ", ") + name;
  };
  const auto members = [](const Node& node) {
    const auto* const table = node.get<Node::Table>();
    return table == nullptr ? Node::Table{} : *table;
  };
  for (const Node::Member& member : members(now)) note(member.key, before.find(member.key), &member.value);
  for (const Node::Member& member : members(before))
    if (now.find(member.key) == nullptr) note(member.key, &member.value, nullptr);
  return names;
}

bool same_limits(const Node& before, const Node& now) {
  for (const char* const name : {"budget", "max_evaluations"})
    if (shown(before.find(name)) != shown(now.find(name))) return false;
  const auto unit = [](const Node& file) -> const Node* {
    const Node* const cost = file.find("cost");
    return cost == nullptr || cost->get<Node::Table>() == nullptr ? nullptr : cost->find("unit");
  };
  return shown(unit(before)) == shown(unit(now));
}

}  // namespace carbo::program
