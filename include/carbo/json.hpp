#pragma once

#include <string>
#include <string_view>

#include <carbo/observation.hpp>
#include <carbo/optimizer.hpp>
#include <carbo/space.hpp>

namespace carbo {

/// JSON (RFC 8259) on one line, as in the text of a state. Values of a configuration by the names of their
/// parameters: numbers, and the labels of categories and levels. Enumerations by their names (carbo/to_string.hpp).
/// What is absent is left out. Every double comes back with the same bits; NaN is left out where it stands for a
/// number that is not known (objective and cost of an observation), and is otherwise the text "NaN", as infinities
/// are "Infinity" and
/// "-Infinity". Bytes that are no UTF-8 are the lone surrogates \udc80 to \udcff.
std::string to_json(const Configuration& configuration);
std::string to_json(const Observation& observation);
std::string to_json(const Receipt& receipt);
std::string to_json(const Suggestion& suggestion);

/// The same back. Throw InvalidState where the text is no JSON or not of that kind, with the place; and
/// InvalidConfiguration where a configuration does not belong to the space.
Configuration configuration_from_json(const Space& space, std::string_view json);
Observation observation_from_json(const Space& space, std::string_view json);
Receipt receipt_from_json(std::string_view json);
Suggestion suggestion_from_json(const Space& space, std::string_view json);

}  // namespace carbo
