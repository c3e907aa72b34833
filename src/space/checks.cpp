#include "space/checks.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "space/describe.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t most_parameters = 100;

[[noreturn]] void refuse(const Parameter& parameter, const std::string& fault) {
  throw InvalidSpace(text(to_string(parameter.kind()), " parameter '", parameter.name(), "': ", fault));
}

std::string bounds_text(const Parameter& parameter) {
  return text("[", number_text(parameter.lower()), ", ", number_text(parameter.upper()), "]");
}

void check_bounds(const Parameter& parameter) {
  const double lower = parameter.lower();
  const double upper = parameter.upper();
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    refuse(parameter, text("bounds ", bounds_text(parameter), " are not finite; give two finite numbers"));
  }
  if (parameter.kind() == ParameterKind::integer && std::max(std::abs(lower), std::abs(upper)) > largest_integer) {
    refuse(parameter, text("bounds ", bounds_text(parameter),
                           " leave the whole numbers that a double holds exactly; stay within -(2^53 - 1) and "
                           "2^53 - 1, or use a real parameter"));
  }
  if (lower > upper) {
    refuse(parameter, text("lower bound ", number_text(lower), " is above upper bound ", number_text(upper),
                           "; give the smaller one first"));
  }
  if (lower == upper) {
    refuse(parameter, text("both bounds are ", number_text(lower),
                           ", so there is nothing to search; leave a constant out of the space"));
  }
  if (!std::isfinite(upper - lower)) {
    refuse(parameter, text("bounds ", bounds_text(parameter), " are too far apart; their difference must be finite"));
  }
}

void check_log_scale(const Parameter& parameter) {
  if (parameter.kind() != ParameterKind::real && parameter.kind() != ParameterKind::integer) {
    refuse(parameter, "only real and integer parameters have a logarithmic scale; leave out log()");
  }
  if (parameter.lower() <= 0) {
    refuse(parameter, text("lower bound ", number_text(parameter.lower()),
                           " has no logarithm; a logarithmic scale needs bounds above 0"));
  }
  if (!(std::log(parameter.lower()) < std::log(parameter.upper()))) {
    refuse(parameter, text("bounds ", bounds_text(parameter),
                           " have the same logarithm in double precision; use the linear scale"));
  }
}

void check_labels(const Parameter& parameter) {
  const char* const noun = parameter.kind() == ParameterKind::categorical ? "category" : "level";
  const auto& labels = parameter.labels();
  if (labels.empty()) refuse(parameter, text("has no ", noun, "; give two or more"));
  if (labels.size() == 1) {
    refuse(parameter,
           text("has '", labels[0], "' as its only ", noun,
                ", so there is nothing to search; give two or more, or leave a constant out of the space"));
  }
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) refuse(parameter, text(noun, " ", i, " has an empty name; give every ", noun, " a name"));
    if (!seen.insert(labels[i]).second) {
      refuse(parameter, text(noun, " '", labels[i], "' is given twice; name each ", noun, " once"));
    }
  }
}

void check_values(const Parameter& parameter) {
  const auto& values = parameter.values();
  if (values.empty()) refuse(parameter, "has no values; give two or more, ascending");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      refuse(parameter, text("value ", i, " is ", number_text(values[i]), "; give finite numbers"));
    }
    if (i > 0 && values[i] == values[i - 1]) {
      refuse(parameter, text("value ", number_text(values[i]), " is given twice; give each value once"));
    }
    if (i > 0 && values[i] < values[i - 1]) {
      refuse(parameter, text("value ", number_text(values[i]), " comes after ", number_text(values[i - 1]),
                             "; give the values in ascending order"));
    }
  }
  if (values.size() == 1) {
    refuse(parameter, text("has ", number_text(values[0]),
                           " as its only value, so there is nothing to search; give two or more, or leave a "
                           "constant out of the space"));
  }
}

void check_parameter(const Parameter& parameter) {
  switch (parameter.kind()) {
    case ParameterKind::real:
    case ParameterKind::integer:
      check_bounds(parameter);
      break;
    case ParameterKind::categorical:
    case ParameterKind::ordinal:
      check_labels(parameter);
      break;
    case ParameterKind::discrete:
      check_values(parameter);
      break;
  }
  if (parameter.scale() == Scale::log) check_log_scale(parameter);
}

bool whole(double number) { return number == std::trunc(number); }

bool belongs(const Parameter& parameter, double number) {
  const bool inside = number >= parameter.lower() && number <= parameter.upper();  // false for NaN
  switch (parameter.kind()) {
    case ParameterKind::real:
      return inside;
    case ParameterKind::discrete:
      return inside && std::binary_search(parameter.values().begin(), parameter.values().end(), number);
    default:
      return inside && whole(number);
  }
}

}  // namespace

void check_parameters(std::span<const Parameter> parameters) {
  if (parameters.empty()) throw InvalidSpace("the space has no parameters; give 1 to 100");
  if (parameters.size() > most_parameters) {
    throw InvalidSpace(text("the space has ", parameters.size(), " parameters; give at most ", most_parameters));
  }
  std::unordered_map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name();
    if (name.empty()) throw InvalidSpace(text("parameter ", i, " has an empty name; give every parameter a name"));
    const auto [earlier, added] = positions.emplace(name, i);
    if (!added) {
      throw InvalidSpace(text("parameters ", earlier->second, " and ", i, " are both named '", name,
                              "'; give each parameter a name of its own"));
    }
    check_parameter(parameters[i]);
  }
}

std::string number_fault(const Parameter& parameter, double number) {
  if (belongs(parameter, number)) return {};
  if (!parameter.labels().empty()) {
    return text("position ", number_text(number), " names no label; give a whole number in [0, ",
                parameter.labels().size() - 1, "]");
  }
  return text("value ", number_text(number), " does not belong to it; give ", domain_text(parameter));
}

std::size_t first_foreign(std::span<const Parameter> parameters, std::span<const double> numbers) {
  for (std::size_t row = 0; row < numbers.size(); row += parameters.size()) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!belongs(parameters[i], numbers[row + i])) return row + i;
    }
  }
  return numbers.size();
}

bool same_names(std::span<const Parameter> a, std::span<const Parameter> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Parameter& x, const Parameter& y) {
    return x.name() == y.name() && x.kind() == y.kind() && x.labels() == y.labels();
  });
}

std::size_t label_position(const Parameter& parameter, const std::string& label) {
  const auto& labels = parameter.labels();
  return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

}  // namespace carbo::internal
