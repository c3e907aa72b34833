#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carbo::bench {

struct SvgPoint {
  double x = 0;  ///< to the right, in pixels
  double y = 0;  ///< downward, in pixels
};

struct SvgStroke {
  std::string colour = "#000000";
  double width = 1;
  std::string dashes{};  ///< `stroke-dasharray`; empty: solid
};

enum class SvgAnchor { start, middle, end };

struct SvgText {
  double size = 12;
  std::string colour = "#222222";
  SvgAnchor anchor = SvgAnchor::start;
  bool bold = false;
  double rotation = 0;  ///< degrees, clockwise round the anchor point
  bool halo = false;    ///< a white rim that keeps the text legible over lines
};

/// A picture on a white ground, written in the order of the calls. Non-finite coordinates are refused
/// (std::invalid_argument).
class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  void rectangle(SvgPoint corner, double width, double height, const std::string& fill);
  void line(SvgPoint from, SvgPoint to, const SvgStroke& stroke);
  void polyline(const std::vector<SvgPoint>& points, const SvgStroke& stroke);
  /// A closed area without an outline; `opacity` in [0, 1].
  void area(const std::vector<SvgPoint>& points, const std::string& fill, double opacity);
  /// Filled, without an outline; `opacity` in [0, 1].
  void circle(SvgPoint centre, double radius, const std::string& fill, double opacity);
  void text(SvgPoint anchor, std::string_view text, const SvgText& style);

  /// The whole document.
  std::string document() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace carbo::bench
