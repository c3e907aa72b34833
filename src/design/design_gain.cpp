#include "design/design_gain.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace carbo::internal {
namespace {

struct DropFantasies {
  GpFactor& factor;
  ~DropFantasies() { factor.drop_fantasies(); }
};

}  // namespace

double design_gain(GpFactor& factor, std::span<const std::span<const double>> running,
                   std::span<const double> point) {
  // Two fantasies that agree on all that runs differ at the point by the deviation of its result, times one.
  constexpr std::array<double, 2> alike = {0.0, 0.0}, apart = {0.0, 1.0};
  const DropFantasies guard{factor};
  for (const std::span<const double> one : running) factor.fantasise(one, alike);
  const std::vector<double> values = factor.fantasise(point, apart);
  const GpParameters& gp = factor.parameters();
  const double deviation = values[1] - values[0];
  const double noise = gp.noise_variance + factor.jitter() * (gp.signal_variance + gp.noise_variance);
  const double variance = std::clamp(deviation * deviation - noise, 0.0, gp.signal_variance);
  const double total = variance + noise;
  return total > 0 ? variance / gp.signal_variance * (variance / total) : 0.0;
}

}  // namespace carbo::internal
