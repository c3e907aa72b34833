#include "bench/draw/figure.hpp"

#include <algorithm>
#include <utility>

#include "bench/draw/extents.hpp"
#include "bench/draw/layout.hpp"
#include "bench/draw/palette.hpp"

namespace carbo::draw {

namespace {

using bench::Svg;
using bench::SvgAnchor;
using bench::SvgPoint;

constexpr double outer_left = 18, outer_top = 44, outer_bottom = 22;
constexpr double title_left = outer_left + 8;
const bench::SvgText title_style = {.size = 17, .colour = ink, .bold = true};

void draw_panel(Svg& svg, SvgPoint place, const Figure& figure, const Panel& panel, const Margins& margins) {
  Frame frame{.corner = {place.x + margins.left, place.y + margins.top},
              .width = figure.panel_width - margins.left - margins.right,
              .height = figure.panel_height - margins.top - margins.bottom};
  svg.text({frame.corner.x, place.y + 17}, panel.title, {.size = 13.5, .colour = ink, .bold = true});
  svg.text({frame.corner.x, place.y + 33}, panel.subtitle, {.size = 11, .colour = faint_ink});
  if (!has_data(panel)) {
    svg.line({frame.left(), frame.bottom()}, {frame.right(), frame.bottom()}, {.colour = axis_colour});
    svg.text({frame.left() + frame.width / 2, frame.corner.y + frame.height / 2}, "no data",
             {.size = 12, .colour = faint_ink, .anchor = SvgAnchor::middle});
    return;
  }
  frame.x = x_extent(figure, panel);
  frame.y = y_extent(figure, panel);
  draw_axes(svg, frame, figure, panel, margins);
  draw_marks(svg, frame, panel);
}

/// Labels of the axes that panels have in common, under and beside all of them.
void draw_labels(Svg& svg, const Figure& figure, double middle, double bottom) {
  const auto& panels = figure.panels;
  if (std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.y; }))
    svg.text({18, (outer_top + bottom) / 2}, figure.y.label,
             {.size = 12.5, .colour = ink, .anchor = SvgAnchor::middle, .rotation = -90});
  if (std::any_of(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.x; }))
    svg.text({middle, bottom + 8}, figure.x.label, {.size = 12.5, .colour = ink, .anchor = SvgAnchor::middle});
}

}  // namespace

Bars histogram(std::string label, std::string colour, const std::vector<double>& edges, std::vector<double> heights) {
  Bars bars{.label = std::move(label), .colour = std::move(colour), .opacity = 0.45, .height = std::move(heights)};
  if (edges.empty()) return bars;
  bars.left.assign(edges.begin(), edges.end() - 1);
  bars.right.assign(edges.begin() + 1, edges.end());
  return bars;
}

Bars category_bars(std::string label, std::string colour, std::vector<double> heights, std::vector<double> lower,
                   std::vector<double> upper, CategorySlot slot) {
  Bars bars{.label = std::move(label),
            .colour = std::move(colour),
            .height = std::move(heights),
            .lower = std::move(lower),
            .upper = std::move(upper)};
  for (std::size_t i = 0; i < bars.height.size(); ++i) {
    bars.left.push_back(static_cast<double>(i) + slot.offset - slot.width / 2);
    bars.right.push_back(static_cast<double>(i) + slot.offset + slot.width / 2);
  }
  return bars;
}

std::string svg_document(const Figure& figure) {
  check(figure);
  const Margins margins = margins_of(figure);
  const bool below = figure.legend == LegendPlace::below;
  const std::size_t columns = figure.columns;
  const std::size_t places = figure.panels.size() + (below ? 0 : 1);
  const std::size_t rows = (places + columns - 1) / columns;
  const double legend_left = outer_left + margins.left;
  // No title and no note under the panels is cut off.
  const double width = std::max({outer_left + figure.panel_width * static_cast<double>(std::min(places, columns)),
                                 title_left + text_width(figure.title, title_style) + margins.right,
                                 below ? legend_left + notes_width(figure) + margins.right : 0});
  const double bottom = outer_top + figure.panel_height * static_cast<double>(rows);
  const double legend_right = width - margins.right;
  const double under = below ? 10 + legend_height(figure, legend_right - legend_left) : 0;
  Svg svg(width, bottom + outer_bottom + under, figure.title);
  svg.text({title_left, 27}, figure.title, title_style);
  const auto place = [&](std::size_t i) {
    return SvgPoint{outer_left + figure.panel_width * static_cast<double>(i % columns),
                    outer_top + figure.panel_height * static_cast<double>(i / columns)};
  };
  for (std::size_t i = 0; i < figure.panels.size(); ++i) draw_panel(svg, place(i), figure, figure.panels[i], margins);
  if (below) {
    draw_legend_rows(svg, {legend_left, bottom + outer_bottom + 10}, legend_right, figure);
  } else {
    const SvgPoint last = place(figure.panels.size());
    draw_legend_column(svg, {last.x + margins.left, last.y + margins.top}, figure);
  }
  draw_labels(svg, figure, width / 2, bottom);
  return svg.document();
}

}  // namespace carbo::draw
