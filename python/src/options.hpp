#pragma once

#include <span>
#include <string>

#include <nanobind/nanobind.h>

#include <carbo/cost.hpp>
#include <carbo/options.hpp>

#include "support/tree.hpp"

namespace carbo::python {

namespace nb = nanobind;

/// A number, an expression, a callable of a configuration's numbers, or a sequence of numbers, which is a column of
/// the pool. Throws InvalidOptions that names `place`.
Quantity to_quantity(nb::handle value, const std::string& place);

/// Throws InvalidOptions naming the first setting of `settings` that nobody asked for, with the nearest that there
/// is.
void refuse_unread_settings(const internal::Tree& settings, std::span<const std::string> names);

}  // namespace carbo::python
