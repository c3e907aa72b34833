#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/draw/extents.hpp"
#include "bench/draw/layout.hpp"
#include "bench/draw/palette.hpp"

namespace carbo::draw {

namespace {

using bench::Svg;
using bench::SvgAnchor;
using bench::SvgText;

constexpr double own_label_size = 11.5;
constexpr double slant = 40;  ///< degrees

const SvgText tick_style = {.size = 11, .colour = faint_ink, .anchor = SvgAnchor::middle};

/// One linear tick in at least so many pixels.
constexpr double x_spacing = 40, y_spacing = 22;

std::vector<double> chosen_ticks(const Extent& extent, double pixels, double spacing) {
  if (extent.scale == Scale::logarithmic) return log_ticks(extent.low, extent.high);
  return linear_ticks(extent.low, extent.high, std::max(1.0, pixels / spacing));
}

std::vector<Tick> y_ticks(const Axis& axis, const Frame& frame) {
  std::vector<Tick> ticks = axis.ticks;
  if (ticks.empty())
    for (const double at : chosen_ticks(frame.y, frame.height, y_spacing)) ticks.push_back({at, tick_label(at)});
  std::erase_if(ticks, [&](const Tick& tick) { return !frame.y.holds(tick.at); });
  return ticks;
}

/// Labels at the ends of an axis do not reach beyond it.
SvgText label_style(const Frame& frame, const Tick& tick) {
  SvgText style = tick_style;
  const double share = frame.x.share(tick.at);
  if (share == 0.0) style.anchor = SvgAnchor::start;
  if (share == 1.0) style.anchor = SvgAnchor::end;
  return style;
}

/// What a label takes of the x axis, in pixels.
Range label_span(const Frame& frame, const Tick& tick) {
  const SvgText style = label_style(frame, tick);
  const double width = text_width(tick.label, style);
  const double halves = style.anchor == SvgAnchor::start ? 0 : style.anchor == SvgAnchor::middle ? 1 : 2;
  const double left = frame.x_of(tick.at) - halves * width / 2;
  return {left, left + width};
}

/// Takes the labels from ticks that would touch one of another; those of `first` have precedence.
void thin_labels(std::vector<Tick>& ticks, const std::vector<double>& first, const Frame& frame) {
  constexpr double gap = 8;
  std::vector<Range> taken;
  for (const bool preferred : {true, false})
    for (Tick& tick : ticks) {
      const bool is_first = std::find(first.begin(), first.end(), tick.at) != first.end();
      if (tick.label.empty() || is_first != preferred) continue;
      const Range span = label_span(frame, tick);
      const auto touches = [&](const Range& other) {
        return span.low < other.high + gap && other.low < span.high + gap;
      };
      if (std::any_of(taken.begin(), taken.end(), touches))
        tick.label.clear();
      else
        taken.push_back(span);
    }
}

/// Chosen ticks of a logarithmic axis over a few decades are in 1-2-5 steps, of which decades have labels first; of
/// given ticks the first and the last have.
std::vector<Tick> x_ticks(const Axis& axis, const Frame& frame) {
  std::vector<Tick> ticks = axis.ticks;
  std::vector<double> first;
  if (ticks.empty()) {
    first = chosen_ticks(frame.x, frame.width, x_spacing);
    const bool few_decades = frame.x.scale == Scale::logarithmic && frame.x.high / frame.x.low < 2e3;
    const std::vector<double> finer = few_decades ? steps_of_125(frame.x.low, frame.x.high) : first;
    for (const double at : finer.size() > first.size() ? finer : first) ticks.push_back({at, tick_label(at)});
  } else {
    first = {ticks.front().at, ticks.back().at};
  }
  std::erase_if(ticks, [&](const Tick& tick) { return !frame.x.holds(tick.at); });
  thin_labels(ticks, first, frame);
  return ticks;
}

void draw_y_ticks(Svg& svg, const Frame& frame, const Axis& axis) {
  SvgText style = tick_style;
  style.anchor = SvgAnchor::end;
  for (const Tick& tick : y_ticks(axis, frame)) {
    const double y = frame.y_of(tick.at);
    svg.line({frame.left(), y}, {frame.right(), y}, {.colour = grid_colour});
    svg.text({frame.left() - 6, y + 3.8}, tick.label, style);
  }
}

void draw_x_ticks(Svg& svg, const Frame& frame, const Axis& axis) {
  for (const Tick& tick : x_ticks(axis, frame)) {
    const double x = frame.x_of(tick.at);
    svg.line({x, frame.bottom()}, {x, frame.bottom() + 4}, {.colour = axis_colour});
    if (!tick.label.empty()) svg.text({x, frame.bottom() + 16}, tick.label, label_style(frame, tick));
  }
}

void draw_categories(Svg& svg, const Frame& frame, const Axis& axis) {
  SvgText tilted = tick_style;
  tilted.anchor = SvgAnchor::end;
  tilted.rotation = -slant;
  const bool tilt = slanted(axis, frame.width);
  for (std::size_t i = 0; i < axis.categories.size(); ++i) {
    const double x = frame.x_of(static_cast<double>(i));
    if (tilt)
      svg.text({x + 4, frame.bottom() + 13}, axis.categories[i], tilted);
    else
      svg.text({x, frame.bottom() + 16}, axis.categories[i], tick_style);
  }
}

double longest_category(const Axis& axis) {
  double longest = 0;
  for (const std::string& name : axis.categories) longest = std::max(longest, text_width(name, tick_style));
  return longest;
}

}  // namespace

bool slanted(const Axis& axis, double width) {
  return axis.scale == Scale::categories &&
         longest_category(axis) + 4 > width / static_cast<double>(axis.categories.size());
}

Margins margins_of(const Figure& figure) {
  Margins margins;
  const double width = figure.panel_width - margins.left - margins.right;
  bool own_x_label = false, own_y_label = false;
  double names = 0;  // height of slanted ones
  for (const Panel& panel : figure.panels) {
    own_x_label = own_x_label || (panel.x && !panel.x->label.empty());
    own_y_label = own_y_label || (panel.y && !panel.y->label.empty());
    const Axis& axis = x_axis(figure, panel);
    if (slanted(axis, width))
      names = std::max(names, longest_category(axis) * std::sin(slant * std::numbers::pi / 180));
  }
  if (names > 0) margins.bottom += names - 8;  // level names stand lower than slanted ones begin
  margins.bottom += own_x_label ? 16 : 0;
  margins.left += own_y_label ? 16 : 0;
  return margins;
}

void draw_axes(Svg& svg, const Frame& frame, const Figure& figure, const Panel& panel, const Margins& margins) {
  const Axis& x = x_axis(figure, panel);
  draw_y_ticks(svg, frame, y_axis(figure, panel));
  if (x.scale == Scale::categories)
    draw_categories(svg, frame, x);
  else
    draw_x_ticks(svg, frame, x);
  svg.line({frame.left(), frame.bottom()}, {frame.right(), frame.bottom()}, {.colour = axis_colour});
  if (!panel.bars.empty() && frame.y.low < 0 && frame.y.high > 0)
    svg.line({frame.left(), frame.y_of(0)}, {frame.right(), frame.y_of(0)}, {.colour = axis_colour});
  const SvgText style = {.size = own_label_size, .colour = ink, .anchor = SvgAnchor::middle};
  if (panel.x)
    svg.text({frame.left() + frame.width / 2, frame.bottom() + margins.bottom - 12}, panel.x->label, style);
  if (panel.y) {
    SvgText upright = style;
    upright.rotation = -90;
    svg.text({frame.left() - margins.left + 12, frame.corner.y + frame.height / 2}, panel.y->label, upright);
  }
}

}  // namespace carbo::draw
