#include "space/local.hpp"

#include <algorithm>
#include <cmath>

#include "support/random.hpp"

namespace carbo::internal {
namespace {

constexpr double narrowest = 1e-3;
constexpr double widest = 0.3;
constexpr double least_moved_share = 0.3;

/// The random numbers of one attempt at one candidate.
class Source {
 public:
  Source(const LocalDraw& draw, std::size_t parameters)
      : seed_(draw.seed),
        index_((draw.round << 32) | draw.row),
        first_lane_(draw.attempt * (2 + 2 * static_cast<std::uint32_t>(parameters))) {}

  double scale() const { return narrowest * std::pow(widest / narrowest, unit(0)); }
  double certain_parameter() const { return unit(1); }
  double chance(std::size_t parameter) const { return unit(2 + 2 * parameter); }
  double other_category(std::size_t parameter) const { return unit(3 + 2 * parameter); }
  double step(std::size_t parameter) const {
    return normal(seed_, Draw::local_candidate, index_, lane(3 + 2 * parameter));
  }

 private:
  std::uint32_t lane(std::size_t which) const { return first_lane_ + static_cast<std::uint32_t>(which); }
  double unit(std::size_t which) const { return uniform(seed_, Draw::local_candidate, index_, lane(which)); }

  std::uint64_t seed_;
  std::uint64_t index_;
  std::uint32_t first_lane_;
};

/// Folds the real line onto [0, 1] by reflection at both ends.
double reflected(double coordinate) {
  const double folded = std::fmod(std::abs(coordinate), 2.0);
  return folded > 1.0 ? 2.0 - folded : folded;
}

double moved_category(const Parameter& parameter, double number, double unit) {
  const double others = static_cast<double>(parameter.labels().size() - 1);
  const double position = std::min(std::floor(unit * others), others - 1.0);
  return position < number ? position : position + 1.0;
}

double moved_value(const Axis& axis, double number, double step) {
  const double moved = axis.nearest(reflected(axis.coordinate(number) + step));
  if (moved != number || axis.parameter().kind() == ParameterKind::real) return moved;
  return axis.neighbour(number, step < 0 ? -1 : 1);
}

}  // namespace

std::size_t centre_of(std::size_t row, std::size_t centres) {
  std::size_t position = row % (centres * (centres + 1) / 2);
  std::size_t length = 1;
  while (position >= length) position -= length++;
  return position;
}

void perturb(std::span<const Axis> axes, std::span<const double> centre, const LocalDraw& draw,
             std::span<double> numbers) {
  const Source source(draw, axes.size());
  const double count = static_cast<double>(axes.size());
  const double moved_share = std::max(2.0 / count, least_moved_share);
  const double scale = source.scale();
  const auto certain = static_cast<std::size_t>(source.certain_parameter() * count);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    numbers[i] = centre[i];
    if (i != certain && source.chance(i) >= moved_share) continue;
    if (axes[i].parameter().kind() == ParameterKind::categorical) {
      numbers[i] = moved_category(axes[i].parameter(), centre[i], source.other_category(i));
    } else {
      numbers[i] = moved_value(axes[i], centre[i], scale * source.step(i));
    }
  }
}

}  // namespace carbo::internal
