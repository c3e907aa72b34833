#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/draw/axis.hpp"
#include "bench/draw/bins.hpp"
#include "bench/draw/palette.hpp"
#include "draw_support.hpp"

namespace carbo::draw {
namespace {

using Numbers = std::vector<double>;

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(DrawBins, HaveOneWidthOrOneRatio) {
  EXPECT_EQ(bin_edges(Numbers{3, 1, 9, 5}, 4, Scale::linear), (Numbers{1, 3, 5, 7, 9}));
  const Numbers edges = bin_edges(Numbers{100, 0.1, 1}, 3, Scale::logarithmic);
  ASSERT_EQ(edges.size(), 4u);
  EXPECT_EQ(edges.front(), 0.1);  // not a rounding away: the value must lie inside
  EXPECT_EQ(edges.back(), 100);
  EXPECT_NEAR(edges[1], 1, 1e-14);
  EXPECT_NEAR(edges[2], 10, 1e-13);
}

TEST(DrawBins, LowerEdgesBelongToTheirBinAndTheLastEdgeToTheLast) {
  const Numbers edges = {0, 1, 2, 4};
  EXPECT_EQ(bin_counts(Numbers{0, 0.5, 1, 1.5, 2, 3.9, 4, 4}, edges), (Numbers{2, 2, 4}));
  EXPECT_EQ(bin_counts(Numbers{}, edges), (Numbers{0, 0, 0}));
  EXPECT_EQ(bin_shares(Numbers{0, 3, 3, 4}, edges), (Numbers{0.25, 0, 0.75}));
  EXPECT_EQ(bin_shares(Numbers{}, edges), (Numbers{0, 0, 0}));
}

TEST(DrawBins, EveryValueIsCountedOnceWhateverTheScale) {
  Numbers values;
  for (int i = 1; i <= 500; ++i) values.push_back(std::fmod(i * 0.6180339887, 1.0) * std::pow(1.02, i));
  for (const Scale scale : {Scale::linear, Scale::logarithmic})
    for (const std::size_t count : {1, 2, 7, 40}) {
      const Numbers edges = bin_edges(values, count, scale);
      ASSERT_EQ(edges.size(), count + 1);
      const Numbers counts = bin_counts(values, edges);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 500);
      for (std::size_t b = 0; b < count; ++b) {
        double plain = 0;
        for (const double value : values)
          plain += value >= edges[b] && (value < edges[b + 1] || (b + 1 == count && value == edges[count]));
        EXPECT_EQ(counts[b], plain) << "bin " << b << " of " << count;
      }
    }
}

TEST(DrawBins, NoOneOrEqualValues) {
  EXPECT_TRUE(bin_edges(Numbers{}, 5, Scale::linear).empty());
  EXPECT_TRUE(bin_edges(Numbers{infinity, not_a_number}, 5, Scale::logarithmic).empty());
  EXPECT_TRUE(bin_counts(Numbers{}, Numbers{}).empty());
  for (const Numbers& values : {Numbers{4}, Numbers{4, 4, 4}, Numbers{4, std::nextafter(4.0, 5.0)}})
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
      const Numbers edges = bin_edges(values, 3, scale);
      const Numbers counts = bin_counts(values, edges);
      EXPECT_EQ(counts, (Numbers{0, static_cast<double>(values.size()), 0}));
      EXPECT_LT(edges.front(), 4);
      EXPECT_GT(edges.back(), 4);
    }
  EXPECT_EQ(bin_edges(Numbers{0, 0}, 2, Scale::linear), (Numbers{-0.5, 0, 0.5}));
  EXPECT_EQ(bin_edges(Numbers{-2}, 2, Scale::linear), (Numbers{-3, -2, -1}));
}

TEST(DrawBins, ValuesThatAreNotFiniteAreInNoBin) {
  const Numbers values = {1, infinity, 3, not_a_number, -infinity, 2};
  const Numbers edges = bin_edges(values, 2, Scale::linear);
  EXPECT_EQ(edges, (Numbers{1, 2, 3}));
  EXPECT_EQ(bin_counts(values, edges), (Numbers{1, 2}));
}

TEST(DrawBins, SayWhatTheyRefuse) {
  for (const double bad : {0.0, -2.5}) {
    const std::string said = refusal([&] { bin_edges(Numbers{1, 3, bad}, 4, Scale::logarithmic); });
    EXPECT_NE(said.find("logarithmic bins: value 2 is "), std::string::npos) << said;
    EXPECT_NE(said.find(bad == 0 ? "is 0;" : "is -2.5;"), std::string::npos) << said;
    EXPECT_NE(said.find("above 0"), std::string::npos) << said;
  }
  EXPECT_NE(refusal([] { bin_edges(Numbers{1}, 0, Scale::linear); }).find("at least 1"), std::string::npos);
  EXPECT_NE(refusal([] { bin_edges(Numbers{1}, 2, Scale::categories); }).find("no bins"), std::string::npos);
  EXPECT_NE(refusal([] {
              bin_counts(Numbers{7}, Numbers{1, 5});
            }).find("7 lies outside the bins from 1 to 5"),
            std::string::npos);
  EXPECT_NE(refusal([] { bin_counts(Numbers{7}, Numbers{}); }).find("there are none"), std::string::npos);
  EXPECT_NE(refusal([] {
              bin_counts(Numbers{1}, Numbers{1, 1});
            }).find("edge 1 of the bins is 1"),
            std::string::npos);
  EXPECT_NE(refusal([] { bin_counts(Numbers{1}, Numbers{0, infinity}); }).find("must be finite"), std::string::npos);
}

