#include "bench/draw/marks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bench/draw/extents.hpp"
#include "bench/draw/palette.hpp"

namespace carbo::draw {

namespace {

using bench::Svg;
using bench::SvgAnchor;
using bench::SvgPoint;
using bench::SvgText;

/// Entries of a list of a curve that are drawn, as pixels.
std::vector<SvgPoint> drawn_points(const Frame& frame, const Curve& curve, const std::vector<double>& values) {
  std::vector<SvgPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = curve_position(curve, i);
    if (std::isfinite(values[i]) && frame.x.holds(x))
      points.push_back({frame.x_of(x), frame.y_of(curve_value(values[i], frame.y.scale))});
  }
  return points;
}

/// Corners of a step curve through these points; one is left out where the curve stays level.
std::vector<SvgPoint> corners(const std::vector<SvgPoint>& points) {
  std::vector<SvgPoint> result;
  double previous = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [x, y] = points[i];
    const bool level = std::abs(y - previous) < 0.05;
    if (level && i + 1 < points.size()) continue;
    if (i > 0) result.push_back({x, previous});
    if (!level) result.push_back({x, y});
    previous = y;
  }
  return result;
}

std::vector<SvgPoint> curve_points(const Frame& frame, const Curve& curve, const std::vector<double>& values) {
  std::vector<SvgPoint> points = drawn_points(frame, curve, values);
  return curve.join == Join::steps ? corners(points) : points;
}

void draw_curves(Svg& svg, const Frame& frame, const Panel& panel) {
  for (const Curve& curve : panel.curves) {
    if (curve.lower.empty()) continue;
    std::vector<SvgPoint> outline = curve_points(frame, curve, curve.upper);
    const std::vector<SvgPoint> back = curve_points(frame, curve, curve.lower);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    svg.area(outline, curve.colour, band_opacity);
  }
  for (const Curve& curve : panel.curves)
    svg.polyline(curve_points(frame, curve, curve.middle), {.colour = curve.colour, .width = curve.width});
}

void draw_whisker(Svg& svg, const Frame& frame, double x, double lower, double upper) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) return;
  const double low = frame.y_of(lower), high = frame.y_of(upper);
  svg.line({x, low}, {x, high}, {.colour = ink, .width = 1.1});
  for (const double y : {low, high}) svg.line({x - 3, y}, {x + 3, y}, {.colour = ink, .width = 1.1});
}

void draw_bars(Svg& svg, const Frame& frame, const Bars& bars) {
  const double base = frame.y_of(frame.y.scale == Scale::logarithmic ? frame.y.low : 0.0);
  for (std::size_t i = 0; i < bars.height.size(); ++i) {
    const double left = std::max(bars.left[i], frame.x.low), right = std::min(bars.right[i], frame.x.high);
    const bool none = frame.y.scale == Scale::logarithmic ? bars.height[i] <= 0 : bars.height[i] == 0;
    if (!std::isfinite(bars.height[i]) || none || !(left < right)) continue;
    const double from = frame.x_of(left), to = frame.x_of(right), top = frame.y_of(bars.height[i]);
    svg.area({{from, base}, {from, top}, {to, top}, {to, base}}, bars.colour, bars.opacity);
  }
  for (std::size_t i = 0; i < bars.lower.size(); ++i) {
    const double middle = frame.x.scale == Scale::logarithmic ? std::sqrt(bars.left[i] * bars.right[i])
                                                              : (bars.left[i] + bars.right[i]) / 2;
    if (frame.x.holds(middle)) draw_whisker(svg, frame, frame.x_of(middle), bars.lower[i], bars.upper[i]);
  }
}

void draw_points(Svg& svg, const Frame& frame, const Points& points) {
  for (std::size_t i = 0; i < points.x.size(); ++i)
    if (frame.x.holds(points.x[i]) && frame.y.holds(points.y[i]))
      draw_point(svg, {frame.x_of(points.x[i]), frame.y_of(points.y[i])}, points);
}

