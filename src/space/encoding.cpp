#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/space.hpp>

#include "space/axis.hpp"
#include "space/encoding.hpp"
#include "support/text.hpp"

namespace carbo {
namespace internal {
namespace {

/// Rows of one column that are handled at once, so that what depends on the parameter alone is decided once for all.
constexpr std::size_t block_rows = 64;

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

/// One column of a block of rows; `target` is its first entry, `stride` the distance to the next row's.
std::size_t encode_coordinates(const Axis& axis, std::span<const double> numbers, double* target,
                               std::size_t stride) {
  std::array<double, block_rows> coordinates;
  axis.coordinates(numbers, {coordinates.data(), numbers.size()});
  for (std::size_t row = 0; row < numbers.size(); ++row) target[row * stride] = coordinates[row];
  return 1;
}

/// The columns of a category; returns how many.
std::size_t encode_categories(const Parameter& parameter, std::span<const double> numbers, double* target,
                              std::size_t stride) {
  const std::size_t categories = parameter.labels().size();
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    std::fill_n(target + row * stride, categories, 0.0);
    target[row * stride + static_cast<std::size_t>(numbers[row])] = kernels::one_hot;
  }
  return categories;
}

}  // namespace

void encode_rows(std::span<const Axis> axes, std::span<const double> numbers, std::span<double> encoded) {
  const std::size_t rows = numbers.size() / axes.size();
  if (rows == 0) return;
  const std::size_t columns = encoded.size() / rows;
  for (std::size_t first = 0; first < rows; first += block_rows) {
    const std::size_t count = std::min(block_rows, rows - first);
    std::size_t column = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double* const source = numbers.data() + first * axes.size() + i;
      double* const target = encoded.data() + first * columns + column;
      std::array<double, block_rows> values;
      for (std::size_t row = 0; row < count; ++row) values[row] = source[row * axes.size()];
      column += axes[i].parameter().kind() == ParameterKind::categorical
                    ? encode_categories(axes[i].parameter(), {values.data(), count}, target, columns)
                    : encode_coordinates(axes[i], {values.data(), count}, target, columns);
    }
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
  internal::encode_rows(internal::axes_of(*this), configuration(numbers).numbers(), encoded);
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
