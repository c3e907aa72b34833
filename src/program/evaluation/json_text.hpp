#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <carbo/space.hpp>

#include "replay/csv.hpp"

namespace carbo::program {

/// A text that should be one JSON object.
struct JsonObject {
  bool valid = false;
  std::string fault;                          ///< where it is not: why
  std::map<std::string, double> numbers;      ///< members that are numbers, or true and false as 1 and 0
  std::map<std::string, std::string> others;  ///< what the others are: "a text", "null", "an array", "an object"
};

/// Python writes NaN and Infinity, which JSON does not know: the fault then names them.
JsonObject read_json_object(std::string_view text);

/// NaN, Infinity or -Infinity, as Python writes them, outside of a text in quotes; empty where there is none.
std::string_view python_constant(std::string_view text);

using replay::read_number;

/// A configuration as one JSON object on a line.
std::string json_text(const Configuration& configuration);

}  // namespace carbo::program
