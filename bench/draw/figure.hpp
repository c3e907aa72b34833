#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/draw/axis.hpp"

/// Figures of the benchmarks: what is drawn, as data. The same data give the same text, byte for byte. Entries that
/// are not finite are not drawn. Where an axis was given a range, points and lines beyond it are not drawn, bars end
/// at it, and a curve ends with x and runs along the edge where y is beyond it.
namespace carbo::draw {

enum class Join { steps, straight };

/// A curve, with a band where it has one. `lower` and `upper` are empty or as long as `middle`.
struct Curve {
  std::string label{};  ///< empty: not in the legend
  std::string colour{};
  double width = 1.6;
  std::vector<double> x{};  ///< empty: entry i of n is at i / (n - 1)
  /// On a logarithmic axis 1e-8 stands for what is lower: a regret of zero is drawn.
  std::vector<double> middle{};
  std::vector<double> lower{};
  std::vector<double> upper{};
  Join join = Join::steps;
};

/// Bar i reaches over [left[i], right[i]], from zero (on a logarithmic axis from its lower end) to height[i].
struct Bars {
  std::string label{};  ///< empty: not in the legend
  std::string colour{};
  double opacity = 1;
  std::vector<double> left{};
  std::vector<double> right{};
  std::vector<double> height{};
  std::vector<double> lower{};  ///< whiskers; empty where there are none
  std::vector<double> upper{};
};

enum class Shape { circle, square, diamond, star };

struct Points {
  std::string label{};  ///< empty: not in the legend
  std::string colour{};
  Shape shape = Shape::circle;
  double radius = 2.6;  ///< in pixels
  double opacity = 0.7;
  std::vector<double> x{};
  std::vector<double> y{};
};

enum class Direction { horizontal, vertical };

/// A dashed line through the whole panel with its text beside it.
struct MarkedLine {
  Direction direction = Direction::vertical;
  double at = 0;
  std::string text{};
  std::string colour{};
};

/// A horizontal arrow that points from x = `to` to x = `from`, at a height of the curve.
struct Arrow {
  double from = 0;
  double to = 1;
  double level = 0;
  std::string text{};
  std::string colour{};
};

/// Of a kind of marks the last is on top. Bars lie under curves, these under points, and lines over all.
struct Panel {
  std::string title{};
  std::string subtitle{};
  std::vector<Curve> curves{};
  std::vector<Bars> bars{};
  std::vector<Points> points{};
  std::vector<MarkedLine> lines{};
  std::optional<Arrow> arrow{};
  std::optional<Axis> x{};  ///< in place of the figure's; its label is beside the panel
  std::optional<Axis> y{};
};

/// Where legend and notes are: in the place after the last panel, or under all panels.
enum class LegendPlace { last_slot, below };

struct Figure {
  std::string title{};
  std::vector<Panel> panels{};       ///< at least one; "no data" stands in one that has nothing to draw
  std::vector<std::string> notes{};  ///< lines under the legend
  Axis x = budget_axis();
  Axis y = {.scale = Scale::logarithmic};
  std::size_t columns = 4;
  double panel_width = 252;  ///< with the margins, in pixels
  double panel_height = 224;
  LegendPlace legend = LegendPlace::last_slot;
};

/// Bars of a histogram over bins with these edges, which several may share: see bin_edges and bin_counts.
Bars histogram(std::string label, std::string colour, const std::vector<double>& edges, std::vector<double> heights);

/// Where the bars of one kind are in each category, in categories' widths from its middle.
struct CategorySlot {
  double offset = 0;
  double width = 0.7;
};

/// One bar a category; whiskers may be empty.
Bars category_bars(std::string label, std::string colour, std::vector<double> heights, std::vector<double> lower,
                   std::vector<double> upper, CategorySlot slot);

/// An SVG document: panels in rows of `columns`. Throws std::invalid_argument where a mark's lists differ in length
/// or hold what its axis cannot show, and names mark and panel.
std::string svg_document(const Figure& figure);

}  // namespace carbo::draw
