#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include <carbo/error.hpp>

#include "python_tree.hpp"
#include "support/tree_reader.hpp"

namespace carbo::python {

/// An enumerator by its name; throws InvalidOptions.
template <class Enum>
Enum named(const nb::str& name, const char* what) {
  const internal::Tree tree(to_text(name));
  try {
    return internal::TreeReader(tree, what).as<Enum>();
  } catch (const InvalidState& error) {
    throw InvalidOptions(error.what());
  }
}

template <class Enum>
std::optional<Enum> named(const std::optional<nb::str>& name, const char* what) {
  return name ? std::optional(named<Enum>(*name, what)) : std::nullopt;
}

}  // namespace carbo::python
