#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <carbo/space.hpp>

namespace carbo::replay {

/// Finds the row of a table that lies nearest to a configuration of its space: by distance in the encoded unit cube
/// (see Space::encode), of equally near rows the first. Of several threads at once.
class NearestRow {
 public:
  /// `numbers`: rows × parameters, row-major (see Configuration::numbers). Throws std::invalid_argument where there
  /// is no row, or numbers are not whole rows.
  NearestRow(Space space, std::span<const double> numbers);

  std::size_t rows() const { return encoded_.size() / space_.encoded_columns(); }
  /// `numbers`: one a parameter. Throws InvalidConfiguration where they are not in the space.
  std::size_t operator()(std::span<const double> numbers) const;

 private:
  Space space_;
  std::vector<double> encoded_{};  ///< rows × encoded columns
};

}  // namespace carbo::replay
