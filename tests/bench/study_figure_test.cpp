#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/study/panels.hpp"
#include "bench/support/statistics.hpp"
#include "bench/support/svg.hpp"
#include "support/not_finite.hpp"

namespace carbo::study {
namespace {

namespace bench = carbo::bench;

using carbo::test::infinity;

TEST(StudyStatistics, QuantilesInterpolateOrderStatistics) {
  EXPECT_EQ(bench::median({3, 1, 2}), 2);
  EXPECT_EQ(bench::median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(bench::quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_EQ(bench::quantile({0, 10}, 0.3), 3);
  EXPECT_EQ(bench::quantile({7}, 0.9), 7);
  EXPECT_EQ(bench::quantile({5, 1}, 0), 1);
  EXPECT_EQ(bench::quantile({5, 1}, 1), 5);
}

TEST(StudyStatistics, InfiniteEntriesCountAsLargest) {
  EXPECT_EQ(bench::median({infinity, 1, 2}), 2);
  EXPECT_EQ(bench::median({infinity, infinity, 1}), infinity);
  EXPECT_EQ(bench::median({infinity, infinity, 1, 2}), infinity);
  EXPECT_EQ(bench::median({infinity, infinity}), infinity);
}

TEST(StudyStatistics, RefusesWhatHasNoQuantile) {
  EXPECT_THROW(bench::median({}), std::invalid_argument);
  EXPECT_THROW(bench::median({1, NAN}), std::invalid_argument);
  EXPECT_THROW(bench::quantile({1}, 1.5), std::invalid_argument);
  EXPECT_THROW(bench::mean({}), std::invalid_argument);
}

/// Every element is closed, in order. Attributes hold no angle brackets.
bool well_formed(const std::string& document) {
  std::vector<std::string> open;
  for (std::size_t at = document.find('<'); at != std::string::npos; at = document.find('<', at + 1)) {
    const std::size_t end = document.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = document.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag.front() == '/'));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty();
}

TEST(StudySvg, IsWellFormedAndEscapesText) {
  bench::Svg svg(100, 50, "a < b & \"c\"");
  svg.text({1, 2}, "x<y>&\"z\"", {.size = 12, .rotation = -90, .halo = true});
  svg.line({0, 0}, {10, 10.126}, {.colour = "#123456", .width = 2, .dashes = "3 2"});
  svg.polyline({{0, 0}, {1, 1}}, {});
  svg.polyline({}, {});
  svg.area({{0, 0}, {1, 1}, {1, 0}}, "#ffffff", 0.5);
  const std::string document = svg.document();
  EXPECT_TRUE(well_formed(document)) << document;
  EXPECT_NE(document.find("x&lt;y&gt;&amp;&quot;z&quot;</text>"), std::string::npos);
  EXPECT_NE(document.find("y2=\"10.13\""), std::string::npos);
  EXPECT_EQ(document.find("points=\"\""), std::string::npos);
  EXPECT_THROW(svg.line({NAN, 0}, {1, 1}, {}), std::invalid_argument);
  EXPECT_THROW(svg.area({{0, infinity}}, "#000000", 1), std::invalid_argument);
  EXPECT_FALSE(well_formed("<svg><a></svg>"));
}

TEST(StudySvg, PanelsDrawInfiniteAndZeroValues) {
  PanelFigure figure{.title = "t", .y_label = "y", .panels = {}, .notes = {"note"}};
  const std::vector<double> curve = {infinity, 1.0, 0.1, 0.1, 0.0};
  for (int i = 0; i < 5; ++i)
    figure.panels.push_back(
        {.title = "panel",
         .subtitle = "s",
         .series = {{"one", "#0072b2", 2, curve, curve, curve}, {"two", "#e69f00", 1, curve, {}, {}}},
         .arrow = Arrow{.from = 0.4, .to = 1, .level = 0.1, .text = "60 % saved", .colour = "#000000"}});
  figure.panels.push_back({.title = "empty", .subtitle = "", .series = {}, .arrow = std::nullopt});
  const std::string document = draw(figure);
  EXPECT_TRUE(well_formed(document));
  EXPECT_EQ(document.find("nan"), std::string::npos);
  EXPECT_EQ(document.find("inf"), std::string::npos);
  EXPECT_NE(document.find("60 % saved"), std::string::npos);
}

TEST(StudySvg, AnAxisOfItsOwnPlacesPointsAndTicks) {
  PanelFigure figure{.title = "t",
                     .y_label = "y",
                     .panels = {{.title = "p", .series = {{.colour = "#0072b2", .middle = {1, infinity, 4}}}}},
                     .x = {.label = "observations", .ticks = {{0, "5"}, {1, "80"}}, .positions = {0, 0.25, 1}},
                     .columns = 1};
  const std::string document = draw(figure);
  EXPECT_TRUE(well_formed(document));
  EXPECT_EQ(document.find("share of the budget"), std::string::npos);
  EXPECT_NE(document.find(">80</text>"), std::string::npos);
  // One straight piece between the two finite entries, over the whole width of 196 pixels.
  const std::size_t line = document.find("points=\"64,");
  ASSERT_NE(line, std::string::npos);
  const std::string points = document.substr(line, document.find('"', line + 8) - line);
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), 2) << points;
  EXPECT_NE(points.find(" 260,"), std::string::npos) << points;
  figure.x.positions = {0};
  EXPECT_THROW(draw(figure), std::out_of_range);
}

TEST(StudySvg, TicksLieInsideTheAxis) {
  EXPECT_EQ(log_ticks(0.5, 20), (std::vector<double>{0.5, 1, 2, 5, 10, 20}));
  EXPECT_EQ(log_ticks(0.09, 200), (std::vector<double>{0.1, 1, 10, 100}));
  EXPECT_EQ(log_ticks(1e-7, 2).size(), 4u);
  EXPECT_EQ(tick_label(0.001), "0.001");
  EXPECT_EQ(tick_label(1e-5), "1e-5");
  EXPECT_EQ(tick_label(200), "200");
}

}  // namespace
}  // namespace carbo::study
