#pragma once

#include <memory>
#include <optional>

#include <carbo/options.hpp>

#include "bench/backends/job.hpp"
#include "bench/backends/model.hpp"

namespace carbo::bench {

/// A case ready to be timed on one backend.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Before every run, outside the time.
  virtual void prepare() {}
  /// Returns when the result is on the host.
  virtual void run() = 0;
  /// Of the last run's search; absent where there was none.
  virtual std::optional<PickShares> shares() const { return {}; }
};

/// Data and factors are made, and rows uploaded, here. Throws what the backend throws.
std::unique_ptr<Workload> make_workload(const Case& c, const BackendOptions& backend);

}  // namespace carbo::bench
