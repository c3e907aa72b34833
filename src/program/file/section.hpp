#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/file/node.hpp"

namespace carbo::program {

// A value as the type asks for it. `what` names it in messages, such as "workers". Throw StudyFileError.
bool truth_of(const Document& document, const Node& node, std::string_view what);
double number_of(const Document& document, const Node& node, std::string_view what);
std::int64_t whole_of(const Document& document, const Node& node, std::string_view what, std::int64_t least,
                      std::int64_t most = std::numeric_limits<std::int64_t>::max());
const std::string& text_of(const Document& document, const Node& node, std::string_view what);
/// An array of texts.
std::vector<std::string> texts_of(const Document& document, const Node& node, std::string_view what);
std::map<std::string, std::string> named_texts_of(const Document& document, const Node& node, std::string_view what);
/// What a value is, in words: "a text", "the number 3".
std::string kind_of(const Node& node);

/// A table whose members are asked for by name; what nobody asked for is an error at the end.
class Section {
 public:
  /// `name`: of the table in messages; empty: the file itself. Throws StudyFileError where it is no table.
  Section(const Document& document, const Node& table, std::string name);

  const Document& document() const { return *document_; }
  const std::string& name() const { return name_; }
  const Node& node() const { return *table_; }
  /// Null where it is absent.
  const Node* find(std::string_view key);
  /// Where a member's key stands; of the table itself where there is none.
  Place place(std::string_view key) const;

  void read(std::string_view key, bool& value);
  void read(std::string_view key, double& value);
  void read(std::string_view key, std::size_t& value, std::int64_t least = 0);
  void read(std::string_view key, std::string& value);
  void read(std::string_view key, std::vector<std::string>& values);

  /// Of a member that is absent: throws StudyFileError naming one that was probably meant to be it.
  void refuse_mistyped(const std::string& key) const;
  /// Throws StudyFileError naming the first member that was not asked for, and the nearest of those that were.
  void refuse_unread() const;

 private:
  const Document* document_;
  const Node* table_;
  std::string name_;
  std::vector<std::string> known_;
};

}  // namespace carbo::program
