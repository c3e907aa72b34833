#include "program/file/section.hpp"

#include <algorithm>
#include <cmath>

#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {

using internal::text;

std::string kind_of(const Node& node) {
  struct Kind {
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t whole) const { return text("the number ", whole); }
    std::string operator()(double number) const { return text("the number ", number); }
    std::string operator()(const std::string& words) const { return text("the text '", words, "'"); }
    std::string operator()(const Node::Array&) const { return "an array"; }
    std::string operator()(const Node::Table&) const { return "a table"; }
    std::string operator()(const Node::Other& other) const { return text("the date or time ", other.text); }
  };
  return std::visit(Kind{}, node.value);
}

bool truth_of(const Document& document, const Node& node, std::string_view what) {
  if (const bool* const truth = node.get<bool>()) return *truth;
  document.refuse(node.place, text(what, " is ", kind_of(node), "; give true or false"));
}

double number_of(const Document& document, const Node& node, std::string_view what) {
  if (const double* const number = node.get<double>()) return *number;
  if (const std::int64_t* const whole = node.get<std::int64_t>()) return static_cast<double>(*whole);
  document.refuse(node.place, text(what, " is ", kind_of(node), "; give a number"));
}

std::int64_t whole_of(const Document& document, const Node& node, std::string_view what, std::int64_t least,
                      std::int64_t most) {
  const std::int64_t* const whole = node.get<std::int64_t>();
  if (whole != nullptr && *whole >= least && *whole <= most) return *whole;
  const bool open = most == std::numeric_limits<std::int64_t>::max();
  document.refuse(node.place, text(what, " is ", kind_of(node), "; give a whole number from ", least,
                                   open ? std::string(" on") : text(" to ", most)));
}

const std::string& text_of(const Document& document, const Node& node, std::string_view what) {
  if (const std::string* const words = node.get<std::string>()) return *words;
  document.refuse(node.place, text(what, " is ", kind_of(node), "; give a text in quotes"));
}

std::vector<std::string> texts_of(const Document& document, const Node& node, std::string_view what) {
  const Node::Array* const elements = node.get<Node::Array>();
  if (elements == nullptr)
    document.refuse(node.place,
                    text(what, " is ", kind_of(node), "; give an array of texts, such as [\"a\", \"b\"]"));
  std::vector<std::string> all;
  for (const Node& element : *elements) all.push_back(text_of(document, element, text("an element of ", what)));
  return all;
}

std::map<std::string, std::string> named_texts_of(const Document& document, const Node& node, std::string_view what) {
  const Node::Table* const members = node.get<Node::Table>();
  if (members == nullptr)
    document.refuse(node.place, text(what, " is ", kind_of(node), "; give a table, such as {NAME = \"value\"}"));
  std::map<std::string, std::string> all;
  for (const Node::Member& member : *members)
    all.emplace(member.key, text_of(document, member.value, text(what, ".", member.key)));
  return all;
}

Section::Section(const Document& document, const Node& table, std::string name)
    : document_(&document), table_(&table), name_(std::move(name)) {
  if (table.get<Node::Table>() == nullptr)
    document.refuse(table.place, text(name_, " is ", kind_of(table), "; give a table, [", name_, "]"));
}

const Node* Section::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  return table_->find(key);
}

Place Section::place(std::string_view key) const {
  for (const Node::Member& member : *table_->get<Node::Table>())
    if (member.key == key) return member.place;
  return table_->place;
}

void Section::read(std::string_view key, bool& value) {
  if (const Node* const node = find(key)) value = truth_of(*document_, *node, key);
}

void Section::read(std::string_view key, double& value) {
  if (const Node* const node = find(key)) value = number_of(*document_, *node, key);
}

void Section::read(std::string_view key, std::size_t& value, std::int64_t least) {
  if (const Node* const node = find(key)) value = static_cast<std::size_t>(whole_of(*document_, *node, key, least));
}

void Section::read(std::string_view key, std::string& value) {
  if (const Node* const node = find(key)) value = text_of(*document_, *node, key);
}

void Section::read(std::string_view key, std::vector<std::string>& values) {
  if (const Node* const node = find(key)) values = texts_of(*document_, *node, key);
}

void Section::refuse_mistyped(const std::string& key) const {
  for (const Node::Member& member : *table_->get<Node::Table>()) {
    const bool known = std::ranges::find(known_, member.key) != known_.end();
    if (known || nearest(member.key, {&key, 1}).empty()) continue;
    document_->refuse(member.place, text("there is no setting '", member.key, "'; did you mean '", key, "'?"));
  }
}

void Section::refuse_unread() const {
  for (const Node::Member& member : *table_->get<Node::Table>()) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    const std::string where = name_.empty() ? "" : text(" in [", name_, "]");
    document_->refuse(member.place,
                      text("there is no setting '", member.key, "'", where, suggestion_for(member.key, known_)));
  }
}

}  // namespace carbo::program
