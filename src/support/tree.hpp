#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace carbo::internal {

/// A member of an object. (A template, so that a Tree can hold some before it is complete.)
template <class Value>
struct NamedValue {
  std::string key;
  Value value;
  mutable bool read = false;  ///< by a TreeReader
};

/// A value as JSON knows it: what the parts of a study write their state as and read it from, without knowing of
/// texts or of one another. Members of an object keep their order.
class Tree {
 public:
  using Member = NamedValue<Tree>;
  using Array = std::vector<Tree>;
  using Object = std::vector<Member>;
  using Value = std::variant<std::monostate, bool, std::uint64_t, double, std::string, Array, Object>;

  Tree();  ///< null
  Tree(const Tree&);
  Tree(Tree&&) noexcept;
  Tree& operator=(const Tree&);
  Tree& operator=(Tree&&) noexcept;
  ~Tree();
  Tree(bool truth) : value_(truth) {}
  Tree(double number) : value_(number) {}
  template <std::unsigned_integral Whole>
  requires(!std::same_as<Whole, bool>) Tree(Whole whole) : value_(static_cast<std::uint64_t>(whole)) {}
  Tree(std::string text) : value_(std::move(text)) {}
  Tree(const char* text) : value_(std::string(text)) {}
  Tree(Array elements) : value_(std::move(elements)) {}
  Tree(Object members) : value_(std::move(members)) {}
  template <class Enum>
  requires std::is_enum_v<Enum> Tree(Enum value) : Tree(to_string(value)) {}
  template <class Element>
  requires(!std::same_as<Element, Tree> && !std::same_as<Element, Member>) Tree(const std::vector<Element>& elements)
      : value_(Array(elements.begin(), elements.end())) {}

  static Tree object() { return Tree(Object{}); }
  /// An array of what `make` makes of each element; of overloaded functions it is the one that takes an element.
  template <class Elements, class Make = Tree (*)(const typename Elements::value_type&)>
  static Tree array(const Elements& elements, const Make& make) {
    Array trees;
    trees.reserve(elements.size());
    for (const auto& element : elements) trees.push_back(make(element));
    return Tree(std::move(trees));
  }
  /// Adds a member to an object.
  void set(std::string key, Tree value) { std::get<Object>(value_).push_back({std::move(key), std::move(value)}); }
  /// The same where there is a value.
  template <class T>
  void set(std::string key, const std::optional<T>& value) {
    if (value) set(std::move(key), Tree(*value));
  }
  /// An array, as above, where there are elements.
  template <class Elements, class Make = Tree (*)(const typename Elements::value_type&)>
  void set_all(std::string key, const Elements& elements, const Make& make) {
    if (!elements.empty()) set(std::move(key), array(elements, make));
  }

  const Value& value() const { return value_; }

 private:
  Value value_;
};

/// As JSON. Doubles have the digits that bring back their bits; those that JSON has no number for are the texts
/// "NaN", "Infinity" and "-Infinity". Bytes of a text that are no UTF-8 are written as the lone surrogates \udc80 to
/// \udcff, and read back as the bytes. Of the first three levels each value has a line of its own, but for plain ones
/// that are among themselves.
std::string to_text(const Tree& tree);
/// The same on one line.
std::string to_line(const Tree& tree);

/// Throws InvalidState that says what is wrong and where. Arrays and objects nest up to 64 deep; no name occurs twice
/// in an object.
Tree parse_tree(std::string_view text);

}  // namespace carbo::internal
