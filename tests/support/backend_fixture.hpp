#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "support/backend_oracle.hpp"

/// Short ways to call the backend from tests.
namespace fixture {

using namespace carbo::internal;

inline std::unique_ptr<Backend> cpu(std::size_t threads = 2, std::size_t tile = 0) {
  carbo::BackendOptions options;
  options.kind = carbo::BackendKind::cpu;
  options.threads = threads;
  options.tile = tile;
  return make_backend(options);
}

/// Row-major copy of points that lives as long as its view is used.
struct Rows {
  explicit Rows(const oracle::Points& points)
      : values(oracle::flat(points)), rows(points.size()), columns(points.empty() ? 0 : points[0].size()) {}
  MatrixView view() const { return {values.data(), rows, columns}; }

  std::vector<double> values;
  std::size_t rows;
  std::size_t columns;
};

inline GpParameters parameters(const oracle::Gp& gp) {
  GpParameters p;
  for (const double lengthscale : gp.lengthscales) p.inverse_lengthscales.push_back(1.0 / lengthscale);
  p.signal_variance = gp.signal;
  p.noise_variance = gp.noise;
  p.mean = gp.mean;
  return p;
}

inline std::unique_ptr<GpFactor> factor(Backend& backend, const oracle::Gp& gp, const oracle::Points& x,
                                        const std::vector<double>& y) {
  const Rows rows(x);
  const GpParameters p = parameters(gp);
  return std::move(backend.factor(rows.view(), y, {&p, 1}).front());
}

/// A GP whose lengthscales differ, over `columns` coordinates.
inline oracle::Gp some_gp(std::size_t columns, double noise = 1e-3) {
  oracle::Gp gp;
  for (std::size_t c = 0; c < columns; ++c) gp.lengthscales.push_back(0.3 + 0.15 * static_cast<double>(c));
  gp.signal = 1.7;
  gp.noise = noise;
  gp.mean = 0.25;
  return gp;
}

/// Rounding of a posterior: machine epsilon, times the rows that are summed, times the condition number's bound
/// (n·signal + noise)/noise, times the size of what cancels.
inline double posterior_tolerance(const oracle::Gp& gp, std::size_t rows) {
  const double n = static_cast<double>(rows);
  return 4 * 2.2e-16 * (n * gp.signal + gp.noise) / gp.noise * std::sqrt(n) * (1 + gp.signal);
}

}  // namespace fixture
