#include "gp/posterior_draw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "support/random.hpp"

namespace carbo::internal {
namespace {

constexpr std::size_t waves = 512;
constexpr std::uint32_t degrees_of_freedom = 5;  // 2ν
// Lanes of one wave's numbers, after a normal a column.
enum Lane : std::uint32_t { amplitude = 1u << 20, phase, first_of_chi_square };

}  // namespace

PosteriorDraws::PosteriorDraws(GpBackend& backend, const Surrogate& surrogate)
    : rows_(surrogate.rows_in_factor_order()), parameters_(surrogate.factor().parameters()) {
  parameters_.mean = 0;
  const std::vector<double> zeros(rows_.size(), 0.0);
  factor_ = std::move(backend.factor(rows_.view(), zeros, {&parameters_, 1}, rows_.counts).front());
}

void PosteriorDraws::turn_to(std::uint64_t seed, std::uint64_t number) {
  const std::size_t columns = rows_.columns;
  frequencies_.resize(waves * columns);
  amplitudes_.resize(waves);
  phases_.resize(waves);
  const std::uint64_t first = number << 32;  // of the indices of this draw's numbers
  for (std::size_t wave = 0; wave < waves; ++wave) {
    const auto normal_of = [&](std::uint32_t lane) { return normal(seed, Draw::posterior_draw, first | wave, lane); };
    double chi_square = 0;
    for (std::uint32_t i = 0; i < degrees_of_freedom; ++i) {
      const double z = normal_of(Lane::first_of_chi_square + i);
      chi_square += z * z;
    }
    const double scale = std::sqrt(degrees_of_freedom / chi_square);
    for (std::size_t c = 0; c < columns; ++c)
      frequencies_[c * waves + wave] =
          scale * normal_of(static_cast<std::uint32_t>(c)) * parameters_.inverse_lengthscales[c];
    // A cosine and a sine with normal coefficients are one cosine with a Rayleigh amplitude and a uniform phase.
    const double rayleigh = std::sqrt(-2.0 * std::log(uniform(seed, Draw::posterior_draw, first | wave, amplitude)));
    amplitudes_[wave] = rayleigh * std::sqrt(parameters_.signal_variance / static_cast<double>(waves));
    phases_[wave] = 2.0 * std::numbers::pi * uniform(seed, Draw::posterior_draw, first | wave, phase);
  }
  std::vector<double> targets(rows_.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double count = rows_.counts.empty() ? 1.0 : rows_.counts[i];
    const double noise = std::sqrt(parameters_.noise_variance / count);
    targets[i] = prior_at(rows_.view().row(i)) + noise * normal(seed, Draw::posterior_draw, first | (waves + i));
  }
  factor_->set_targets(targets);
}

double PosteriorDraws::prior_at(std::span<const double> point) const {
  std::array<double, waves> angles;
  std::copy(phases_.begin(), phases_.end(), angles.begin());
  for (std::size_t c = 0; c < point.size(); ++c) {
    if (point[c] == 0) continue;  // most columns of a categorical parameter
    const double* const frequencies = frequencies_.data() + c * waves;
    for (std::size_t wave = 0; wave < waves; ++wave) angles[wave] += frequencies[wave] * point[c];
  }
  double sum = 0;
  for (std::size_t wave = 0; wave < waves; ++wave) sum += amplitudes_[wave] * std::cos(angles[wave]);
  return sum;
}

void PosteriorDraws::add_to(MatrixView points, std::span<double> values) const {
  std::vector<double> explained(points.rows);
  factor_->predict(points, explained, {});
  for (std::size_t i = 0; i < points.rows; ++i) values[i] += prior_at(points.row(i)) - explained[i];
}

}  // namespace carbo::internal
