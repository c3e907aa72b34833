#include <cmath>
#include <utility>

#include <carbo/error.hpp>
#include <carbo/space.hpp>
#include <carbo/to_string.hpp>

#include "space/checks.hpp"
#include "space/describe.hpp"
#include "support/text.hpp"

namespace carbo {
namespace {

using internal::text;

[[noreturn]] void refuse_reading(const Parameter& parameter, const char* wanted, const char* right) {
  throw InvalidConfiguration(text("parameter '", parameter.name(), "' is ", to_string(parameter.kind()),
                                  " and has no ", wanted, " value; read it with ", right));
}

const char* right_reader(const Parameter& parameter) {
  switch (parameter.kind()) {
    case ParameterKind::real:
    case ParameterKind::discrete:
      return "real()";
    case ParameterKind::integer:
      return "integer() or real()";
    case ParameterKind::ordinal:
      return "category() or integer()";
    default:
      return "category()";
  }
}

}  // namespace

Configuration::Configuration() {
  static const std::vector<Parameter> none;
  parameters_ = std::shared_ptr<const std::vector<Parameter>>(std::shared_ptr<const void>(), &none);
}

Configuration::Configuration(std::shared_ptr<const std::vector<Parameter>> parameters, std::vector<double> numbers)
    : parameters_(std::move(parameters)), numbers_(std::move(numbers)) {}

std::size_t Configuration::position(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_->size(); ++i) {
    if ((*parameters_)[i].name() == name) return i;
  }
  std::string known;
  for (const Parameter& parameter : *parameters_) known += (known.empty() ? "'" : ", '") + parameter.name() + "'";
  throw InvalidConfiguration(text("there is no parameter '", name, "'; the space has ", known));
}

bool Configuration::same_names(const Configuration& other) const {
  return internal::same_names(*parameters_, *other.parameters_);
}

double Configuration::real(std::string_view name) const {
  const std::size_t i = position(name);
  const Parameter& parameter = (*parameters_)[i];
  if (!parameter.labels().empty()) refuse_reading(parameter, "real", right_reader(parameter));
  return numbers_[i];
}

std::int64_t Configuration::integer(std::string_view name) const {
  const std::size_t i = position(name);
  const Parameter& parameter = (*parameters_)[i];
  const bool whole = numbers_[i] == std::trunc(numbers_[i]) && std::abs(numbers_[i]) <= internal::largest_integer;
  const bool readable = parameter.kind() == ParameterKind::integer || parameter.kind() == ParameterKind::ordinal ||
                        (parameter.kind() == ParameterKind::discrete && whole);
  if (!readable) refuse_reading(parameter, "integer", right_reader(parameter));
  return static_cast<std::int64_t>(numbers_[i]);
}

const std::string& Configuration::category(std::string_view name) const {
  const std::size_t i = position(name);
  const Parameter& parameter = (*parameters_)[i];
  if (parameter.labels().empty()) refuse_reading(parameter, "category", right_reader(parameter));
  return parameter.labels()[static_cast<std::size_t>(numbers_[i])];
}

Value Configuration::value(std::string_view name) const {
  const std::size_t i = position(name);
  const Parameter& parameter = (*parameters_)[i];
  if (!parameter.labels().empty()) return parameter.labels()[static_cast<std::size_t>(numbers_[i])];
  if (parameter.kind() == ParameterKind::integer) return static_cast<std::int64_t>(numbers_[i]);
  return numbers_[i];
}

std::string Configuration::to_string() const {
  std::string pairs;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const Parameter& parameter = (*parameters_)[i];
    pairs += text(i ? " " : "", parameter.name(), "=", internal::value_text(parameter, numbers_[i]));
  }
  return pairs;
}

}  // namespace carbo
