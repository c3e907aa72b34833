#pragma once

#include <memory>

#include "bench/backends/job.hpp"
#include "bench/backends/report.hpp"

namespace carbo::bench {

/// A limit of the machine, measured beside the job that it is held against. All threads take part.
class LimitProbe {
 public:
  virtual ~LimitProbe() = default;
  virtual void run() = 0;
  /// Of one run: flops, bytes or entries.
  virtual double work() const = 0;
};

/// `sizes`: of the job; the Matérn pass takes its columns and rows from them. Null for Limit::none.
std::unique_ptr<LimitProbe> make_probe(Limit limit, const JobSizes& sizes);

/// All limits, medians of a few runs.
MachineLimits measure_limits();

}  // namespace carbo::bench
