#pragma once

#include <string>

#include <carbo/space.hpp>

#include "program/file/node.hpp"

namespace carbo::program {

/// A parameter from its short form or its table:
///   "1..19", "1e-5..0.1 log"           whole numbers, or real ones where a bound has a point or an exponent
///   "adam,sgd", ["adam", "sgd"]        names without an order
///   "0,27", [0, 27]                    numbers, sorted
///   "low<mid<high"                     names in order
///   {int = [1, 19]}, {real = [1e-5, 0.1], scale = "log"}, {categorical = [...]}, {ordinal = [...]}, {discrete =
///   [...]}
/// Throws StudyFileError.
Parameter read_parameter(const Document& document, const std::string& name, const Node& node);

/// All of a table, in its order. Throws StudyFileError.
Space read_space(const Document& document, const Node& table);

}  // namespace carbo::program
