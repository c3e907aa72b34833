#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "bench/backends/model.hpp"
#include "emulator_control.h"
#include "support/text.hpp"

/// Jobs of the model, and what the emulator counts while it executes them.
namespace carbo::bench {

inline StageWork counted() {
  const auto of = [](const char* name) { return static_cast<double>(emulator_counter(name)); };
  StageWork work;
  work.flops = of("float64 operations") + operations_per_division * of("float64 divisions and roots") +
               of("library operations");
  work.float32_flops = of("float32 operations");
  work.launches = of("launches");
  work.library_calls = of("library calls");
  work.bytes_to_device = of("bytes to device");
  work.bytes_to_host = of("bytes to host");
  work.waits = of("synchronisations");
  work.requested_bytes = of("device bytes read") + of("device bytes written") + of("library bytes");
  return work;
}

struct Compared {
  Job job;
  JobSizes sizes;
};

inline std::string name_of_case(const Compared& c) {
  const JobSizes& s = c.sizes;
  return carbo::internal::text(name_of(c.job), "_n", s.n, "_m", s.m, "_d", s.d, "_b", s.b, "_f", s.fantasies, "_r",
                               s.restarts, s.batched ? "_batched" : "");
}

inline void PrintTo(const Compared& c, std::ostream* out) { *out << name_of_case(c); }

inline JobSizes sizes(std::size_t n, std::size_t m, std::size_t d, std::size_t b = 1, std::size_t fantasies = 10,
                      std::size_t restarts = 4, bool batched = false) {
  return {n, m, d, b, fantasies, restarts, batched};
}

/// Shares that the formulas may differ by. Where every loop's length is known it is what they leave out: sums over a
/// block of threads, what single threads read. In a search the lists' lengths are averages, and the regimes of log h
/// and of sums of exponentials depend on the candidates. In a batch the points that contenders have missed, and lists
/// that end in part of a tile, are averages too.
struct Tolerance {
  double flops;
  double requested;
  double float32 = 0;
};

/// With the shares that the search itself reported.
inline Tolerance tolerance_of(Job job) {
  if (job == Job::suggest) return {0.2, 0.2};  // what contenders have missed is a mean over batches of other sizes
  if (job == Job::batch) return {0.12, 0.12};
  if (job == Job::pick) return {0.05, 0.05};
  return {0.002, 0.04};
}

inline constexpr double tables = 2048;  // that a launch reads, bytes

}  // namespace carbo::bench
