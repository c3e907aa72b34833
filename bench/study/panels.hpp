#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carbo::study {

/// A curve over the x axis of its figure. Entries may be infinite: not drawn.
struct Series {
  std::string label{};  ///< empty: not in the legend
  std::string colour{};
  double width = 1.6;
  std::vector<double> middle{};
  std::vector<double> lower{};  ///< band; empty where there is none
  std::vector<double> upper{};
};

/// A horizontal arrow from one share of the budget to another at a height of the curve.
struct Arrow {
  double from = 0;
  double to = 1;
  double level = 0;
  std::string text{};
  std::string colour{};
};

struct Panel {
  std::string title{};
  std::string subtitle{};
  std::vector<Series> series{};  ///< the last is drawn on top
  std::optional<Arrow> arrow{};
};

/// A mark on the x axis, at a share of its length.
struct AxisTick {
  double share = 0;
  std::string label{};  ///< may be empty
};

/// The x axis that all panels share.
struct ShareAxis {
  std::string label = "cost spent, share of the budget";
  std::vector<AxisTick> ticks = {{0, "0"}, {0.25, ""}, {0.5, "50 %"}, {0.75, ""}, {1, "100 %"}};
  /// Share of the axis at which each entry of a series lies, joined by straight lines. Empty: entry i of n is at
  /// i / (n - 1), and curves are steps.
  std::vector<double> positions{};
};

struct PanelFigure {
  std::string title{};
  std::string y_label{};
  std::vector<Panel> panels{};
  std::vector<std::string> notes{};  ///< lines under the legend
  ShareAxis x{};
  std::size_t columns = 4;
};

/// Ticks of a logarithmic axis that lie in [low, high]: decades, or 1-2-5 steps where it spans few. 0 < low < high.
std::vector<double> log_ticks(double low, double high);
/// 1e-3 as "0.001", 1e-5 as "1e-5".
std::string tick_label(double value);

/// An SVG document: panels in rows of `columns` with a logarithmic y axis each, legend and notes in the last place.
std::string draw(const PanelFigure& figure);

}  // namespace carbo::study
