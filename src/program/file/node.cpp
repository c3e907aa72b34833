#include "program/file/node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/text.hpp"

namespace carbo::program {
namespace {

std::string toml_quoted(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += {'\\', 'u', '0', '0', digits[byte / 16], digits[byte % 16]};
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : toml_quoted(key);
}

std::string number_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char digits[32];
  const std::string text(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

struct TomlText {
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
  std::string operator()(double number) const { return number_text(number); }
  std::string operator()(const std::string& text) const { return toml_quoted(text); }
  std::string operator()(const Node::Other& other) const { return other.text; }
  std::string operator()(const Node::Array& elements) const {
    std::string text = "[";
    for (const Node& element : elements) text += (text.size() > 1 ? ", " : "") + to_toml(element);
    return text + "]";
  }
  std::string operator()(const Node::Table& members) const {
    std::string text = "{";
    for (const Node::Member& member : members)
      text += (text.size() > 1 ? ", " : "") + key_text(member.key) + " = " + to_toml(member.value);
    return text + "}";
  }
};

}  // namespace

const Node* Node::find(std::string_view key) const {
  const Table* const members = get<Table>();
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, key, &Member::key);
  return found == members->end() ? nullptr : &found->value;
}

void Document::refuse(const Place& place, const std::string& what) const {
  if (place.line == 0) throw StudyFileError(internal::text("command line: ", what));
  throw StudyFileError(internal::text(name, ":", place.line, ":", place.column, ": ", what));
}

std::string to_toml(const Node& node) { return std::visit(TomlText{}, node.value); }

std::string document_text(const Node& root) {
  std::string plain, sections;
  for (const Node::Member& member : *root.get<Node::Table>()) {
    const Node::Table* const section = member.value.get<Node::Table>();
    if (section == nullptr) {
      plain += key_text(member.key) + " = " + to_toml(member.value) + "\n";
      continue;
    }
    sections += "\n[" + key_text(member.key) + "]\n";
    for (const Node::Member& inner : *section) sections += key_text(inner.key) + " = " + to_toml(inner.value) + "\n";
  }
  return plain + sections;
}

}  // namespace carbo::program
