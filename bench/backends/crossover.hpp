#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/backends/report.hpp"

namespace carbo::bench {

/// Seconds of both backends at one size.
struct SizeTimes {
  double size = 0;  ///< above 0
  double cpu = 0;   ///< above 0
  double cuda = 0;  ///< above 0
};

enum class CrossoverKind {
  at,     ///< the GPU is the faster one from `size` on
  below,  ///< at every size, the smallest included
  above,  ///< at none, the largest included
};

/// "at", "below_smallest", "above_largest".
const char* name_of(CrossoverKind kind);

struct Crossover {
  CrossoverKind kind = CrossoverKind::above;
  double size = 0;  ///< interpolated, or the smallest or largest measured
};

/// From which size on the GPU is the faster one, up to the largest: between two sizes where the ratio of the times,
/// as a power of the size, is 1. Absent where nothing was measured. Sizes in any order.
std::optional<Crossover> find_crossover(std::vector<SizeTimes> times);

/// "47,300", "below 1,000", "not up to 100,000".
std::string describe(const Crossover& crossover);

/// One line of cases that differ in m alone, or in n alone for fits.
struct CrossoverLine {
  Case of{};             ///< the size that varies is 0
  std::string varies{};  ///< "m" or "n"
  Crossover crossover{};
};
std::vector<CrossoverLine> crossovers(const Report& report);

}  // namespace carbo::bench
