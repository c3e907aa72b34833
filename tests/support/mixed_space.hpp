#pragma once

#include <carbo/space.hpp>

namespace carbo {

/// Every kind of parameter, on both scales.
inline Space mixed_space() {
  return Space{
      real("rate", 1e-4, 1.0).log(),
      integer("layers", -3, 8),
      categorical("optimizer", {"sgd", "adam", "rmsprop"}),
      ordinal("size", {"small", "medium", "large"}),
      discrete("dropout", {0.0, 0.1, 0.5}),
      integer("width", 1, 1024).log(),
      real("shift", -2.0, 6.0),
  };
}

}  // namespace carbo
