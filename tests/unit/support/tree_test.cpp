#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "support/expect_error.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {
namespace {

double through_text(double number) {
  const Tree tree = parse_tree(to_text(Tree(number)));
  return TreeReader(tree).as<double>();
}

std::string through_text(const std::string& text) {
  const Tree tree = parse_tree(to_text(Tree(text)));
  return TreeReader(tree).text();
}

TEST(Tree, EveryDoubleComesBackWithItsBits) {
  const double most = std::numeric_limits<double>::max();
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.1,
                                 1e15,
                                 1e22,
                                 9007199254740993.0,
                                 18446744073709551616.0,
                                 12345678901234567168.0,
                                 5e-324,
                                 2.2250738585072014e-308,
                                 most,
                                 -most,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()};
  std::mt19937_64 bits(1);
  while (numbers.size() < 20000) {
    const double number = std::bit_cast<double>(bits());
    if (std::isfinite(number)) numbers.push_back(number);
  }
  for (const double number : numbers)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(through_text(number)), std::bit_cast<std::uint64_t>(number)) << number;
  EXPECT_TRUE(std::isnan(through_text(std::nan(""))));
}

TEST(Tree, WholeNumbersOfSixtyFourBits) {
  for (const std::uint64_t whole : {std::uint64_t{0}, std::uint64_t{1} << 53, ~std::uint64_t{0}}) {
    const Tree tree = parse_tree(to_text(Tree(whole)));
    EXPECT_EQ(TreeReader(tree).as<std::uint64_t>(), whole);
  }
  for (const char* const text : {"-1", "1.5", "18446744073709551616", "1e3", "\"1\""}) {
    const Tree tree = parse_tree(text);
    EXPECT_THROW(TreeReader(tree).as<std::uint64_t>(), InvalidState) << text;
  }
}

TEST(Tree, AnyBytesComeBack) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    EXPECT_EQ(through_text(one), one) << byte;
    EXPECT_EQ(through_text("a" + one + "b\xc3\xa4"), "a" + one + "b\xc3\xa4") << byte;
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 12, ' ');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() % 128 : random() % 256);
    EXPECT_EQ(through_text(bytes), bytes);
  }
}

TEST(Tree, EscapesAsOthersWriteThem) {
  const Tree tree = parse_tree(R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")");
  EXPECT_EQ(TreeReader(tree).text(), "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(Tree, WhatIsNoJsonIsRefusedWithItsPlace) {
  const char* const texts[] = {"",
                               " ",
                               "{",
                               "[",
                               "[1",
                               "[1,",
                               "[1,]",
                               "{\"a\"}",
                               "{\"a\":}",
                               "{\"a\":1,}",
                               "{a:1}",
                               "nul",
                               "tru",
                               "falsey",
                               "01",
                               "-",
                               "1.",
                               ".5",
                               "1e",
                               "1e+",
                               "+1",
                               "NaN",
                               "Infinity",
                               "1e999",
                               "\"",
                               "\"\\",
                               "\"\\x\"",
                               "\"\\u12\"",
                               "\"\\u123g\"",
                               "\"\\ud800\"",
                               "\"\\ud800\\u0041\"",
                               "\"\\udc00\"",
                               "\"\xff\"",
                               "\"\xc0\x80\"",
                               "\"\n\"",
                               "1 2",
                               "{\"a\":1,\"a\":2}",
                               "[1}",
                               "'a'",
                               "// 1",
                               "\xef\xbb\xbf{}"};
  for (const char* const text : texts) {
    try {
      parse_tree(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const InvalidState& error) {
      EXPECT_EQ(std::string(error.what()).find("line 1, column "), 0u) << text;
    }
  }
}

TEST(Tree, SixtyFourLevelsAndNoMore) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(parse_tree(nested(64)));
  EXPECT_THROW(parse_tree(nested(65)), InvalidState);
  EXPECT_THROW(parse_tree(std::string(1000000, '[')), InvalidState);
}

TEST(Tree, ReadersSayWhere) {
  const Tree tree = parse_tree(R"({"a": {"b/c": [1, 2, "x"]}, "goal": "minimise"})");
  const TreeReader reader(tree);
  expect_error<InvalidState>([&] { reader.at("a").get<std::vector<double>>("b/c"); },
                             {"/a/b~1c/2: expected a number"});
  expect_error<InvalidState>([&] { reader.get<Goal>("goal"); }, {"/goal: 'minimise' is none of minimize, maximize"});
  expect_error<InvalidState>([&] { reader.get<double>("d"); }, {"'d' is missing"});
  expect_error<InvalidState>([&] { reader.at("a").get<double>("d"); }, {"/a: 'd' is missing"});
  EXPECT_FALSE(reader.find("d"));
}

TEST(Tree, WhatNobodyAskedForIsNotPassedOver) {
  const Tree tree = parse_tree(R"({"a": 1, "b": [{"c": 2}]})");
  const TreeReader reader(tree);
  expect_error<InvalidState>([&] { refuse_unread(tree); }, {"/a"});
  reader.get<double>("a");
  const auto inner = reader.at("b").elements();
  expect_error<InvalidState>([&] { refuse_unread(tree); }, {"/b/0/c"});
  inner.front().get<double>("c");
  EXPECT_NO_THROW(refuse_unread(tree));
}

Tree halved(const double& value) { return Tree(value / 2); }
Tree halved(const std::string& text) { return Tree(text.substr(0, text.size() / 2)); }

TEST(Tree, ArraysOfElementsAreMadeByTheFunctionThatTakesThem) {
  EXPECT_EQ(to_line(Tree::array(std::vector<double>{}, halved)), "[]");
  EXPECT_EQ(to_line(Tree::array(std::vector<double>{1, 4, -3}, halved)), "[0.5, 2, -1.5]");
  Tree tree = Tree::object();
  tree.set_all("texts", std::vector<std::string>{"abcd", ""}, halved);
  tree.set_all("none", std::vector<std::string>{}, halved);
  tree.set_all("pairs", std::map<std::string, double>{{"a", 1}, {"b", 2}}, [](const auto& pair) {
    return Tree::Array{Tree(pair.first), Tree(pair.second)};
  });
  EXPECT_EQ(to_line(tree), R"({"texts": ["ab", ""], "pairs": [["a", 1], ["b", 2]]})");
}

TEST(Tree, ElementsOfAnAbsentMemberAreNone) {
  const Tree tree = parse_tree(R"({"two": [3, 4], "none": [], "null": null, "one": 5})");
  const TreeReader reader(tree);
  const auto two = reader.elements("two");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].as<double>(), 4.0);
  EXPECT_EQ(two[1].place(), "/two/1");
  for (const char* key : {"none", "null", "absent"}) EXPECT_TRUE(reader.elements(key).empty()) << key;
  expect_error<InvalidState>([&] { reader.elements("one"); }, {"/one: expected an array"});
  EXPECT_NO_THROW(refuse_unread(tree));
}

TEST(Tree, PlainValuesStandOnOneLine) {
  Tree tree = Tree::object(), inner = Tree::object();
  inner.set("x", 1.5);
  inner.set("text", "a\nb");
  tree.set("numbers", std::vector<double>{1, 2.5});
  tree.set("absent", std::optional<double>{});
  tree.set("inner", std::move(inner));
  EXPECT_EQ(to_text(tree), "{\n \"numbers\": [1, 2.5],\n \"inner\": {\"x\": 1.5, \"text\": \"a\\u000ab\"}\n}");
}

}  // namespace
}  // namespace carbo::internal
