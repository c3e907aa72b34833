#pragma once

#include <optional>
#include <string>
#include <vector>

namespace carbo::study {

/// A curve over the budget: entry i of n is at share i / (n - 1). Entries may be infinite: not drawn.
struct Series {
  std::string label{};
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

struct PanelFigure {
  std::string title{};
  std::string y_label{};
  std::vector<Panel> panels{};
  std::vector<std::string> notes{};  ///< lines under the legend
};

/// Ticks of a logarithmic axis that lie in [low, high]: decades, or 1-2-5 steps where it spans few. 0 < low < high.
std::vector<double> log_ticks(double low, double high);
/// 1e-3 as "0.001", 1e-5 as "1e-5".
std::string tick_label(double value);

/// An SVG document: panels in rows of four with a logarithmic y axis each, legend and notes in the last place.
std::string draw(const PanelFigure& figure);

}  // namespace carbo::study
