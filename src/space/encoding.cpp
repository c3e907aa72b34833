#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "space/axis.hpp"
#include "space/encoding.hpp"
#include "support/text.hpp"

namespace carbo {
namespace internal {
namespace {

constexpr double one_hot = std::numbers::sqrt2 / 2.0;

void require_size(const char* what, std::size_t given, std::size_t needed, const char* unit) {
  if (given != needed) {
    throw InvalidConfiguration(text(what, " holds ", given, " numbers; give ", needed, ", one ", unit));
  }
}

void require_number(const char* what, double number, const Parameter& parameter) {
  if (std::isnan(number)) {
    throw InvalidConfiguration(text("the ", what, " of parameter '", parameter.name(), "' is NaN; give a number"));
  }
}

}  // namespace

void encode_row(std::span<const Axis> axes, std::span<const double> numbers, std::span<double> encoded) {
  std::size_t column = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Parameter& parameter = axes[i].parameter();
    if (parameter.kind() != ParameterKind::categorical) {
      encoded[column++] = axes[i].coordinate(numbers[i]);
      continue;
    }
    const std::size_t categories = parameter.labels().size();
    std::fill_n(encoded.begin() + static_cast<std::ptrdiff_t>(column), categories, 0.0);
    encoded[column + static_cast<std::size_t>(numbers[i])] = one_hot;
    column += categories;
  }
}

}  // namespace internal

std::vector<double> Space::encode(const Configuration& configuration) const {
  std::vector<double> encoded(encoded_columns());
  encode(configuration.numbers(), encoded);
  return encoded;
}

void Space::encode(std::span<const double> numbers, std::span<double> encoded) const {
  internal::require_size("the encoded point", encoded.size(), encoded_columns(), "a column");
  internal::encode_row(internal::axes_of(*this), configuration(numbers).numbers(), encoded);
}

Configuration Space::decode(std::span<const double> encoded) const {
  internal::require_size("the encoded point", encoded.size(), encoded_columns(), "a column");
  std::vector<double> numbers;
  numbers.reserve(parameters_->size());
  std::size_t column = 0;
  for (const internal::Axis& axis : internal::axes_of(*this)) {
    const Parameter& parameter = axis.parameter();
    const bool categorical = parameter.kind() == ParameterKind::categorical;
    const auto columns = encoded.subspan(column, categorical ? parameter.labels().size() : 1);
    for (const double coordinate : columns) internal::require_number("encoded value", coordinate, parameter);
    const auto largest = std::max_element(columns.begin(), columns.end());
    numbers.push_back(categorical ? static_cast<double>(largest - columns.begin()) : axis.nearest(columns[0]));
    column += columns.size();
  }
  return configuration(std::span<const double>(numbers));
}

void Space::from_unit(std::span<const double> unit, std::span<double> numbers) const {
  internal::require_size("the unit-cube point", unit.size(), parameters_->size(), "a parameter");
  internal::require_size("the configuration to fill", numbers.size(), parameters_->size(), "a parameter");
  for (std::size_t i = 0; i < parameters_->size(); ++i) {
    const Parameter& parameter = (*parameters_)[i];
    internal::require_number("unit-cube coordinate", unit[i], parameter);
    numbers[i] = internal::Axis(parameter).quantile(std::clamp(unit[i], 0.0, 1.0));
  }
}

}  // namespace carbo
