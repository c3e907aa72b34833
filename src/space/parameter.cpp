#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/space.hpp>

#include "space/checks.hpp"

namespace carbo {
namespace {

/// Makes −0 a +0, so that equal numbers have equal bits.
double canonical(double number) { return number + 0.0; }

}  // namespace

Parameter Parameter::log() const {
  Parameter copy = *this;
  copy.scale_ = Scale::log;
  return copy;
}

std::uint64_t Parameter::cardinality() const {
  switch (kind_) {
    case ParameterKind::real:
      return 0;
    case ParameterKind::integer: {
      const bool exact = std::max(std::abs(lower_), std::abs(upper_)) <= internal::largest_integer;
      if (!exact || lower_ > upper_) return 0;
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(upper_) - static_cast<std::int64_t>(lower_)) + 1;
    }
    case ParameterKind::discrete:
      return values_.size();
    default:
      return labels_.size();
  }
}

Parameter real(std::string name, double lower, double upper) {
  Parameter parameter;
  parameter.name_ = std::move(name);
  parameter.kind_ = ParameterKind::real;
  parameter.lower_ = canonical(lower);
  parameter.upper_ = canonical(upper);
  return parameter;
}

Parameter integer(std::string name, std::int64_t lower, std::int64_t upper) {
  Parameter parameter = real(std::move(name), static_cast<double>(lower), static_cast<double>(upper));
  parameter.kind_ = ParameterKind::integer;
  return parameter;
}

Parameter categorical(std::string name, std::vector<std::string> categories) {
  const double last = categories.empty() ? 0.0 : static_cast<double>(categories.size() - 1);
  Parameter parameter = real(std::move(name), 0.0, last);
  parameter.kind_ = ParameterKind::categorical;
  parameter.labels_ = std::move(categories);
  return parameter;
}

Parameter ordinal(std::string name, std::vector<std::string> levels) {
  Parameter parameter = categorical(std::move(name), std::move(levels));
  parameter.kind_ = ParameterKind::ordinal;
  return parameter;
}

Parameter discrete(std::string name, std::vector<double> values) {
  std::transform(values.begin(), values.end(), values.begin(), canonical);
  const double first = values.empty() ? 0.0 : values.front();
  const double last = values.empty() ? 0.0 : values.back();
  Parameter parameter = real(std::move(name), first, last);
  parameter.kind_ = ParameterKind::discrete;
  parameter.values_ = std::move(values);
  return parameter;
}

}  // namespace carbo
