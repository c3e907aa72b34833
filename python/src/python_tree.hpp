#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "support/tree.hpp"

namespace carbo::python {

namespace nb = nanobind;

/// None, bool, int, float, str, list and dict. Bytes of a text that are no UTF-8 are lone surrogates, as Python's own
/// "surrogateescape" has them.
nb::object to_python(const internal::Tree& tree);
nb::str to_python(const std::string& text);
/// The same back; lists may be any sequences, dicts any mappings with keys that are texts, numbers whatever has
/// __index__ or __float__. Throws InvalidOptions that names `place` where it is something else.
internal::Tree to_tree(nb::handle value, const std::string& place);
std::string to_text(nb::handle text);

}  // namespace carbo::python
