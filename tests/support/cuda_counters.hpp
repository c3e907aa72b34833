#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "emulator_control.h"
#include "support/random.hpp"

/// What the emulator counts while a batch is picked.
namespace cuda_counters {

using namespace carbo::internal;

struct Sizes {
  std::size_t observations = 100;  ///< n
  std::size_t candidates = 10000;  ///< m
  std::size_t columns = 6;         ///< d
  std::size_t batch = 16;          ///< b
  std::size_t fantasies = 10;      ///< n_f
  bool batched = false;            ///< one factor a fantasy
};

struct Counts {
  double launches = 0;
  double library_calls = 0;
  double bytes_to_host = 0;
  double bytes_to_device = 0;
  double synchronisations = 0;
  double allocations = 0;

  static Counts now() {
    const auto of = [](const char* name) { return static_cast<double>(emulator_counter(name)); };
    return {of("launches"),        of("library calls"),    of("bytes to host"),
            of("bytes to device"), of("synchronisations"), of("allocations") + of("host allocations")};
  }
  Counts operator-(const Counts& other) const {
    return {launches - other.launches,
            library_calls - other.library_calls,
            bytes_to_host - other.bytes_to_host,
            bytes_to_device - other.bytes_to_device,
            synchronisations - other.synchronisations,
            allocations - other.allocations};
  }
};

/// Of one batch, from its first pass over all candidates to its last pick.
struct Measured {
  Counts batch;
  std::size_t picks = 0;
  std::size_t peak_bytes = 0;      ///< of the device, the libraries' workspace included
  std::size_t resident_bytes = 0;  ///< of the device before the first pick
};

/// Observations of a smooth function on the unit cube, and uniform candidates.
class Problem {
 public:
  explicit Problem(const Sizes& sizes) : sizes_(sizes) {
    const std::size_t d = sizes.columns;
    points_ = draws(sizes.observations * d, 1);
    candidates_ = draws(sizes.candidates * d, 2);
    for (std::size_t i = 0; i < sizes.observations; ++i) targets_.push_back(value(&points_[i * d]));
    for (std::size_t i = 0; i < sizes.candidates; ++i) log_costs_.push_back(2 * candidates_[i * d]);
    gp_.inverse_lengthscales.assign(d, 1.0);
    gp_.noise_variance = 1e-4;
  }
  MatrixView points() const { return {points_.data(), sizes_.observations, sizes_.columns}; }
  MatrixView candidates() const { return {candidates_.data(), sizes_.candidates, sizes_.columns}; }
  const std::vector<double>& targets() const { return targets_; }
  const std::vector<double>& log_costs() const { return log_costs_; }
  std::vector<GpParameters> parameters() const {
    return std::vector<GpParameters>(sizes_.batched ? sizes_.fantasies : 1, gp_);
  }
  double lowest() const { return *std::min_element(targets_.begin(), targets_.end()); }

 private:
  static std::vector<double> draws(std::size_t count, std::uint64_t seed) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = uniform(seed, Draw::uniform_configuration, i);
    return values;
  }
  double value(const double* x) const {
    double sum = 0;
    for (std::size_t c = 0; c < sizes_.columns; ++c) sum += std::cos(5 * x[c] + static_cast<double>(c));
    return sum / std::sqrt(static_cast<double>(sizes_.columns) / 2);
  }

  Sizes sizes_;
  std::vector<double> points_, candidates_, targets_, log_costs_;
  GpParameters gp_;
};

/// One batch by `Search::pick`, whose request `change` may change; what is picked is excluded.
inline Measured measure(
    CudaBackendFace& backend, const Sizes& sizes,
    const std::function<void(BatchRequest&)>& change = [](BatchRequest&) {}) {
  const Problem problem(sizes);
  emulator_reset_counters();
  const auto set = backend.make_candidates(problem.candidates());
  const auto factors = backend.factor(problem.points(), problem.targets(), problem.parameters());
  const auto cost = backend.make_field(problem.log_costs(), {});
  std::vector<GpFactor*> pointers;
  for (const auto& factor : factors) pointers.push_back(factor.get());
  SearchSetup setup;
  setup.factors = pointers;
  setup.fantasies = sizes.fantasies;
  setup.log_cost = cost.get();
  const auto search = backend.make_search(*set, setup);
  Incumbents incumbents(std::vector<double>(factors.size(), problem.lowest()));
  Measured measured;
  BatchRequest request;
  request.count = sizes.batch;
  request.acquisition.parameter = 0.5;
  request.incumbents = &incumbents;
  request.normals = [&](std::size_t pick) {
    std::vector<double> normals(sizes.fantasies);
    for (std::uint32_t f = 0; f < normals.size(); ++f) normals[f] = normal(3, Draw::fantasy, pick, f);
    return normals;
  };
  request.take = [&](const PickedRow& picked) {
    set->exclude(picked.best.index);
    ++measured.picks;
    return problem.candidates().row(picked.best.index);
  };
  change(request);
  measured.resident_bytes = emulator_device_bytes();
  const Counts before = Counts::now();
  search->pick(request);
  measured.batch = Counts::now() - before;
  measured.peak_bytes = emulator_counter("peak device bytes");
  return measured;
}

}  // namespace cuda_counters
