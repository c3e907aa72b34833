#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <carbo/observation.hpp>

namespace carbo::internal {

/// An observation in the form that the models learn from.
struct LearnedPoint {
  std::vector<double> numbers;
  std::vector<double> encoded;
  ObservationStatus status = ObservationStatus::succeeded;
  double objective = 0;                   ///< NaN unless succeeded
  double cost = 0;                        ///< NaN where it is not known
  std::optional<std::size_t> pool_row{};  ///< of the caller's pool, where it is known
};

}  // namespace carbo::internal
