#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <carbo/space.hpp>

namespace carbo::program {

/// Members keep their order.
using Json = nlohmann::ordered_json;

/// Throws InvalidObservation that begins with `what`; names NaN and Infinity, which are no JSON.
Json parse_json(std::string_view text, const std::string& what);
/// On one line; bytes that are no UTF-8 are replaced.
std::string json_line(const Json& json);
/// Over several lines, for people.
std::string json_page(const Json& json);

/// Values by the names of parameters; whole numbers without a point.
Json json_of(const Configuration& configuration);
/// Throws InvalidConfiguration that names what is wrong and the nearest name.
Configuration configuration_of(const Space& space, const Json& json);

/// Null where it is absent or not finite.
Json json_of(const std::optional<double>& number);

}  // namespace carbo::program
