#include "space/space_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "space/checks.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

Tree tree_of(const Parameter& parameter) {
  Tree tree = Tree::object();
  tree.set("name", parameter.name());
  tree.set("kind", parameter.kind());
  if (parameter.scale() != Scale::linear) tree.set("scale", parameter.scale());
  switch (parameter.kind()) {
    case ParameterKind::real:
    case ParameterKind::integer:
      tree.set("lower", parameter.lower());
      tree.set("upper", parameter.upper());
      break;
    case ParameterKind::categorical:
    case ParameterKind::ordinal:
      tree.set("labels", parameter.labels());
      break;
    case ParameterKind::discrete:
      tree.set("values", parameter.values());
      break;
  }
  return tree;
}

std::int64_t integer_bound(const TreeReader& reader, const char* key) {
  const double bound = reader.get<double>(key);
  const bool whole = std::abs(bound) <= largest_integer && bound == std::trunc(bound);
  reader.require(whole, "the bounds of an integer are whole numbers within 2^53");
  return static_cast<std::int64_t>(bound);
}

Parameter read_plain_parameter(const TreeReader& reader, std::string name) {
  switch (reader.get<ParameterKind>("kind")) {
    case ParameterKind::real:
      return real(std::move(name), reader.get<double>("lower"), reader.get<double>("upper"));
    case ParameterKind::integer:
      return integer(std::move(name), integer_bound(reader, "lower"), integer_bound(reader, "upper"));
    case ParameterKind::categorical:
      return categorical(std::move(name), reader.get<std::vector<std::string>>("labels"));
    case ParameterKind::ordinal:
      return ordinal(std::move(name), reader.get<std::vector<std::string>>("labels"));
    case ParameterKind::discrete:
      break;
  }
  return discrete(std::move(name), reader.get<std::vector<double>>("values"));
}

Parameter read_parameter(const TreeReader& reader) {
  Scale scale = Scale::linear;
  reader.read("scale", scale);
  const Parameter parameter = read_plain_parameter(reader, reader.get<std::string>("name"));
  return scale == Scale::log ? parameter.log() : parameter;
}

}  // namespace

std::vector<std::string> constraint_keys(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto before = std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]);
    keys.push_back(before == 0 ? names[i] : text(names[i], " (", before + 1, ")"));
  }
  return keys;
}

Tree tree_of(const Space& space) {
  Tree tree = Tree::object();
  tree.set("parameters", Tree::array(space.parameters(), tree_of));
  if (space.constrained()) tree.set("constraints", space.constraint_names());
  return tree;
}

Space read_space(const TreeReader& reader, GivenAgain& given) {
  std::vector<Parameter> parameters;
  for (const TreeReader& one : reader.at("parameters").elements()) parameters.push_back(read_parameter(one));
  std::vector<std::string> names;
  reader.read("constraints", names);
  const std::vector<std::string> keys = constraint_keys(names);
  Space space = [&] {
    try {
      return Space(std::move(parameters));
    } catch (const InvalidSpace& error) {
      reader.refuse(error.what());
    }
  }();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = given.options.constraints.find(keys[i]);
    given.used.push_back(keys[i]);
    if (found == given.options.constraints.end() || !found->second)
      given.missing.push_back(text("the constraint '", keys[i], "' (constraints)"));
    else
      space.constrain(found->second, names[i]);
  }
  return space;
}

Tree tree_of(const Configuration& configuration) {
  Tree tree = Tree::object();
  for (std::size_t i = 0; i < configuration.parameters().size(); ++i) {
    const Parameter& parameter = configuration.parameters()[i];
    const double number = configuration.numbers()[i];
    if (parameter.labels().empty())
      tree.set(parameter.name(), number);
    else
      tree.set(parameter.name(), parameter.labels()[static_cast<std::size_t>(number)]);
  }
  return tree;
}

Configuration read_configuration(const TreeReader& reader, const Space& space) {
  const auto takes_numbers = [&](const std::string& name) {
    const auto found = std::ranges::find(space.parameters(), name, &Parameter::name);
    return found != space.parameters().end() && found->labels().empty();
  };
  std::map<std::string, Value> values;
  for (const auto& [name, value] : reader.members()) {
    if (value.is_text() && !takes_numbers(name))
      values.emplace(name, value.text());
    else
      values.emplace(name, value.as<double>());
  }
  try {
    return space.configuration(values);
  } catch (const InvalidConfiguration& error) {
    throw InvalidConfiguration(text(reader.place().empty() ? "/" : reader.place(), ": ", error.what()));
  }
}

}  // namespace carbo::internal
