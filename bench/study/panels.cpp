#include "bench/study/panels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bench/support/svg.hpp"

namespace carbo::study {

namespace {

using bench::Svg;
using bench::SvgAnchor;
using bench::SvgPoint;
using bench::SvgText;

constexpr double slot_width = 252, slot_height = 224;
constexpr double margin_left = 46, margin_right = 10, margin_top = 44, margin_bottom = 30;
constexpr double outer_left = 18, outer_top = 44, outer_bottom = 22;
constexpr double floor_value = 1e-8;  ///< what a logarithmic axis shows of zero
constexpr double band_opacity = 0.14;
constexpr const char* ink = "#262626";
constexpr const char* faint_ink = "#6b6b6b";
constexpr const char* grid_colour = "#e6e6e6";

double shown(double value) { return std::max(value, floor_value); }

/// Maps shares of the x axis and positive values to pixels.
struct Frame {
  SvgPoint corner;  ///< upper left of the plot area
  double width = slot_width - margin_left - margin_right;
  double height = slot_height - margin_top - margin_bottom;
  double low = 1, high = 10;

  double x(double share) const { return corner.x + share * width; }
  double y(double value) const {
    const double position = (std::log(shown(value)) - std::log(low)) / (std::log(high) - std::log(low));
    return corner.y + height * (1.0 - std::clamp(position, 0.0, 1.0));
  }
};

/// Range of the medians and of the last series' band, a little wider.
void fit_range(Frame& frame, const Panel& panel) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto include = [&](const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, shown(value));
      high = std::max(high, shown(value));
    }
  };
  for (const Series& series : panel.series) include(series.middle);
  if (!panel.series.empty()) include(panel.series.back().lower);
  if (!(low <= high)) low = high = 1;
  const double pad = std::max(1.15, std::pow(high / low, 0.05));
  frame.low = low / pad;
  frame.high = high * pad;
}

/// Corners of a step curve; a point is left out where the curve stays level.
std::vector<SvgPoint> step_points(const Frame& frame, const std::vector<double>& values) {
  std::vector<SvgPoint> points;
  const double last = static_cast<double>(values.size() - 1);
  double previous = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double x = frame.x(static_cast<double>(i) / last);
    const double y = frame.y(values[i]);
    const bool level = std::abs(y - previous) < 0.05;
    if (level && i + 1 < values.size()) continue;
    if (std::isfinite(previous)) points.push_back({x, previous});
    if (!level) points.push_back({x, y});
    previous = y;
  }
  return points;
}

std::vector<SvgPoint> straight_points(const Frame& frame, const std::vector<double>& values,
                                      const std::vector<double>& positions) {
  std::vector<SvgPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i])) points.push_back({frame.x(positions.at(i)), frame.y(values[i])});
  return points;
}

std::vector<SvgPoint> curve_points(const Frame& frame, const std::vector<double>& values, const ShareAxis& axis) {
  return axis.positions.empty() ? step_points(frame, values) : straight_points(frame, values, axis.positions);
}

void draw_axes(Svg& svg, const Frame& frame, const ShareAxis& axis) {
  const double bottom = frame.corner.y + frame.height;
  for (const double tick : log_ticks(frame.low, frame.high)) {
    const double y = frame.y(tick);
    svg.line({frame.x(0), y}, {frame.x(1), y}, {.colour = grid_colour});
    svg.text({frame.x(0) - 6, y + 3.8}, tick_label(tick),
             {.size = 11, .colour = faint_ink, .anchor = SvgAnchor::end});
  }
  for (const AxisTick& tick : axis.ticks) {
    const double x = frame.x(tick.share);
    svg.line({x, bottom}, {x, bottom + 4}, {.colour = "#9a9a9a"});
    if (tick.label.empty()) continue;
    const auto anchor = tick.share == 0.0 ? SvgAnchor::start : tick.share == 1.0 ? SvgAnchor::end : SvgAnchor::middle;
    svg.text({x, bottom + 16}, tick.label, {.size = 11, .colour = faint_ink, .anchor = anchor});
  }
  svg.line({frame.x(0), bottom}, {frame.x(1), bottom}, {.colour = "#9a9a9a"});
}

void draw_series(Svg& svg, const Frame& frame, const Panel& panel, const ShareAxis& axis) {
  for (const Series& series : panel.series) {
    if (series.lower.empty()) continue;
    std::vector<SvgPoint> outline = curve_points(frame, series.upper, axis);
    const std::vector<SvgPoint> back = curve_points(frame, series.lower, axis);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    svg.area(outline, series.colour, band_opacity);
  }
  for (const Series& series : panel.series)
    svg.polyline(curve_points(frame, series.middle, axis), {.colour = series.colour, .width = series.width});
}

