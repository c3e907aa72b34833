#include "bench/support/svg.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace carbo::bench {

namespace {

constexpr std::string_view font_stack = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// Two decimals: a hundredth of a pixel.
std::string pixels(double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("an SVG coordinate is not finite");
  std::array<char, 64> text{};
  const double rounded = std::round(value * 100.0) / 100.0;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rounded).ptr;
  return {text.data(), end};
}

std::string attribute(std::string_view name, std::string_view value) {
  std::string result(" ");
  return result.append(name).append("=\"").append(escaped(value)).append("\"");
}

std::string attributes(const SvgStroke& stroke) {
  std::string result = attribute("stroke", stroke.colour) + attribute("stroke-width", pixels(stroke.width));
  if (!stroke.dashes.empty()) result += attribute("stroke-dasharray", stroke.dashes);
  return result;
}

std::string point_list(const std::vector<SvgPoint>& points) {
  std::string result;
  for (const SvgPoint& p : points) {
    if (!result.empty()) result += ' ';
    result += pixels(p.x) + ',' + pixels(p.y);
  }
  return result;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title) {
  body_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
          attribute("viewBox", "0 0 " + pixels(width) + ' ' + pixels(height)) + attribute("width", pixels(width)) +
          attribute("height", pixels(height)) + attribute("font-family", font_stack) + ">\n<title>" + escaped(title) +
          "</title>\n";
  rectangle({0, 0}, width, height, "#ffffff");
}

void Svg::rectangle(SvgPoint corner, double width, double height, const std::string& fill) {
  body_ += "<rect" + attribute("x", pixels(corner.x)) + attribute("y", pixels(corner.y)) +
           attribute("width", pixels(width)) + attribute("height", pixels(height)) + attribute("fill", fill) + "/>\n";
}

void Svg::line(SvgPoint from, SvgPoint to, const SvgStroke& stroke) {
  body_ += "<line" + attribute("x1", pixels(from.x)) + attribute("y1", pixels(from.y)) +
           attribute("x2", pixels(to.x)) + attribute("y2", pixels(to.y)) + attributes(stroke) + "/>\n";
}

void Svg::polyline(const std::vector<SvgPoint>& points, const SvgStroke& stroke) {
  if (points.empty()) return;
  body_ += "<polyline" + attribute("points", point_list(points)) + attribute("fill", "none") +
           attribute("stroke-linejoin", "round") + attributes(stroke) + "/>\n";
}

void Svg::area(const std::vector<SvgPoint>& points, const std::string& fill, double opacity) {
  if (points.empty()) return;
  body_ += "<polygon" + attribute("points", point_list(points)) + attribute("fill", fill) +
           attribute("fill-opacity", pixels(opacity)) + "/>\n";
}

void Svg::circle(SvgPoint centre, double radius, const std::string& fill, double opacity) {
  body_ += "<circle" + attribute("cx", pixels(centre.x)) + attribute("cy", pixels(centre.y)) +
           attribute("r", pixels(radius)) + attribute("fill", fill) + attribute("fill-opacity", pixels(opacity)) +
           "/>\n";
}

void Svg::text(SvgPoint anchor, std::string_view text, const SvgText& style) {
  constexpr std::array<std::string_view, 3> anchors = {"start", "middle", "end"};
  const std::string x = pixels(anchor.x);
  const std::string y = pixels(anchor.y);
  std::string placed = attribute("x", x) + attribute("y", y) + attribute("font-size", pixels(style.size)) +
                       attribute("text-anchor", anchors[static_cast<std::size_t>(style.anchor)]);
  if (style.bold) placed += attribute("font-weight", "600");
  if (style.rotation != 0.0)
    placed += attribute("transform", "rotate(" + pixels(style.rotation) + ' ' + x + ' ' + y + ')');
  const std::string content = ">" + escaped(text) + "</text>\n";
  // The rim is an element of its own: many renderers do not know paint-order.
  if (style.halo)
    body_ +=
        "<text" + placed + " fill=\"none\" stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\"" + content;
  body_ += "<text" + placed + attribute("fill", style.colour) + content;
}

}  // namespace carbo::bench
