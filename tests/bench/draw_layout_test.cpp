#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/draw/figure.hpp"
#include "draw_support.hpp"

namespace carbo::draw {
namespace {

constexpr const char* green = "#009e73";

Panel level_at(double value) {
  return {.title = "p", .curves = {{.label = "c", .colour = green, .middle = {value, value}}}};
}

double first_y(const Element& polyline) { return polyline.points().front().y; }

TEST(DrawFigure, ShowsInfiniteAndZeroValuesInEveryPanel) {
  Figure figure{.title = "t", .notes = {"note"}};
  const std::vector<double> curve = {infinity, 1.0, 0.1, 0.1, 0.0};
  for (int i = 0; i < 5; ++i)
    figure.panels.push_back(
        {.title = "panel",
         .subtitle = "s",
         .curves = {{.label = "one", .colour = "#0072b2", .middle = curve, .lower = curve, .upper = curve},
                    {.label = "two", .colour = "#e69f00", .middle = curve}},
         .arrow = Arrow{.from = 0.4, .to = 1, .level = 0.1, .text = "60 % saved", .colour = "#000000"}});
  const std::string document = svg_document(figure);
  EXPECT_TRUE(well_formed(document));
  EXPECT_EQ(document.find("nan"), std::string::npos);
  EXPECT_EQ(document.find("inf"), std::string::npos);
  EXPECT_EQ(named(document, "polyline").size(), 10u);
  EXPECT_EQ(texts(document, "60 % saved").size(), 10u);  // with their rims
  EXPECT_EQ(document, svg_document(figure));
}

TEST(DrawFigure, APanelWithNothingToDrawSaysSo) {
  const Figure figure{.title = "t",
                      .panels = {{.title = "none"},
                                 {.curves = {{.colour = green, .middle = {infinity, not_a_number}}}},
                                 {.bars = {histogram("h", green, {}, {})}},
                                 {.points = {{.colour = green, .x = {1, not_a_number}, .y = {infinity, 1}}}},
                                 {.lines = {{Direction::vertical, 1, "alone", green}}},
                                 level_at(1)}};
  const std::string document = svg_document(figure);
  EXPECT_TRUE(well_formed(document));
  EXPECT_EQ(texts(document, "no data").size(), 5u);
  EXPECT_TRUE(texts(document, "alone").empty());
  EXPECT_EQ(named(document, "polyline").size(), 1u);
}

TEST(DrawFigure, PanelsStandInRowsOfColumns) {
  Figure figure{.title = "t", .columns = 2};
  for (int i = 0; i < 3; ++i) figure.panels.push_back(level_at(1));
  const std::string document = svg_document(figure);
  const auto titles = texts(document, "p");
  ASSERT_EQ(titles.size(), 3u);
  EXPECT_EQ(titles[1].number("x") - titles[0].number("x"), 252);
  EXPECT_EQ(titles[1].number("y"), titles[0].number("y"));
  EXPECT_EQ(titles[2].number("x"), titles[0].number("x"));
  EXPECT_EQ(titles[2].number("y") - titles[0].number("y"), 224);
  const Element page = named(document, "svg").at(0);
  EXPECT_EQ(page.number("width"), 18 + 2 * 252);
  EXPECT_EQ(page.number("height"), 44 + 2 * 224 + 22);
  // The legend has the fourth place.
  EXPECT_EQ(texts(document, "c").at(0).number("x"), 18 + 252 + 46 + 34);
  EXPECT_GT(texts(document, "c").at(0).number("y"), 44 + 224);
}

TEST(DrawFigure, AxesAreFittedToEachPanelOrToAll) {
  Figure figure{.title = "t", .panels = {level_at(10), level_at(20)}, .y = {.label = "y"}};
  auto lines = named(svg_document(figure), "polyline");
  EXPECT_EQ(first_y(lines.at(0)), first_y(lines.at(1)));  // in the middle of each
  figure.y.shared = true;
  figure.panels.push_back(level_at(1000));
  figure.panels.back().y = Axis{.label = "own"};
  lines = named(svg_document(figure), "polyline");
  // 10 to 20 and a twentieth at each end: 150 pixels for 11.
  EXPECT_NEAR(first_y(lines.at(0)), 44 + 194 - 150 * 0.5 / 11, 0.01);
  EXPECT_NEAR(first_y(lines.at(1)), 44 + 194 - 150 * 10.5 / 11, 0.01);
  EXPECT_NEAR(first_y(lines.at(2)), 44 + 194 - 75, 0.01);
}

TEST(DrawFigure, LabelsOfOwnAxesStandBesideTheirPanel) {
  Figure figure{.title = "t", .panels = {level_at(1), level_at(2)}, .x = budget_axis(), .y = {.label = "shared y"}};
  figure.panels[0].x = Axis{.label = "own x"};
  std::string document = svg_document(figure);
  EXPECT_EQ(texts(document, "own x").size(), 1u);
  EXPECT_EQ(texts(document, "cost spent, share of the budget").size(), 1u);
  EXPECT_NEAR(texts(document, "own x")[0].number("x"), 64 + 98, 0.01);
  figure.panels[1].x = Axis{.label = "other x"};
  document = svg_document(figure);
  EXPECT_TRUE(texts(document, "cost spent, share of the budget").empty());
  EXPECT_EQ(texts(document, "shared y").size(), 1u);
}

TEST(DrawFigure, LabelsOfTicksDoNotTouch) {
  for (const double high : {1.2, 3.0, 30.0, 90.0, 700.0, 3e4, 2e9}) {
    const Figure figure{.title = "t",
                        .panels = {{.curves = {{.colour = green, .x = {0.011, 0.011 * high}, .middle = {1, 1}}}}},
                        .x = {.scale = Scale::logarithmic}};
    std::vector<std::pair<double, double>> spans;
    for (const Element& text : named(svg_document(figure), "text"))
      if (text.number("y") == 254) {
        const double width = 6.6 * static_cast<double>(text.text.size());  // that of digits in a wide font
        const std::string& anchor = text.attributes.at("text-anchor");
        const double begin = text.number("x") - (anchor == "start" ? 0 : anchor == "end" ? width : width / 2);
        spans.push_back({begin, begin + width});
      }
    EXPECT_GE(spans.size(), 2u) << high;
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GT(spans[i].first, spans[i - 1].second) << high;
  }
}

TEST(DrawFigure, GivenTicksKeepTheirPlacesAndLoseLabelsThatTouch) {
  Figure figure{.title = "t", .panels = {level_at(1)}, .x = {.range = Range{0, 100}}, .columns = 1};
  figure.x.ticks = {{0, "first"}, {3, "near"}, {50, "half"}, {100, "last"}, {120, "outside"}};
  const std::string document = svg_document(figure);
  EXPECT_EQ(texts(document, "first").at(0).number("x"), 64);
  EXPECT_EQ(texts(document, "half").at(0).number("x"), 162);
  EXPECT_EQ(texts(document, "last").at(0).number("x"), 260);
  EXPECT_EQ(texts(document, "last").at(0).attributes.at("text-anchor"), "end");
  EXPECT_TRUE(texts(document, "near").empty());
  EXPECT_TRUE(texts(document, "outside").empty());
}

TEST(DrawFigure, TheLegendNamesEveryMarkOnce) {
  Figure figure{.title = "t", .panels = {level_at(1), level_at(2)}, .notes = {"a note"}, .y = {.label = "y"}};
  figure.panels[1].curves.push_back({.label = "only here", .colour = "#111111", .middle = {1, 2}});
  figure.panels[1].bars = {category_bars("bars", "#222222", {1}, {}, {}, {})};
  figure.panels[1].points = {{.label = "points", .colour = "#333333", .x = {0.5}, .y = {1}}};
  std::string document = svg_document(figure);
  for (const char* label : {"c", "only here", "bars", "points", "a note"})
    EXPECT_EQ(texts(document, label).size(), 1u) << label;
  const auto bold = [&](const char* label) { return texts(document, label)[0].attributes.count("font-weight") == 1; };
  EXPECT_FALSE(bold("c"));
  EXPECT_FALSE(bold("only here"));
  std::reverse(figure.panels.begin(), figure.panels.end());
  document = svg_document(figure);
  EXPECT_FALSE(bold("c"));
  EXPECT_TRUE(bold("only here"));  // on top of another
  figure.legend = LegendPlace::below;
  document = svg_document(figure);
  const double page = named(document, "svg").at(0).number("height");
  for (const char* label : {"c", "only here", "bars", "points", "a note"}) {
    ASSERT_EQ(texts(document, label).size(), 1u) << label;
    EXPECT_GT(texts(document, label)[0].number("y"), 44 + 224 + 22);
    EXPECT_LT(texts(document, label)[0].number("y"), page);
  }
  EXPECT_EQ(texts(document, "c")[0].number("y"), texts(document, "points")[0].number("y"));
}

TEST(DrawFigure, NothingIsCutOff) {
  Figure figure{.title = std::string(60, 'M'),
                .panels = {level_at(1)},
                .notes = {std::string(120, 'n')},
                .columns = 1,
                .legend = LegendPlace::below};
  for (int i = 0; i < 9; ++i)
    figure.panels[0].curves.push_back(
        {.label = "a long label " + std::to_string(i), .colour = green, .middle = {1, 1}});
  const std::string document = svg_document(figure);
  const Element page = named(document, "svg").at(0);
  EXPECT_GT(page.number("width"), 120 * 11 * 0.5);
  for (const Element& text : named(document, "text")) {
    EXPECT_LT(text.number("y"), page.number("height"));
    EXPECT_LT(text.number("x"), page.number("width"));
  }
  EXPECT_NE(texts(document, "a long label 0")[0].number("y"), texts(document, "a long label 8")[0].number("y"));
  figure.notes.clear();
  EXPECT_GT(named(svg_document(figure), "svg").at(0).number("width"), 60 * 17 * 0.6);
}

TEST(DrawFigure, SaysWhatItRefuses) {
  const auto refusal = [](const Figure& figure) -> std::string {
    try {
      svg_document(figure);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const auto with = [&](Panel panel, Scale scale) {
    panel.title = "odd";
    Panel sound = level_at(1);
    sound.x = budget_axis();
    return refusal({.title = "t", .panels = {sound, std::move(panel)}, .x = {.scale = scale}, .y = {.scale = scale}});
  };
  const auto expect = [](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said << "\nwithout: " << part;
  };
  expect(refusal({.title = "t"}), "without panels");
  expect(refusal({.title = "t", .panels = {level_at(1)}, .columns = 0}), "0 columns");
  expect(with({.curves = {{.label = "EI", .x = {1}, .middle = {1, 2}}}}, Scale::linear),
         "panel 2 (odd): curve \"EI\" has 1 entries in x; it needs 2");
  expect(with({.curves = {{.label = "EI", .middle = {1, 2}, .lower = {1, 2}}}}, Scale::linear), "0 entries in upper");
  expect(with({.bars = {{.label = "b", .left = {1}, .right = {}, .height = {1}}}}, Scale::linear),
         "bars \"b\" has 0");
  expect(with({.points = {{.label = "p", .x = {1}, .y = {1, 2}}}}, Scale::linear), "points \"p\" has 1");
  Panel at_zero{.points = {{.label = "p", .x = {1, 2}, .y = {1, 0}}}, .x = Axis{}};
  expect(with(at_zero, Scale::logarithmic), "points \"p\" has 0 in y at 1; a logarithmic axis shows values above 0");
  Panel line{.lines = {{Direction::horizontal, -1, "l", green}}, .x = Axis{}};
  expect(with(line, Scale::logarithmic), "line \"l\" has -1");
  expect(with({.curves = {{.label = "EI", .middle = {1, 2}}}}, Scale::logarithmic), "curve \"EI\" has no x");
  Panel crowd{.bars = {category_bars("b", green, {1, 2, 3}, {}, {}, {})}, .x = category_axis("", {"a", "b"})};
  expect(with(crowd, Scale::linear), "bars \"b\" are 3; the x axis has 2 categories");
  const Axis backward{.range = Range{2, 1}}, from_zero{.scale = Scale::logarithmic, .range = Range{0, 1}};
  expect(refusal({.title = "t", .panels = {level_at(1)}, .x = backward}), "x axis goes from 2 to 1");
  expect(refusal({.title = "t", .panels = {level_at(1)}, .y = from_zero}), "y axis is logarithmic and begins at 0");
  expect(refusal({.title = "t", .panels = {level_at(1)}, .x = category_axis("", {})}), "no category");
  expect(refusal({.title = "t", .panels = {level_at(1)}, .y = category_axis("", {"a"})}), "only an x axis can");
}

}  // namespace
}  // namespace carbo::draw
