#include "program/support/json.hpp"

#include <algorithm>
#include <cmath>

#include <carbo/error.hpp>

#include "program/evaluation/json_text.hpp"
#include "program/support/nearest.hpp"
#include "support/text.hpp"

namespace carbo::program {

using internal::text;

Json parse_json(std::string_view words, const std::string& what) {
  try {
    return Json::parse(words);
  } catch (const Json::exception& error) {
    const std::string_view constant = python_constant(words);
    if (!constant.empty())
      throw InvalidObservation(text(what, ": ", constant,
                                    " is not JSON (Python's json.dumps writes it, unless allow_nan=False); report an "
                                    "evaluation without a finite result as failed"));
    const std::string reason = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    const std::size_t begin = reason.find("] ");
    throw InvalidObservation(
        text(what, ": no JSON: ", begin == std::string::npos ? reason : reason.substr(begin + 2)));
  }
}

std::string json_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string json_page(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Json json_of(const Configuration& configuration) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  Json object = Json::object();
  for (std::size_t i = 0; i < configuration.parameters().size(); ++i) {
    const Parameter& parameter = configuration.parameters()[i];
    const double number = configuration.numbers()[i];
    if (!parameter.labels().empty())
      object[parameter.name()] = parameter.labels()[static_cast<std::size_t>(number)];
    else if (number == std::trunc(number) && std::abs(number) <= exact)
      object[parameter.name()] = static_cast<std::int64_t>(number);
    else
      object[parameter.name()] = number;
  }
  return object;
}

Configuration configuration_of(const Space& space, const Json& json) {
  if (!json.is_object())
    throw InvalidConfiguration(text("a configuration is ", json.type_name(),
                                    "; give an object with a value a parameter, {\"name\": value}"));
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name());
  std::map<std::string, Value> values;
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(names, name) == names.end())
      throw InvalidConfiguration(text("the space has no parameter '", name, "'", suggestion_for(name, names)));
    if (value.is_string())
      values.emplace(name, value.get<std::string>());
    else if (value.is_boolean())
      values.emplace(name, value.get<bool>() ? "true" : "false");
    else if (value.is_number())
      values.emplace(name, value.get<double>());
    else
      throw InvalidConfiguration(text("parameter '", name, "' has ", value.type_name(), "; give a number or a text"));
  }
  return space.configuration(values);
}

Json json_of(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

}  // namespace carbo::program
