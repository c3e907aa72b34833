#include "sampling/sobol_points.hpp"

#include <algorithm>
#include <array>

#include "sampling/axis_arrays.hpp"

namespace carbo::internal {
namespace {

/// Points that are made at once, so that loops over them stay in cache.
constexpr std::size_t points_at_once = 256;
using Values = std::array<double, points_at_once>;

void make_levels(const kernels::SobolAxis& axis, std::span<const std::uint32_t> indices, std::span<double> levels) {
  std::array<std::uint32_t, points_at_once> words;
  std::uint32_t word = 0;
  std::uint32_t before = 0;
  for (std::size_t j = 0; j < indices.size(); ++j) {
    // Words of two indices differ by the word of the bits in which these differ: one or two where they are
    // neighbours.
    word ^= kernels::sobol_word(axis.directions, indices[j] ^ before);
    before = indices[j];
    words[j] = word;
  }
  const kernels::PhiloxBlock key = axis.key;
  for (std::size_t j = 0; j < indices.size(); ++j) {
    levels[j] = kernels::sobol_unit(kernels::owen_scramble(words[j], key));
  }
  axis_levels(axis.map, levels, levels);
}

}  // namespace

void encode_sobol_points(const SobolRecipe& recipe, std::span<const std::uint32_t> indices, double* out,
                         std::size_t stride) {
  for (std::size_t first = 0; first < indices.size(); first += points_at_once) {
    const auto part = indices.subspan(first, std::min(points_at_once, indices.size() - first));
    for (const kernels::SobolAxis& axis : recipe.axes) {
      Values values;
      const std::span<double> levels(values.data(), part.size());
      make_levels(axis, part, levels);
      double* const column = out + static_cast<std::size_t>(axis.first_column) * stride + first;
      if (axis.map.kind != kernels::AxisKind::category) {
        axis_coordinates(axis.map, levels, {column, part.size()});
        continue;
      }
      for (int c = 0; c < axis.columns; ++c)
        for (std::size_t j = 0; j < part.size(); ++j)
          column[static_cast<std::size_t>(c) * stride + j] = kernels::encoded_value(axis, levels[j], c);
    }
  }
}

}  // namespace carbo::internal
