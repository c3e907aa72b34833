#include "gp/evidence.hpp"

#include <cmath>
#include <numeric>

namespace carbo::internal {
namespace {

constexpr double least_gain = 1.0;

/// Standard error of the sum of differences between two models' scores.
double standard_error(LogScores a, LogScores b) {
  const double count = static_cast<double>(a.size());
  const double mean = (total(a) - total(b)) / count;
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double offset = a[i] - b[i] - mean;
    squares += offset * offset;
  }
  return count > 1 ? std::sqrt(squares * count / (count - 1.0)) : 0.0;
}

}  // namespace

double total(LogScores scores) { return std::accumulate(scores.begin(), scores.end(), 0.0); }

std::size_t choose_by_evidence(std::optional<std::size_t> holder, std::span<const LogScores> models) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < models.size(); ++i)
    if (total(models[i]) > total(models[best])) best = i;
  if (!holder || best == *holder) return best;
  const double gain = total(models[best]) - total(models[*holder]);
  return gain > least_gain + standard_error(models[best], models[*holder]) ? best : *holder;
}

}  // namespace carbo::internal
