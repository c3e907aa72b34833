// The only file that includes toml++.
#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

#include "program/file/node.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

Place place_of(const toml::source_region& source) { return {source.begin.line, source.begin.column}; }

Node node_of(const toml::node& node);

Node::Table members_of(const toml::table& table) {
  Node::Table members;
  for (const auto& [key, value] : table)
    members.push_back({std::string(key.str()), place_of(key.source()), node_of(value)});
  // toml++ sorts them by name.
  std::ranges::stable_sort(members, [](const Node::Member& a, const Node::Member& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return members;
}

Node::Value value_of(const toml::node& node) {
  if (const auto* const truth = node.as_boolean()) return truth->get();
  if (const auto* const whole = node.as_integer()) return whole->get();
  if (const auto* const number = node.as_floating_point()) return number->get();
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const table = node.as_table()) return members_of(*table);
  if (const auto* const elements = node.as_array()) {
    Node::Array all;
    for (const toml::node& element : *elements) all.push_back(node_of(element));
    return all;
  }
  std::ostringstream written;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_date<decltype(value)> || toml::is_time<decltype(value)> ||
                  toml::is_date_time<decltype(value)>)
      written << value.get();
  });
  return Node::Other{written.str()};
}

Node node_of(const toml::node& node) { return {value_of(node), place_of(node.source())}; }

std::string_view line_of(std::string_view text, std::size_t line) {
  for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Where a bare word, an amount with its unit or a range stands as a value: what was most likely meant.
std::string hint_of_quotes(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos) return {};
  constexpr std::string_view blanks = " \t";
  const std::string_view key = line.substr(0, line.find_last_not_of(blanks, sign == 0 ? 0 : sign - 1) + 1);
  std::string_view value = line.substr(sign + 1);
  value = value.substr(std::min(value.find_first_not_of(blanks), value.size()));
  value = value.substr(0, value.find('#'));
  value = value.substr(0, value.find_last_not_of(blanks) + 1);
  if (key.empty() || value.empty() || value.find_first_of("\"'[]{}=,") != std::string_view::npos) return {};
  return internal::text("; a text stands in quotes: ", key, " = \"", value, "\"");
}

}  // namespace

Document parse_toml(std::string name, std::string_view text) {
  Document document{std::move(name)};
  try {
    document.root = node_of(toml::parse(text));
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    const std::string_view noise = "Error while parsing ";
    if (what.starts_with(noise)) what.erase(0, noise.size());
    const Place place = place_of(error.source());
    document.refuse(place, internal::text("no TOML: ", what, hint_of_quotes(line_of(text, place.line))));
  }
  return document;
}

}  // namespace carbo::program
