#include "bench/draw/figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/draw/bins.hpp"
#include "bench/support/svg.hpp"
#include "draw_support.hpp"

namespace carbo::draw {
namespace {

// The plot area of the first panel of a figure with margins and sizes as they are where none is asked for.
constexpr double left = 64, right = 260, top = 88, bottom = 238;
constexpr const char* blue = "#0072b2";

/// One panel with fixed axes: x and y in [0, 10], 19.6 and 15 pixels a unit.
Figure ten_by_ten(Panel panel) {
  return {.title = "t",
          .panels = {std::move(panel)},
          .x = {.label = "x", .range = Range{0, 10}},
          .y = {.label = "y", .range = Range{0, 10}}};
}

void expect_points(const Element& element, const std::vector<Point>& expected) {
  const std::vector<Point> points = element.points();
  ASSERT_EQ(points.size(), expected.size()) << element.attributes.at("points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(points[i].x, expected[i].x, 0.0051) << "point " << i;
    EXPECT_NEAR(points[i].y, expected[i].y, 0.0051) << "point " << i;
  }
}

TEST(DrawSvg, IsWellFormedAndEscapesText) {
  bench::Svg svg(100, 50, "a < b & \"c\"");
  svg.text({1, 2}, "x<y>&\"z\"", {.size = 12, .rotation = -90, .halo = true});
  svg.line({0, 0}, {10, 10.126}, {.colour = "#123456", .width = 2, .dashes = "3 2"});
  svg.polyline({{0, 0}, {1, 1}}, {});
  svg.polyline({}, {});
  svg.area({{0, 0}, {1, 1}, {1, 0}}, "#ffffff", 0.5);
  svg.circle({3, 4}, 2.5, "#123456", 0.5);
  const std::string document = svg.document();
  EXPECT_TRUE(well_formed(document)) << document;
  EXPECT_NE(document.find("x&lt;y&gt;&amp;&quot;z&quot;</text>"), std::string::npos);
  EXPECT_NE(document.find("y2=\"10.13\""), std::string::npos);
  EXPECT_EQ(document.find("points=\"\""), std::string::npos);
  EXPECT_EQ(named(document, "circle").at(0).number("r"), 2.5);
  EXPECT_THROW(svg.line({not_a_number, 0}, {1, 1}, {}), std::invalid_argument);
  EXPECT_THROW(svg.area({{0, infinity}}, "#000000", 1), std::invalid_argument);
  EXPECT_THROW(svg.circle({0, infinity}, 1, "#000000", 1), std::invalid_argument);
  EXPECT_FALSE(well_formed("<svg><a></svg>"));
}

TEST(DrawCurves, StepOverSharesOfTheBudget) {
  Figure figure{.title = "t",
                .panels = {{.curves = {{.colour = blue, .middle = {8, infinity, 4, 4, 2}}}}},
                .y = {.range = Range{0, 10}}};
  // Five entries are 49 pixels apart; what is not finite is passed over, and so is a level entry.
  const auto lines = named(svg_document(figure), "polyline");
  ASSERT_EQ(lines.size(), 1u);
  expect_points(lines[0], {{64, 118}, {162, 118}, {162, 178}, {260, 178}, {260, 208}});
  figure.panels[0].curves[0].middle = {8, 8, 8, infinity, not_a_number};
  expect_points(named(svg_document(figure), "polyline").at(0), {{64, 118}, {162, 118}});
}

TEST(DrawCurves, AreStraightOnLogarithmicAxesWithTheirBand) {
  const Figure figure{.title = "t",
                      .panels = {{.curves = {{.colour = blue,
                                              .x = {1, 10, 100},
                                              .middle = {1, 10, 1000},
                                              .lower = {1, 1, 100},
                                              .upper = {10, 100, 1000},
                                              .join = Join::straight}}}},
                      .x = {.scale = Scale::logarithmic},
                      .y = {.scale = Scale::logarithmic, .range = Range{1, 1000}}};
  const std::string document = svg_document(figure);
  expect_points(named(document, "polyline").at(0), {{64, 238}, {162, 188}, {260, 88}});
  expect_points(named(document, "polygon", blue).at(0),
                {{64, 188}, {162, 138}, {260, 88}, {260, 138}, {162, 238}, {64, 238}});
}

TEST(DrawCurves, ALogarithmicAxisFitsThemALittleWider) {
  const Figure figure{.title = "t", .panels = {{.curves = {{.colour = blue, .middle = {100, 1}}}}}};
  // Two decades get a tenth of one at each end.
  const std::vector<Point> points = named(svg_document(figure), "polyline").at(0).points();
  EXPECT_NEAR(points.front().y, 238 - 150 * 2.1 / 2.2, 0.006);
  EXPECT_NEAR(points.back().y, 238 - 150 * 0.1 / 2.2, 0.006);
}

TEST(DrawCurves, ZeroHasItsPlaceOnALogarithmicAxis) {
  const Figure figure{.title = "t",
                      .panels = {{.curves = {{.colour = blue, .middle = {1, 0}}}}},
                      .y = {.scale = Scale::logarithmic, .range = Range{1e-10, 1}}};
  EXPECT_NEAR(named(svg_document(figure), "polyline").at(0).points().back().y, 238 - 150 * 0.2, 0.006);
}

TEST(DrawCurves, TheArrowPointsToWhereTheLeaderGotThere) {
  Figure figure = ten_by_ten({.curves = {{.colour = "#111111", .x = {0, 10}, .middle = {9, 1}}}});
  figure.panels[0].arrow = Arrow{.from = 4, .to = 10, .level = 2, .text = "60 % saved", .colour = blue};
  const std::string document = svg_document(figure);
  expect_points(named(document, "polygon", blue).at(0), {{142.4, 208}, {149.4, 204.5}, {149.4, 211.5}});
  EXPECT_EQ(texts(document, "60 % saved").back().number("x"), (142.4 + 260) / 2);
  figure.panels[0].arrow->level = infinity;
  EXPECT_TRUE(texts(svg_document(figure), "60 % saved").empty());
}

TEST(DrawBars, OfAHistogramStandOnZero) {
  const std::vector<double> values = {0, 0.5, 2, 2.5, 3, 4};
  const std::vector<double> edges = {0, 1, 2, 4};
  const Figure figure{.title = "t",
                      .panels = {{.bars = {histogram("h", blue, edges, bin_counts(values, edges))}}},
                      .x = {.label = "x"},
                      .y = {.label = "values"}};
  const auto bars = named(svg_document(figure), "polygon", blue);
  ASSERT_EQ(bars.size(), 3u);  // the empty bin has none, and the last is the legend's
  // Up to 4 counts and a twentieth: 150 / 4.2 pixels each. x in [0, 4]: 49 pixels each.
  const double two = 238 - 2 * 150 / 4.2, four = 238 - 4 * 150 / 4.2;
  expect_points(bars[0], {{64, 238}, {64, two}, {113, two}, {113, 238}});
  expect_points(bars[1], {{162, 238}, {162, four}, {260, four}, {260, 238}});
  EXPECT_LT(bars[0].number("fill-opacity"), 0.6);
}

TEST(DrawBars, AreWholeWhereNoneIsNearZero) {
  const Figure figure{.title = "t",
                      .panels = {{.bars = {{.colour = blue,
                                            .left = {1, 10},
                                            .right = {10, 100},
                                            .height = {8, 10},
                                            .lower = {7, 9},
                                            .upper = {9, 10}}}}},
                      .x = {.scale = Scale::logarithmic},
                      .y = {}};
  const std::string document = svg_document(figure);
  // From 0 to 10 and a twentieth: 150 / 10.5 pixels each. The middle of a decade is in the middle of its bar.
  const double eight = 238 - 8 * 150 / 10.5;
  expect_points(named(document, "polygon", blue).at(0), {{64, 238}, {64, eight}, {162, eight}, {162, 238}});
  EXPECT_EQ(named(document, "line", "#262626").at(0).number("x1"), 113);
}

TEST(DrawBars, OfHistogramsOverEachOtherShareTheirBins) {
  const std::vector<double> ei = {10, 20, 50, 100}, eipu = {1, 2, 2, 10};
  std::vector<double> all = ei;
  all.insert(all.end(), eipu.begin(), eipu.end());
  const auto edges = bin_edges(all, 2, Scale::logarithmic);
  const Figure figure{.title = "t",
                      .panels = {{.bars = {histogram("EI", blue, edges, bin_counts(ei, edges)),
                                           histogram("EIpu", "#009e73", edges, bin_counts(eipu, edges))}}},
                      .x = {.label = "seconds", .scale = Scale::logarithmic},
                      .y = {.label = "evaluations"}};
  const std::string document = svg_document(figure);
  const auto first = named(document, "polygon", blue), second = named(document, "polygon", "#009e73");
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(first[0].points()[0].x, second[1].points()[0].x);
  EXPECT_NEAR(first[0].points()[0].x, 162, 0.01);  // 10 is in the middle of 1 and 100, and in the upper bin
}

TEST(DrawBars, HaveAPlaceACategoryAndWhiskers) {
  const Figure figure{
      .title = "t",
      .panels =
          {{.bars = {category_bars("here", blue, {4, -2}, {1, -3}, {8, not_a_number}, {0, 0.5})},
            .points =
                {{.colour = "#a03030", .shape = Shape::diamond, .radius = 4, .x = {0.4, 1.4}, .y = {5, infinity}}}}},
      .x = category_axis("data", {"KNN", "MLP"}),
      .y = {.label = "saving", .range = Range{-5, 10}}};
  const std::string document = svg_document(figure);
  // A category has 98 pixels, a unit of y has 10; zero is at 188.
  const auto bars = named(document, "polygon", blue);
  expect_points(bars.at(0), {{88.5, 188}, {88.5, 148}, {137.5, 148}, {137.5, 188}});
  expect_points(bars.at(1), {{186.5, 188}, {186.5, 208}, {235.5, 208}, {235.5, 188}});
  const auto whiskers = named(document, "line", "#262626");
  ASSERT_EQ(whiskers.size(), 3u);  // a stroke and two ends; that of the second has no end
  EXPECT_EQ(whiskers[0].number("x1"), 113);
  EXPECT_EQ(whiskers[0].number("y1"), 178);
  EXPECT_EQ(whiskers[0].number("y2"), 108);
  expect_points(named(document, "polygon", "#a03030").at(0),
                {{152.2, 134}, {156.2, 138}, {152.2, 142}, {148.2, 138}});
  EXPECT_EQ(named(document, "polygon", "#a03030").size(), 1u);
  EXPECT_EQ(texts(document, "KNN").at(0).number("x"), 113);
  EXPECT_EQ(texts(document, "MLP").at(0).number("x"), 211);
  EXPECT_EQ(texts(document, "MLP").at(0).attributes.count("transform"), 0u);
}

TEST(DrawBars, LongNamesOfCategoriesAreSlanted) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("problem " + std::to_string(10 + i));
  const Figure figure{.title = "t",
                      .panels = {{.bars = {category_bars("", blue, std::vector<double>(20, 1.0), {}, {}, {})}}},
                      .x = category_axis("", names),
                      .y = {},
                      .panel_height = 300};
  const std::string document = svg_document(figure);
  double lowest_bar = 0;
  for (const Point& point : named(document, "polygon", blue).at(0).points())
    lowest_bar = std::max(lowest_bar, point.y);
  for (const std::string& name : names) {
    const Element text = texts(document, name).at(0);
    EXPECT_NE(text.attributes.at("transform").find("rotate(-40 "), std::string::npos);
    EXPECT_GT(text.number("y"), lowest_bar);
  }
  EXPECT_LT(lowest_bar, bottom + 76 - 30);  // the names have room under the bars
}

TEST(DrawPoints, LieWhereTheirCoordinatesSay) {
  const std::string document = svg_document(
      ten_by_ten({.points = {{.colour = blue, .x = {0, 5, 10, 11, not_a_number, 5}, .y = {0, 4, 10, 5, 5, -0.1}},
                             {.colour = "#111111", .shape = Shape::square, .radius = 2, .x = {1}, .y = {1}},
                             {.colour = "#222222", .shape = Shape::star, .radius = 10, .x = {5}, .y = {5}}}}));
  const auto circles = named(document, "circle", blue);
  ASSERT_EQ(circles.size(), 3u);  // the others are outside the axes or not finite
  const double expected[3][2] = {{64, 238}, {162, 178}, {260, 88}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(circles[i].number("cx"), expected[i][0]);
    EXPECT_EQ(circles[i].number("cy"), expected[i][1]);
  }
  expect_points(named(document, "polygon", "#111111").at(0), {{81.6, 221}, {85.6, 221}, {85.6, 225}, {81.6, 225}});
  const auto star = named(document, "polygon", "#222222").at(0).points();
  ASSERT_EQ(star.size(), 10u);
  EXPECT_EQ(star[0].x, 162);
  EXPECT_EQ(star[0].y, 153);
  EXPECT_NEAR(std::hypot(star[4].x - 162, star[4].y - 163), 10, 0.01);
}

TEST(DrawPoints, AreNotCutAtTheEndsOfAFittedAxis) {
  const Figure figure{.title = "t",
                      .panels = {{.points = {{.colour = blue, .x = {1, 100}, .y = {1, 3}}}}},
                      .x = {.scale = Scale::logarithmic},
                      .y = {}};
  const auto circles = named(svg_document(figure), "circle", blue);
  // Twenty-fifths of two decades beyond each end; y from 0.9 to 3.1.
  EXPECT_NEAR(circles.at(0).number("cx"), left + 196 * 0.08 / 2.16, 0.01);
  EXPECT_NEAR(circles.at(1).number("cx"), left + 196 * 2.08 / 2.16, 0.01);
  EXPECT_NEAR(circles.at(0).number("cy"), bottom - 150 * 0.1 / 2.2, 0.01);
}

TEST(DrawLines, CrossThePanelWithTheirTextInsideIt) {
  const std::string document = svg_document(ten_by_ten({.points = {{.colour = blue, .x = {5}, .y = {5}}},
                                                        .lines = {{Direction::vertical, 2, "mean", "#111111"},
                                                                  {Direction::vertical, 9.5, "optimum", "#222222"},
                                                                  {Direction::horizontal, 4, "level", "#333333"},
                                                                  {Direction::horizontal, 10, "high", "#444444"},
                                                                  {Direction::vertical, 12, "outside", "#555555"}}}));
  const Element mean = named(document, "line", "#111111").at(0), level = named(document, "line", "#333333").at(0);
  EXPECT_EQ(mean.number("x1"), 103.2);
  EXPECT_EQ(mean.number("x2"), 103.2);
  EXPECT_EQ(mean.number("y1"), top);
  EXPECT_EQ(mean.number("y2"), bottom);
  EXPECT_EQ(level.number("y1"), 178);
  EXPECT_EQ(level.number("x1"), left);
  EXPECT_EQ(level.number("x2"), right);
  EXPECT_EQ(texts(document, "mean").back().attributes.at("text-anchor"), "start");
  EXPECT_EQ(texts(document, "optimum").back().attributes.at("text-anchor"), "end");
  EXPECT_GT(texts(document, "optimum").back().number("y"), texts(document, "mean").back().number("y") + 11);
  EXPECT_LT(texts(document, "level").back().number("y"), 178);
  EXPECT_GT(texts(document, "high").back().number("y"), top + 8);
  EXPECT_TRUE(texts(document, "outside").empty());
}

}  // namespace
}  // namespace carbo::draw
