#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <carbo/error.hpp>

namespace carbo::program {

/// A study file that cannot be understood. The message begins with file, line and column.
class StudyFileError : public Error {
  using Error::Error;
};

/// In a file, both from 1; of arguments both are 0.
struct Place {
  std::size_t line = 0, column = 0;
};

/// A value of a TOML document and where it stands. Members of a table keep the order of the file.
struct Node {
  struct Member;
  /// Dates and times, which no setting takes; as they are written.
  struct Other {
    std::string text;
  };
  using Array = std::vector<Node>;
  using Table = std::vector<Member>;
  using Value = std::variant<bool, std::int64_t, double, std::string, Array, Table, Other>;

  Value value;
  Place place;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  /// Of a table; null where there is none of that name, or this is none.
  const Node* find(std::string_view key) const;
};

struct Node::Member {
  std::string key;
  Place place;  ///< of the key
  Node value;
};

/// A document and what it is called in messages.
struct Document {
  std::string name;
  Node root{Node::Table{}, {}};

  /// Throws StudyFileError: `name:line:column: what`, or `command line: what` where it stands in no file.
  [[noreturn]] void refuse(const Place& place, const std::string& what) const;
};

/// Throws StudyFileError where the text is no TOML.
Document parse_toml(std::string name, std::string_view text);
/// One value as TOML on one line: what it reads as is the same again.
std::string to_toml(const Node& node);
/// A whole document.
std::string document_text(const Node& root);

}  // namespace carbo::program
