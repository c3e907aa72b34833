#include "program/evaluation/json_text.hpp"

#include <nlohmann/json.hpp>

#include "support/text.hpp"

namespace carbo::program {
namespace {

using Json = nlohmann::json;

std::string fault_of(std::string_view text, const Json::exception& error) {
  const std::string_view constant = python_constant(text);
  if (!constant.empty())
    return internal::text("it has ", constant,
                          ", which Python writes and JSON does not know: an evaluation without a "
                          "finite result should end with an exit code other than 0");
  const std::size_t first = text.find_first_not_of(" \t{");
  if (first == std::string_view::npos)
    return "a result stands on one line, {\"KEY\": 0.5}; JSON over several lines (indent) is not read";
  if (text[first] == '\'') return "it is a dictionary as Python prints it, not JSON; write print(json.dumps(result))";
  const std::string what = error.what();
  const std::size_t words = what.find("] ");  // "[json.exception.parse_error.101] parse error at …"
  return words == std::string::npos ? what : what.substr(words + 2);
}

const char* kind(const Json& value) {
  if (value.is_string()) return "a text";
  if (value.is_null()) return "null";
  return value.is_array() ? "an array" : "an object";
}

}  // namespace

std::string_view python_constant(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      for (const std::string_view name : {"NaN", "-Infinity", "Infinity"})
        if (text.substr(i, name.size()) == name) return name;
    }
  }
  return {};
}

JsonObject read_json_object(std::string_view text) {
  JsonObject object;
  Json parsed;
  try {
    parsed = Json::parse(text);
  } catch (const Json::exception& error) {
    object.fault = fault_of(text, error);
    return object;
  }
  if (!parsed.is_object()) {
    object.fault = "it is JSON, but no object";
    return object;
  }
  object.valid = true;
  for (const auto& [key, value] : parsed.items()) {
    if (value.is_number())
      object.numbers.emplace(key, value.get<double>());
    else if (value.is_boolean())
      object.numbers.emplace(key, value.get<bool>() ? 1 : 0);
    else
      object.others.emplace(key, kind(value));
  }
  return object;
}

std::string json_text(const Configuration& configuration) {
  Json object = Json::object();
  for (const Parameter& parameter : configuration.parameters())
    std::visit([&](const auto& value) { object[parameter.name()] = value; }, configuration.value(parameter.name()));
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace carbo::program
