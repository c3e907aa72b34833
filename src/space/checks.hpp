#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <carbo/space.hpp>

namespace carbo::internal {

/// Largest magnitude of an integer bound: every whole number up to it, and no other, is the double of its own.
inline constexpr double largest_integer = 9007199254740991.0;  // 2^53 − 1

/// Throws InvalidSpace where the list is empty, too long, repeats a name or holds a parameter that cannot be
/// searched.
void check_parameters(std::span<const Parameter> parameters);

/// What is wrong with a number as the value of a checked parameter, and what would be right; empty where nothing is.
std::string number_fault(const Parameter& parameter, double number);

/// Position of the first of rows × parameters numbers that is no value of its parameter; their count where all are.
std::size_t first_foreign(std::span<const Parameter> parameters, std::span<const double> numbers);

/// Whether the same numbers mean the same in two lists of parameters: equal names, kinds and labels, in order.
bool same_names(std::span<const Parameter> a, std::span<const Parameter> b);

/// Position of a label, or labels().size() where there is no such label.
std::size_t label_position(const Parameter& parameter, const std::string& label);

}  // namespace carbo::internal
