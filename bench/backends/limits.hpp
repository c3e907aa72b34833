#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/backends/job.hpp"
#include "bench/backends/report.hpp"

namespace carbo::bench {

/// A limit of the CPU, on all threads, or of a device, measured beside the job that it is held against.
class LimitProbe {
 public:
  virtual ~LimitProbe() = default;
  /// Returns when the work is done.
  virtual void run() = 0;
  /// Of one run: flops, bytes or entries.
  virtual double work() const = 0;
};

/// Makes what measures a limit. Takes the sizes of the job: those of the Matérn pass follow from them. Null for
/// Limit::none.
using ProbeMaker = std::function<std::unique_ptr<LimitProbe>(Limit limit, const JobSizes& sizes)>;

/// On the CPU.
std::unique_ptr<LimitProbe> make_cpu_probe(Limit limit, const JobSizes& sizes);
/// Of the Matérn pass whose rate a report gives as the CPU's.
inline constexpr JobSizes cpu_pass_sizes{.n = 1000, .m = 20000, .d = 6};

/// What the CPU's GEMM is: the name of an installed BLAS, or Eigen.
std::string cpu_gemm_name();

/// All limits, medians of a few runs; the Matérn pass at these sizes.
MachineLimits measure_limits(const ProbeMaker& make_probe, const JobSizes& pass_sizes);

}  // namespace carbo::bench
