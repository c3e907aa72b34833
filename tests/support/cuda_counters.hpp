#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  template <class Combine>
  Counts with(const Counts& other, const Combine& combine) const {
    return {combine(launches, other.launches),
            combine(library_calls, other.library_calls),
            combine(bytes_to_host, other.bytes_to_host),
            combine(bytes_to_device, other.bytes_to_device),
            combine(synchronisations, other.synchronisations),
            combine(allocations, other.allocations)};
  }
  Counts operator-(const Counts& other) const {
    return with(other, [](double a, double b) { return a - b; });
  }
  Counts operator+(const Counts& other) const {
    return with(other, [](double a, double b) { return a + b; });
  }
  Counts over(double count) const {
    return with(*this, [&](double a, double) { return a / count; });
  }
  Counts highest(const Counts& other) const {
    return with(other, [](double a, double b) { return std::max(a, b); });
  }
};

/// Of the picks of one batch after the first, which sweeps all candidates.
struct Measured {
  Counts first;                    ///< pick of a batch
  Counts mean;                     ///< of a later pick
  Counts highest;                  ///< each figure in the pick where it was highest
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

/// A pick is `Search::top`, `Search::fantasise` and `CandidateSet::exclude`.
inline Measured measure(CudaBackendFace& backend, const Sizes& sizes) {
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
  std::vector<double> normals(sizes.batch * sizes.fantasies);
  for (std::size_t i = 0; i < normals.size(); ++i) normals[i] = normal(3, Draw::fantasy, i);
  std::vector<double> incumbents(factors.size(), problem.lowest());
  Measured measured;
  measured.resident_bytes = emulator_device_bytes();
  for (std::size_t pick = 0; pick < sizes.batch; ++pick) {
    const Counts before = Counts::now();
    SearchRequest request;
    request.incumbents = incumbents;
    request.acquisition.parameter = 0.5;
    request.normals_ahead = std::span(normals).subspan(pick * sizes.fantasies);
    const std::size_t index = search->top(request, 2).at(0).index;
    const std::vector<double> values = search->fantasise(
        problem.candidates().row(index), std::span(normals).subspan(pick * sizes.fantasies, sizes.fantasies));
    set->exclude(index);
    const Counts counts = Counts::now() - before;
    incumbents.resize(values.size(), problem.lowest());
    for (std::size_t f = 0; f < values.size(); ++f) incumbents[f] = std::min(incumbents[f], values[f]);
    if (pick == 0) {
      measured.first = counts;
    } else {
      measured.mean = measured.mean + counts;
      measured.highest = measured.highest.highest(counts);
    }
  }
  measured.mean = measured.mean.over(static_cast<double>(sizes.batch - 1));
  measured.peak_bytes = emulator_counter("peak device bytes");
  return measured;
}

}  // namespace cuda_counters
