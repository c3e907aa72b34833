#pragma once

#include "bench/draw/figure.hpp"
#include "bench/draw/marks.hpp"
#include "bench/support/svg.hpp"

namespace carbo::draw {

/// Distances from the edges of a panel's place to its plot area, in pixels.
struct Margins {
  double left = 46;
  double right = 10;
  double top = 44;
  double bottom = 30;
};

/// The same for all panels of a figure: labels of a panel's own axes and slanted categories make them wider.
Margins margins_of(const Figure& figure);

/// Whether the names of a category axis are too long to stand beside each other over so many pixels.
bool slanted(const Axis& axis, double width);

/// Grid, ticks and their labels, and the labels of the panel's own axes.
void draw_axes(bench::Svg& svg, const Frame& frame, const Figure& figure, const Panel& panel, const Margins& margins);

/// Width of the longest note.
double notes_width(const Figure& figure);
/// Height that legend and notes need in a figure so wide if they are below the panels.
double legend_height(const Figure& figure, double width);
/// Legend and notes, one under the other, from this point.
void draw_legend_column(bench::Svg& svg, bench::SvgPoint corner, const Figure& figure);
/// Legend in rows between `corner` and `right`, notes under it.
void draw_legend_rows(bench::Svg& svg, bench::SvgPoint corner, double right, const Figure& figure);

}  // namespace carbo::draw
