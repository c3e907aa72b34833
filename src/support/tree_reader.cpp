#include "support/tree_reader.hpp"

#include <algorithm>
#include <limits>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::internal {
namespace {

/// As a part of a JSON pointer.
std::string pointer_part(std::string_view key) {
  std::string part = "/";
  for (const char c : key) part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return part;
}

void find_unread(const Tree& tree, const std::string& place) {
  if (const auto* const elements = std::get_if<Tree::Array>(&tree.value())) {
    for (std::size_t i = 0; i < elements->size(); ++i) {
      const Tree& element = (*elements)[i];
      const bool inner = std::holds_alternative<Tree::Array>(element.value()) ||
                         std::holds_alternative<Tree::Object>(element.value());
      if (inner) find_unread(element, text(place, "/", i));
    }
  }
  const auto* const members = std::get_if<Tree::Object>(&tree.value());
  if (members == nullptr) return;
  for (const Tree::Member& member : *members) {
    const std::string inner = place + pointer_part(member.key);
    if (!member.read)
      throw InvalidState(
          text(inner, ": this library knows nothing of that name; read it with the one that wrote it"));
    find_unread(member.value, inner);
  }
}

}  // namespace

void TreeReader::refuse(const std::string& what) const {
  throw InvalidState(internal::text(place_.empty() ? "/" : place_, ": ", what));
}

const Tree::Array& TreeReader::array() const {
  if (const auto* const elements = std::get_if<Tree::Array>(&tree_->value())) return *elements;
  refuse("expected an array");
}

const Tree::Object& TreeReader::object() const {
  if (const auto* const members = std::get_if<Tree::Object>(&tree_->value())) return *members;
  refuse("expected an object");
}

TreeReader TreeReader::element(std::size_t i) const { return TreeReader(array()[i], internal::text(place_, "/", i)); }

std::optional<TreeReader> TreeReader::find(std::string_view key) const {
  const Tree::Object& members = object();
  const auto found = std::ranges::find(members, key, &Tree::Member::key);
  if (found == members.end()) return std::nullopt;
  found->read = true;
  const TreeReader member(found->value, place_ + pointer_part(key));
  return member.is_null() ? std::nullopt : std::optional(member);
}

TreeReader TreeReader::at(std::string_view key) const {
  if (const auto member = find(key)) return *member;
  refuse(internal::text("'", key, "' is missing"));
}

std::vector<TreeReader> TreeReader::elements() const {
  std::vector<TreeReader> all;
  for (std::size_t i = 0; i < array().size(); ++i) all.push_back(element(i));
  return all;
}

std::vector<TreeReader> TreeReader::elements(std::string_view key) const {
  const auto member = find(key);
  return member ? member->elements() : std::vector<TreeReader>{};
}

std::vector<std::pair<std::string, TreeReader>> TreeReader::members() const {
  std::vector<std::pair<std::string, TreeReader>> all;
  for (const Tree::Member& member : object()) {
    member.read = true;
    all.emplace_back(member.key, TreeReader(member.value, place_ + pointer_part(member.key)));
  }
  return all;
}

const std::string& TreeReader::text() const {
  if (const auto* const text = std::get_if<std::string>(&tree_->value())) return *text;
  refuse("expected a text");
}

void TreeReader::take(bool& value) const {
  const auto* const truth = std::get_if<bool>(&tree_->value());
  if (truth == nullptr) refuse("expected true or false");
  value = *truth;
}

void TreeReader::take(double& value) const {
  if (const auto* const number = std::get_if<double>(&tree_->value())) {
    value = *number;
  } else if (const auto* const whole = std::get_if<std::uint64_t>(&tree_->value())) {
    value = static_cast<double>(*whole);
  } else if (is_text() && text() == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (is_text() && (text() == "Infinity" || text() == "-Infinity")) {
    value = text() == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  } else {
    refuse("expected a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  }
}

void TreeReader::take(std::uint64_t& value) const {
  const auto* const whole = std::get_if<std::uint64_t>(&tree_->value());
  if (whole == nullptr) refuse("expected a whole number from 0 to 18446744073709551615");
  value = *whole;
}

void TreeReader::take(int& value) const {
  const double number = as<double>();
  const bool fits = number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max();
  if (!fits || number != static_cast<int>(number)) refuse("expected a whole number of 32 bits");
  value = static_cast<int>(number);
}

void refuse_unread(const Tree& tree) { find_unread(tree, ""); }

}  // namespace carbo::internal
