#include "gp/warp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gp/normal.hpp"
#include "gp/power_warp.hpp"

namespace carbo::internal {
namespace {

constexpr double smallest = std::numeric_limits<double>::denorm_min();
/// Of the distance between the best value and the median: how far beyond the best the floor of a logarithm lies.
constexpr double floor_share = 1.0 / 8.0;

/// log(value − origin + room).
class LogWarp final : public Warp {
 public:
  LogWarp(double origin, double room) : origin_(origin), room_(room) {}
  double forward(double value) const override {
    return std::log(std::clamp((value - origin_) + room_, smallest, largest_finite));
  }
  double backward(double warped) const override {
    return std::clamp(origin_ + (std::exp(warped) - room_), -largest_finite, largest_finite);
  }
  double log_slope(double value) const override { return -forward(value); }

 private:
  double origin_, room_;
};

std::shared_ptr<const Warp> shifted_log(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low > 0) return std::make_shared<LogWarp>(0.0, 0.0);
  const double median = lower_median(values);
  // Divided first: the distance between huge values of opposite sign is finite then.
  double room = median * floor_share - *low * floor_share;
  if (!(room > 0)) room = *high * floor_share - *low * floor_share;
  return std::make_shared<LogWarp>(*low, room > 0 ? room : *low < *high ? smallest : 1.0);
}

/// Piecewise linear through ascending points, constant outside.
class PointsWarp final : public Warp {
 public:
  PointsWarp(std::vector<double> values, std::vector<double> scores)
      : values_(std::move(values)), scores_(std::move(scores)) {}
  double forward(double value) const override { return interpolate(values_, scores_, value); }
  double backward(double warped) const override { return interpolate(scores_, values_, warped); }
  double log_slope(double value) const override {
    if (values_.size() < 2) return std::numeric_limits<double>::infinity();  // no score leads to another value
    const auto above = std::clamp<std::ptrdiff_t>(
        std::upper_bound(values_.begin(), values_.end(), value) - values_.begin(), 1, std::ssize(values_) - 1);
    return std::log(scores_[above] - scores_[above - 1]) - std::log(values_[above] - values_[above - 1]);
  }

 private:
  static double interpolate(const std::vector<double>& from, const std::vector<double>& to, double at) {
    const auto above = std::upper_bound(from.begin(), from.end(), at) - from.begin();
    if (above == 0) return to.front();
    if (above == std::ssize(from)) return to.back();
    // Halved, so that the difference of two huge values of opposite sign stays finite.
    const double width = 0.5 * from[above] - 0.5 * from[above - 1];
    if (!(width > 0)) return to[above - 1];  // neighbours so small that their halves are equal
    const double share = (0.5 * at - 0.5 * from[above - 1]) / width;
    return to[above - 1] * (1.0 - share) + to[above] * share;
  }

  std::vector<double> values_;  ///< distinct
  std::vector<double> scores_;
};

/// Distinct values with the normal scores of their ranks; ties share the mean rank. Those up to `least` are left out.
std::pair<std::vector<double>, std::vector<double>> normal_scores(std::span<const double> values, double least) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::pair<std::vector<double>, std::vector<double>> result;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && sorted[end] == sorted[first]) ++end;
    const double mean_rank = 0.5 * static_cast<double>(first + end - 1) + 0.5;  // from 1/2 to n − 1/2
    if (sorted[first] > least) {
      result.first.push_back(sorted[first]);
      result.second.push_back(normal_quantile(mean_rank / static_cast<double>(sorted.size())));
    }
    first = end;
  }
  return result;
}

/// (value − median) / unit up to the median, where it is 0; then the scores of ranks.
class HalfRankWarp final : public Warp {
 public:
  HalfRankWarp(double median, double unit, PointsWarp worse)
      : median_(median), unit_(unit), worse_(std::move(worse)) {}
  double forward(double value) const override {
    if (value > median_) return worse_.forward(value);
    return std::max(2.0 * ((0.5 * value - 0.5 * median_) / unit_), -largest_finite);
  }
  double backward(double warped) const override {
    if (warped > 0) return worse_.backward(warped);
    return std::max(median_ + unit_ * warped, -largest_finite);
  }
  double log_slope(double value) const override {
    return value > median_ ? worse_.log_slope(value) : -std::log(unit_);
  }

 private:
  double median_, unit_;
  PointsWarp worse_;
};

std::shared_ptr<const Warp> half_rank(std::span<const double> values) {
  const double median = lower_median(values);
  const double low = *std::min_element(values.begin(), values.end());
  double squares = 0, count = 0;
  for (const double value : values) {
    if (value > median) continue;
    const double share = low < median ? (0.5 * value - 0.5 * median) / (0.5 * low - 0.5 * median) : 0.0;
    squares += share * share;
    count += 1;
  }
  // The root mean square of a better half is one unit, as that of half a normal sample.
  const double unit = std::min(2.0 * (std::sqrt(squares / count) * (0.5 * median - 0.5 * low)), largest_finite);
  auto [worse, scores] = normal_scores(values, median);
  worse.insert(worse.begin(), median);
  scores.insert(scores.begin(), 0.0);
  return std::make_shared<HalfRankWarp>(median, unit > 0 ? unit : 1.0,
                                        PointsWarp(std::move(worse), std::move(scores)));
}

}  // namespace

double lower_median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>((copy.size() - 1) / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  return *middle;
}

std::shared_ptr<const Warp> make_warp(Transform kind, std::span<const double> values) {
  switch (kind) {
    case Transform::log:
      return std::make_shared<LogWarp>(0.0, 0.0);
    case Transform::rank: {
      auto [distinct, scores] = normal_scores(values, -std::numeric_limits<double>::infinity());
      return std::make_shared<PointsWarp>(std::move(distinct), std::move(scores));
    }
    case Transform::shifted_log:
      return shifted_log(values);
    case Transform::power:
      return std::make_shared<PowerWarp>(values);
    case Transform::half_rank:
      return half_rank(values);
    case Transform::none:
    case Transform::automatic:
      break;
  }
  return nullptr;
}

}  // namespace carbo::internal
