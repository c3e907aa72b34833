#include "bench/draw/extents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carbo::draw {

namespace {

/// Lowest and highest of the finite values given to it.
class Hull {
 public:
  explicit Hull(Scale scale) : scale_(scale) {}

  void include(double value) {
    // Bars without height have none on a logarithmic axis either.
    if (!std::isfinite(value) || (scale_ == Scale::logarithmic && value <= 0)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void include(const std::vector<double>& values) {
    for (const double value : values) include(value);
  }

  /// `padding`: share of the length that is added at each end, but not beyond zero on a linear axis; on a logarithmic
  /// one at least by the factor `least_factor`.
  Extent extent(double padding, double least_factor) const {
    if (!(low_ <= high_)) return {scale_, 1, 10};
    const bool level = low_ == high_;
    if (scale_ == Scale::logarithmic) {
      const double factor =
          std::max(level ? std::max(least_factor, 2.0) : least_factor, std::pow(high_ / low_, padding));
      return {scale_, low_ / factor, high_ * factor};
    }
    const double pad = level ? std::max(std::abs(low_) / 2, 0.5) : (high_ - low_) * padding;
    return {scale_, low_ >= 0 && !level ? std::max(0.0, low_ - pad) : low_ - pad,
            high_ <= 0 && !level ? std::min(0.0, high_ + pad) : high_ + pad};
  }

 private:
  Scale scale_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

void include_x(Hull& hull, const Panel& panel) {
  for (const Curve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.middle.size(); ++i)
      if (std::isfinite(curve.middle[i])) hull.include(curve_position(curve, i));
  for (const Bars& bars : panel.bars) {
    hull.include(bars.left);
    hull.include(bars.right);
  }
  for (const Points& points : panel.points)
    for (std::size_t i = 0; i < points.x.size(); ++i)
      if (std::isfinite(points.y[i])) hull.include(points.x[i]);
  for (const MarkedLine& line : panel.lines)
    if (line.direction == Direction::vertical) hull.include(line.at);
}

/// Of bands on a logarithmic axis only the lower end of the last: the others may reach far down.
void include_curves(Hull& hull, const Panel& panel, Scale scale) {
  const auto include = [&](const std::vector<double>& values) {
    for (const double value : values)
      if (std::isfinite(value)) hull.include(curve_value(value, scale));
  };
  for (const Curve& curve : panel.curves) {
    include(curve.middle);
    if (scale != Scale::logarithmic || &curve == &panel.curves.back()) include(curve.lower);
    if (scale != Scale::logarithmic) include(curve.upper);
  }
}

void include_y(Hull& hull, const Panel& panel, Scale scale) {
  include_curves(hull, panel, scale);
  for (const Bars& bars : panel.bars) {
    if (scale == Scale::linear) hull.include(0.0);
    hull.include(bars.height);
    hull.include(bars.lower);
    hull.include(bars.upper);
  }
  for (const Points& points : panel.points)
    for (std::size_t i = 0; i < points.y.size(); ++i)
      if (std::isfinite(points.x[i])) hull.include(points.y[i]);
  for (const MarkedLine& line : panel.lines)
    if (line.direction == Direction::horizontal) hull.include(line.at);
}

/// Calls `visit` with the panel, or with all that share the axis with it.
template <class Visit>
void for_sharers(const Figure& figure, const Panel& panel, const Axis& axis, std::optional<Axis> Panel::*own,
                 const Visit& visit) {
  if (!axis.shared || panel.*own) return visit(panel);
  for (const Panel& other : figure.panels)
    if (!(other.*own)) visit(other);
}

}  // namespace

double curve_value(double value, Scale scale) {
  return scale == Scale::logarithmic ? std::max(value, curve_floor) : value;
}

double curve_position(const Curve& curve, std::size_t i) {
  if (!curve.x.empty()) return curve.x[i];
  return i == 0 ? 0.0 : static_cast<double>(i) / static_cast<double>(curve.middle.size() - 1);
}

bool has_data(const Panel& panel) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto any = [&](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), finite);
  };
  return std::any_of(panel.curves.begin(), panel.curves.end(), [&](const Curve& c) { return any(c.middle); }) ||
         std::any_of(panel.bars.begin(), panel.bars.end(), [&](const Bars& b) { return any(b.height); }) ||
         std::any_of(panel.points.begin(), panel.points.end(), [&](const Points& p) {
           for (std::size_t i = 0; i < p.x.size(); ++i)
             if (finite(p.x[i]) && finite(p.y[i])) return true;
           return false;
         });
}

const Axis& x_axis(const Figure& figure, const Panel& panel) { return panel.x ? *panel.x : figure.x; }
const Axis& y_axis(const Figure& figure, const Panel& panel) { return panel.y ? *panel.y : figure.y; }

Extent x_extent(const Figure& figure, const Panel& panel) {
  const Axis& axis = x_axis(figure, panel);
  if (axis.scale == Scale::categories) return {axis.scale, -0.5, static_cast<double>(axis.categories.size()) - 0.5};
  if (axis.range) return {axis.scale, axis.range->low, axis.range->high};
  Hull hull(axis.scale);
  bool points = false;
  for_sharers(figure, panel, axis, &Panel::x, [&](const Panel& sharer) {
    include_x(hull, sharer);
    points = points || !sharer.points.empty();
  });
  // Curves and bars reach to the ends; points would be cut in half there.
  return hull.extent(points ? 0.04 : 0.0, 1.0);
}

Extent y_extent(const Figure& figure, const Panel& panel) {
  const Axis& axis = y_axis(figure, panel);
  if (axis.range) return {axis.scale, axis.range->low, axis.range->high};
  Hull hull(axis.scale);
  for_sharers(figure, panel, axis, &Panel::y, [&](const Panel& sharer) { include_y(hull, sharer, axis.scale); });
  return hull.extent(0.05, 1.15);
}

}  // namespace carbo::draw
