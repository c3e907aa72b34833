#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/tree.hpp"

namespace carbo::internal {

/// A tree that is read, and its place (a JSON pointer) for messages. Everything that is not as expected throws
/// InvalidState naming the place. The tree must stay.
class TreeReader {
 public:
  explicit TreeReader(const Tree& tree, std::string place = "") : tree_(&tree), place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  /// Throws InvalidState: the place, and `what`.
  [[noreturn]] void refuse(const std::string& what) const;
  /// The same where it does not hold.
  void require(bool holds, const char* what) const {
    if (!holds) refuse(what);
  }

  /// A member that must be there.
  TreeReader at(std::string_view key) const;
  /// Absent where there is none, or null.
  std::optional<TreeReader> find(std::string_view key) const;
  std::vector<TreeReader> elements() const;
  /// Of a member; none where it is absent.
  std::vector<TreeReader> elements(std::string_view key) const;
  /// Of an object, by their names.
  std::vector<std::pair<std::string, TreeReader>> members() const;

  bool is_text() const { return std::holds_alternative<std::string>(tree_->value()); }
  bool is_null() const { return std::holds_alternative<std::monostate>(tree_->value()); }
  const std::string& text() const;

  /// What this is, as the type asks for it.
  template <class T>
  T as() const {
    T value{};
    take(value);
    return value;
  }
  /// A member that must be there.
  template <class T>
  T get(std::string_view key) const {
    return at(key).as<T>();
  }
  /// A member that may be absent: `value` then stays.
  template <class T>
  void read(std::string_view key, T& value) const {
    if (const auto member = find(key)) member->take(value);
  }
  template <class T>
  void read(std::string_view key, std::optional<T>& value) const {
    if (const auto member = find(key)) value = member->as<T>();
  }

  void take(bool& value) const;
  void take(double& value) const;  ///< NaN and infinities included
  void take(std::uint64_t& value) const;
  void take(int& value) const;
  void take(std::string& value) const { value = text(); }
  template <class T>
  void take(std::vector<T>& values) const {
    const Tree::Array& all = array();
    values.clear();
    values.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Of long arrays of numbers no place is made up for those that are as expected.
      if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::uint64_t>) {
        if (const T* const plain = std::get_if<T>(&all[i].value())) {
          values.push_back(*plain);
          continue;
        }
      }
      values.push_back(element(i).template as<T>());
    }
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void take(Enum& value) const {
    std::string known;
    for (int i = 0;; ++i) {
      const std::string_view name = to_string(static_cast<Enum>(i));
      if (name == "unknown") break;
      if (name == text()) {
        value = static_cast<Enum>(i);
        return;
      }
      known.append(known.empty() ? "" : ", ").append(name);
    }
    refuse("'" + text() + "' is none of " + known);
  }

 private:
  const Tree::Array& array() const;
  const Tree::Object& object() const;
  TreeReader element(std::size_t i) const;

  const Tree* tree_;
  std::string place_;
};

/// Throws InvalidState naming the first member of an object that no reader has asked for.
void refuse_unread(const Tree& tree);

}  // namespace carbo::internal
