#pragma once

#include <string_view>

#include "bench/draw/figure.hpp"
#include "bench/support/svg.hpp"

namespace carbo::draw {

inline constexpr double band_opacity = 0.14;

/// The plot area of a panel: maps values to pixels.
struct Frame {
  bench::SvgPoint corner;  ///< upper left
  double width = 0;        ///< in pixels
  double height = 0;
  Extent x{};
  Extent y{};

  double left() const { return corner.x; }
  double right() const { return corner.x + width; }
  double bottom() const { return corner.y + height; }
  double x_of(double value) const { return corner.x + x.share(value) * width; }
  /// What lies beyond an end is drawn at it.
  double y_of(double value) const;
};

/// The marks of a panel, in the order in which they lie over each other.
void draw_marks(bench::Svg& svg, const Frame& frame, const Panel& panel);

/// One point, of the panels and of the legend.
void draw_point(bench::Svg& svg, bench::SvgPoint centre, const Points& style);

/// About how wide a text is, in pixels: which font there is, is the reader's affair.
double text_width(std::string_view text, const bench::SvgText& style);

}  // namespace carbo::draw
