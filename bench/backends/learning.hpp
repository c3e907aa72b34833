#pragma once

#include <memory>

#include "bench/backends/workload.hpp"

namespace carbo::bench {

/// Likelihoods of both GPs: one lockstep step of all restarts (`step`), or until they have converged (`whole`).
std::unique_ptr<Workload> make_fit_workload(const Case& c, const BackendOptions& backend);

/// A batch from an Optimizer that was told n results: the first `ask`, which fits both GPs (`with fit`), or a later
/// one (`fitted`).
std::unique_ptr<Workload> make_suggest_workload(const Case& c, const BackendOptions& backend);

}  // namespace carbo::bench