/// `row`: how many texts of vertical lines stand above this one's.
void draw_vertical(Svg& svg, const Frame& frame, const MarkedLine& line, double row) {
  const double x = frame.x_of(line.at), y = frame.corner.y + 11 + 14 * row;
  svg.line({x, frame.corner.y}, {x, frame.bottom()}, {.colour = line.colour, .width = 1.3, .dashes = "4 3"});
  SvgText style = {.size = 11, .colour = line.colour, .bold = true, .halo = true};
  const bool room_right = x + 5 + text_width(line.text, style) < frame.right() || x < frame.left() + frame.width / 2;
  if (!room_right) style.anchor = SvgAnchor::end;
  svg.text({room_right ? x + 5 : x - 5, y}, line.text, style);
}

void draw_horizontal(Svg& svg, const Frame& frame, const MarkedLine& line) {
  const double y = frame.y_of(line.at);
  svg.line({frame.left(), y}, {frame.right(), y}, {.colour = line.colour, .width = 1.3, .dashes = "4 3"});
  const bool room_above = y - 16 > frame.corner.y;
  svg.text({frame.right() - 2, room_above ? y - 5 : y + 13}, line.text,
           {.size = 11, .colour = line.colour, .anchor = SvgAnchor::end, .bold = true, .halo = true});
}

void draw_lines(Svg& svg, const Frame& frame, const std::vector<MarkedLine>& lines) {
  double row = 0;
  for (const MarkedLine& line : lines) {
    const bool vertical = line.direction == Direction::vertical;
    if (!(vertical ? frame.x : frame.y).holds(line.at)) continue;
    if (vertical)
      draw_vertical(svg, frame, line, row++);
    else
      draw_horizontal(svg, frame, line);
  }
}

void draw_arrow(Svg& svg, const Frame& frame, const Arrow& arrow) {
  if (!std::isfinite(arrow.level) || !frame.x.holds(arrow.from) || !frame.x.holds(arrow.to)) return;
  const double y = frame.y_of(curve_value(arrow.level, frame.y.scale));
  const double tip = frame.x_of(arrow.from), tail = frame.x_of(arrow.to);
  svg.line({tip, y}, {tail, y}, {.colour = arrow.colour, .width = 1.2, .dashes = "3 2"});
  svg.line({tail, y - 4}, {tail, y + 4}, {.colour = arrow.colour, .width = 1.2});
  svg.area({{tip, y}, {tip + 7, y - 3.5}, {tip + 7, y + 3.5}}, arrow.colour, 1.0);
  const double middle = std::clamp((tip + tail) / 2, frame.left() + 38, frame.right() - 38);
  const bool room_above = y - 7 > frame.corner.y + 12;
  svg.text({middle, room_above ? y - 6 : y + 16}, arrow.text,
           {.size = 12, .colour = arrow.colour, .anchor = SvgAnchor::middle, .bold = true, .halo = true});
}

/// Corners of a star of five points round the centre, the first above it.
std::vector<SvgPoint> star(SvgPoint centre, double radius) {
  std::vector<SvgPoint> points;
  for (int i = 0; i < 10; ++i) {
    const double reach = i % 2 == 0 ? radius : 0.42 * radius;
    const double angle = std::numbers::pi * i / 5;
    points.push_back({centre.x + reach * std::sin(angle), centre.y - reach * std::cos(angle)});
  }
  return points;
}

}  // namespace

double Frame::y_of(double value) const { return corner.y + height * (1.0 - std::clamp(y.share(value), 0.0, 1.0)); }

double text_width(std::string_view text, const bench::SvgText& style) {
  // Bytes that continue a character of UTF-8 take no place.
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return (style.bold ? 0.62 : 0.56) * style.size * static_cast<double>(characters);
}

void draw_point(Svg& svg, SvgPoint centre, const Points& style) {
  const double r = style.radius;
  const auto [x, y] = centre;
  switch (style.shape) {
    case Shape::circle:
      return svg.circle(centre, r, style.colour, style.opacity);
    case Shape::square:
      return svg.area({{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}}, style.colour, style.opacity);
    case Shape::diamond:
      return svg.area({{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}}, style.colour, style.opacity);
    case Shape::star:
      return svg.area(star(centre, r), style.colour, style.opacity);
  }
}

void draw_marks(Svg& svg, const Frame& frame, const Panel& panel) {
  for (const Bars& bars : panel.bars) draw_bars(svg, frame, bars);
  draw_curves(svg, frame, panel);
  for (const Points& points : panel.points) draw_points(svg, frame, points);
  draw_lines(svg, frame, panel.lines);
  if (panel.arrow) draw_arrow(svg, frame, *panel.arrow);
}

}  // namespace carbo::draw
