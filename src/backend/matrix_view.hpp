#pragma once

#include <cstddef>
#include <span>

namespace carbo::internal {

/// Row-major host matrix that somebody else owns.
struct MatrixView {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::span<const double> row(std::size_t i) const { return {data + i * columns, columns}; }
};

}  // namespace carbo::internal