TEST(DrawTicks, OfALogarithmicAxisLieInsideIt) {
  EXPECT_EQ(log_ticks(0.5, 20), (Numbers{0.5, 1, 2, 5, 10, 20}));
  EXPECT_EQ(log_ticks(0.09, 200), (Numbers{0.1, 1, 10, 100}));
  EXPECT_EQ(log_ticks(1e-7, 2).size(), 4u);
  EXPECT_LE(log_ticks(1e-30, 1e30).size(), 7u);
  const Numbers narrow = log_ticks(1.06, 1.4);  // none of 1, 2 and 5 is inside
  ASSERT_EQ(narrow.size(), 4u);
  EXPECT_NEAR(narrow.front(), 1.1, 1e-12);
  EXPECT_EQ(narrow.back(), 1.4);
}

TEST(DrawTicks, OfALinearAxisAreRoundAndFew) {
  const auto near = [](const Numbers& ticks, const Numbers& expected) {
    ASSERT_EQ(ticks.size(), expected.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) EXPECT_NEAR(ticks[i], expected[i], 1e-12);
  };
  near(linear_ticks(0, 1, 5), {0, 0.2, 0.4, 0.6, 0.8, 1});
  near(linear_ticks(-51, 97, 7), {-50, 0, 50});
  near(linear_ticks(-51, 97, 8), {-40, -20, 0, 20, 40, 60, 80});
  near(linear_ticks(0.3, 0.9, 3), {0.4, 0.6, 0.8});
  EXPECT_FALSE(std::signbit(linear_ticks(-1, 1, 2).at(1)));
  for (int i = 1; i < 200; ++i) {
    const double low = -3.0 + 0.1 * i, high = low + std::pow(1.1, i % 90 - 40);
    const Numbers ticks = linear_ticks(low, high, 5);
    EXPECT_LE(ticks.size(), 6u);
    EXPECT_GE(ticks.size(), 2u);
    EXPECT_GE(ticks.front(), low);
    EXPECT_LE(ticks.back(), high);
  }
  EXPECT_LE(linear_ticks(1e16, 1e16 + 4, 5).size(), 6u);  // ends although the steps are lost in rounding
}

TEST(DrawTicks, LabelsAreShort) {
  EXPECT_EQ(tick_label(0.001), "0.001");
  EXPECT_EQ(tick_label(1e-5), "1e-5");
  EXPECT_EQ(tick_label(200), "200");
  EXPECT_EQ(tick_label(0), "0");
  EXPECT_EQ(tick_label(-40), "-40");
  EXPECT_EQ(tick_label(2.5e6), "2.5e6");
  EXPECT_EQ(tick_label(3 * 0.1), "0.3");
}

TEST(DrawPalette, MethodsHaveColoursOfTheirOwn) {
  std::set<std::string> colours;
  for (const char* method : {"random", "ei", "eipu", "carbo", "design_ei", "design_eipu"})
    colours.insert(method_colour(method));
  EXPECT_EQ(colours.size(), 6u);
  for (std::size_t i = 0; i < 9; ++i) colours.insert(series_colour(i));
  EXPECT_EQ(colours.size(), 15u);
  EXPECT_EQ(series_colour(9), series_colour(0));
  const std::string said = refusal([] { method_colour("EI"); });
  EXPECT_NE(said.find("\"EI\""), std::string::npos) << said;
  EXPECT_NE(said.find("ei, eipu"), std::string::npos) << said;
}

TEST(DrawPalette, SequencesDarkenFromEntryToEntry) {
  const auto light = [](const std::string& colour) {
    const long rgb = std::stol(colour.substr(1), nullptr, 16);
    return 0.2126 * static_cast<double>(rgb >> 16) + 0.7152 * static_cast<double>(rgb >> 8 & 255) +
           0.0722 * static_cast<double>(rgb & 255);
  };
  for (const std::size_t count : {2, 5, 16})
    for (std::size_t i = 1; i < count; ++i)
      EXPECT_LT(light(sequence_colour(i, count)), light(sequence_colour(i - 1, count)) - 5) << i << " of " << count;
  EXPECT_EQ(sequence_colour(0, 1).size(), 7u);
  EXPECT_THROW(sequence_colour(3, 3), std::invalid_argument);
}

}  // namespace
}  // namespace carbo::draw