void draw_arrow(Svg& svg, const Frame& frame, const Arrow& arrow) {
  const double y = frame.y(arrow.level);
  const double tip = frame.x(arrow.from), tail = frame.x(arrow.to);
  svg.line({tip, y}, {tail, y}, {.colour = arrow.colour, .width = 1.2, .dashes = "3 2"});
  svg.line({tail, y - 4}, {tail, y + 4}, {.colour = arrow.colour, .width = 1.2});
  svg.area({{tip, y}, {tip + 7, y - 3.5}, {tip + 7, y + 3.5}}, arrow.colour, 1.0);
  const double middle = std::clamp((tip + tail) / 2, frame.x(0) + 38, frame.x(1) - 38);
  const bool room_above = y - 7 > frame.corner.y + 12;
  svg.text({middle, room_above ? y - 6 : y + 16}, arrow.text,
           {.size = 12, .colour = arrow.colour, .anchor = SvgAnchor::middle, .bold = true, .halo = true});
}

void draw_panel(Svg& svg, SvgPoint slot, const Panel& panel, const ShareAxis& axis) {
  Frame frame{.corner = {slot.x + margin_left, slot.y + margin_top}};
  fit_range(frame, panel);
  svg.text({frame.corner.x, slot.y + 17}, panel.title, {.size = 13.5, .colour = ink, .bold = true});
  svg.text({frame.corner.x, slot.y + 33}, panel.subtitle, {.size = 11, .colour = faint_ink});
  draw_axes(svg, frame, axis);
  draw_series(svg, frame, panel, axis);
  if (panel.arrow) draw_arrow(svg, frame, *panel.arrow);
}

void draw_legend(Svg& svg, SvgPoint slot, const PanelFigure& figure) {
  const double left = slot.x + margin_left;
  double y = slot.y + margin_top;
  const auto& series = figure.panels.front().series;
  for (auto entry = series.rbegin(); entry != series.rend(); ++entry) {
    if (entry->label.empty()) continue;
    if (!entry->lower.empty())
      svg.area({{left, y - 6}, {left + 26, y - 6}, {left + 26, y + 6}, {left, y + 6}}, entry->colour, band_opacity);
    svg.line({left, y}, {left + 26, y}, {.colour = entry->colour, .width = entry->width});
    svg.text({left + 34, y + 4.5}, entry->label, {.size = 13, .colour = ink, .bold = entry == series.rbegin()});
    y += 20;
  }
  y += 8;
  for (const std::string& note : figure.notes) {
    svg.text({left, y}, note, {.size = 11, .colour = faint_ink});
    y += 15;
  }
}

}  // namespace

std::vector<double> log_ticks(double low, double high) {
  const double decades = std::log10(high / low);
  const int stride = decades > 5.5 ? 2 : 1;
  std::vector<double> ticks;
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, exponent) <= high; ++exponent)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, exponent);
      const bool wanted = decades < 1.7 || (factor == 1.0 && exponent % stride == 0);
      if (wanted && tick >= low && tick <= high) ticks.push_back(tick);
    }
  return ticks;
}

std::string tick_label(double value) {
  char text[32];
  const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  if (exponent < -3)
    std::snprintf(text, sizeof text, "%.0fe%d", value / std::pow(10.0, exponent), exponent);
  else
    std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string draw(const PanelFigure& figure) {
  const std::size_t columns = figure.columns;
  const std::size_t slots = figure.panels.size() + 1;
  const std::size_t rows = (slots + columns - 1) / columns;
  const double width = outer_left + slot_width * static_cast<double>(std::min(slots, columns));
  const double bottom = outer_top + slot_height * static_cast<double>(rows);
  Svg svg(width, bottom + outer_bottom, figure.title);
  svg.text({outer_left + 8, 27}, figure.title, {.size = 17, .colour = ink, .bold = true});
  const auto slot = [&](std::size_t i) {
    return SvgPoint{outer_left + slot_width * static_cast<double>(i % columns),
                    outer_top + slot_height * static_cast<double>(i / columns)};
  };
  for (std::size_t i = 0; i < figure.panels.size(); ++i) draw_panel(svg, slot(i), figure.panels[i], figure.x);
  draw_legend(svg, slot(figure.panels.size()), figure);
  svg.text({18, (outer_top + bottom) / 2}, figure.y_label,
           {.size = 12.5, .colour = ink, .anchor = SvgAnchor::middle, .rotation = -90});
  svg.text({width / 2, bottom + 8}, figure.x.label, {.size = 12.5, .colour = ink, .anchor = SvgAnchor::middle});
  return svg.document();
}

}  // namespace carbo::study
