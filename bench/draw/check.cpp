#include <cmath>
#include <stdexcept>

#include "bench/draw/extents.hpp"
#include "replay/csv.hpp"

namespace carbo::draw {

namespace {

/// Speaks of one panel of a figure.
class Checker {
 public:
  Checker(const Figure& figure, const Panel& panel, std::size_t number)
      : x_(x_axis(figure, panel)), y_(y_axis(figure, panel)) {
    where_ = "panel " + std::to_string(number) + (panel.title.empty() ? "" : " (" + panel.title + ")");
  }

  void axis(const Axis& axis, const std::string& name) const {
    if (axis.range &&
        !(std::isfinite(axis.range->low) && std::isfinite(axis.range->high) && axis.range->low < axis.range->high))
      refuse(name, "goes from " + replay::exact(axis.range->low) + " to " + replay::exact(axis.range->high) +
                       "; it must rise between finite ends");
    if (axis.range && axis.scale == Scale::logarithmic && axis.range->low <= 0)
      refuse(name, "is logarithmic and begins at " + replay::exact(axis.range->low) + "; it must begin above 0");
  }
  void axes() const {
    axis(x_, "x axis");
    axis(y_, "y axis");
    if (y_.scale == Scale::categories) refuse("y axis", "has categories; only an x axis can");
    if (x_.scale == Scale::categories && x_.categories.empty())
      refuse("x axis", "has no category; name one at least");
  }

  void curve(const Curve& curve) const {
    const std::string name = "curve \"" + curve.label + "\"";
    const std::size_t size = curve.middle.size();
    if (!curve.x.empty()) length(name, "x", curve.x, size);
    if (!curve.lower.empty() || !curve.upper.empty()) {
      length(name, "lower", curve.lower, size);
      length(name, "upper", curve.upper, size);
    }
    fits(name, "x", x_, curve.x);
    if (curve.x.empty() && size > 0 && x_.scale == Scale::logarithmic)
      refuse(name, "has no x and would begin at 0; a logarithmic axis shows values above 0");
  }
  void bars(const Bars& bars) const {
    const std::string name = "bars \"" + bars.label + "\"";
    const std::size_t size = bars.height.size();
    length(name, "left", bars.left, size);
    length(name, "right", bars.right, size);
    if (!bars.lower.empty() || !bars.upper.empty()) {
      length(name, "lower", bars.lower, size);
      length(name, "upper", bars.upper, size);
    }
    fits(name, "left", x_, bars.left);
    fits(name, "right", x_, bars.right);
    if (x_.scale == Scale::categories && size > x_.categories.size())
      refuse(name, "are " + std::to_string(size) + "; the x axis has " + std::to_string(x_.categories.size()) +
                       " categories");
  }
  void points(const Points& points) const {
    const std::string name = "points \"" + points.label + "\"";
    length(name, "x", points.x, points.y.size());
    fits(name, "x", x_, points.x);
    fits(name, "y", y_, points.y);
  }
  void line(const MarkedLine& line) const {
    fits("line \"" + line.text + "\"", "at", line.direction == Direction::vertical ? x_ : y_, {line.at});
  }

 private:
  [[noreturn]] void refuse(const std::string& mark, const std::string& what) const {
    throw std::invalid_argument("figure, " + where_ + ": " + mark + " " + what);
  }
  void length(const std::string& mark, const std::string& list, const std::vector<double>& values,
              std::size_t wanted) const {
    if (values.size() != wanted)
      refuse(mark,
             "has " + std::to_string(values.size()) + " entries in " + list + "; it needs " + std::to_string(wanted));
  }
  void fits(const std::string& mark, const std::string& list, const Axis& axis,
            const std::vector<double>& values) const {
    if (axis.scale != Scale::logarithmic) return;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(values[i]) && values[i] <= 0)
        refuse(mark, "has " + replay::exact(values[i]) + " in " + list + " at " + std::to_string(i) +
                         "; a logarithmic axis shows values above 0");
  }

  const Axis& x_;
  const Axis& y_;
  std::string where_;
};

}  // namespace

void check(const Figure& figure) {
  if (figure.panels.empty()) throw std::invalid_argument("a figure without panels; give it one at least");
  if (figure.columns == 0) throw std::invalid_argument("a figure of 0 columns; give it one at least");
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const Checker checker(figure, panel, i + 1);
    checker.axes();
    for (const Curve& curve : panel.curves) checker.curve(curve);
    for (const Bars& bars : panel.bars) checker.bars(bars);
    for (const Points& points : panel.points) checker.points(points);
    for (const MarkedLine& line : panel.lines) checker.line(line);
  }
}

}  // namespace carbo::draw
